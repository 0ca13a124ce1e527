package dotcontext

import (
	"path"
	"strings"

	"github.com/contextcompiler/context/dotcontext/contextfile"
)

// The lists that decide what a scan sees are the contract's: other tools that
// read the same repository count the same directories.

// neverEntered are the directories, besides hidden ones, that hold nobody's own
// sources.
var neverEntered = setOf(`node_modules dist build out __pycache__ venv target vendor obj _build Pods
	bower_components coverage _site storybook-static tmp temp`)

// sourceExtensions are what the last extension of a source file's name may be,
// in lower case.
var sourceExtensions = setOf(`ts tsx js jsx mjs cjs py pyi rs go java kt kts c cpp cc h hpp cs rb php swift scala
	ex exs hs lua r sql sh bash zsh yaml yml json toml xml html css scss md mdx txt rst vue svelte tf hcl
	dockerfile graphql gql proto`)

// sourceNames are the source files that have no such extension.
var sourceNames = setOf(`Dockerfile docker-compose.yaml docker-compose.yml Makefile Cargo.toml go.mod pyproject.toml
	setup.py setup.cfg Gemfile Rakefile CMakeLists.txt`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// isEntered reports whether a scan looks into directories of that name.
func isEntered(name string) bool {
	return !strings.HasPrefix(name, ".") && !neverEntered[name]
}

// isSource reports whether a regular file of that name is a source file.
func isSource(name string) bool {
	if name == contextfile.Name || name == contextfile.ConfigName {
		return false
	}
	return sourceNames[name] || sourceExtensions[extensionOf(name)]
}

// extensionOf returns what stands behind the last dot of a file's name, in
// lower case.
func extensionOf(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
}
