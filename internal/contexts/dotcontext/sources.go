package dotcontext

import (
	"path"
	"strings"

	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// The contract fixes these lists, so that other tools count the same directories.

// neverEntered are directories without sources of the project's own. Hidden
// directories are skipped as well.
var neverEntered = setOf(`node_modules dist build out __pycache__ venv target vendor obj _build Pods
	bower_components coverage _site storybook-static tmp temp`)

// sourceExtensions are the last extensions of source files, in lower case.
var sourceExtensions = setOf(`ts tsx js jsx mjs cjs py pyi rs go java kt kts c cpp cc h hpp cs rb php swift scala
	ex exs hs lua r sql sh bash zsh yaml yml json toml xml html css scss md mdx txt rst vue svelte tf hcl
	dockerfile graphql gql proto`)

// sourceNames are source files without such an extension.
var sourceNames = setOf(`Dockerfile docker-compose.yaml docker-compose.yml Makefile Cargo.toml go.mod pyproject.toml
	setup.py setup.cfg Gemfile Rakefile CMakeLists.txt`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

func isEntered(name string) bool {
	return !strings.HasPrefix(name, ".") && !neverEntered[name]
}

func isSource(name string) bool {
	if name == contextfile.Name || name == contextfile.ConfigName {
		return false
	}
	return sourceNames[name] || sourceExtensions[strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))]
}
