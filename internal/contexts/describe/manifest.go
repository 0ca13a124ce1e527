package describe

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/toml"
)

type projectManifest struct {
	name        string
	description string
	manager     string // the package manager in it, or ""
}

// manifestSummary returns the first description in a manifest.
func (r *dirReader) manifestSummary(dir string) string {
	if dir == "." {
		return "" // because ProjectOf reads them
	}
	for _, e := range ecosystems {
		for _, m := range r.manifests(e) {
			if m.description != "" {
				return m.description
			}
		}
	}
	return ""
}

// manifests reads the manifests of an ecosystem. A broken manifest results in an
// empty one.
func (r *dirReader) manifests(e ecosystem) (manifests []projectManifest) {
	for _, file := range e.files {
		if file.read == nil || !r.has(file.name) {
			continue
		}
		content := r.whole(file.name)
		m := attempt(func() projectManifest { return file.read(content) })
		m.name, m.description = oneLine(m.name), oneLine(m.description)
		manifests = append(manifests, m)
	}
	return manifests
}

// fields is a JSON object or a TOML table. It is nil if the text is broken.
type fields map[string]any

// text returns the string at a path, or "".
func (f fields) text(path ...string) string {
	last := len(path) - 1
	s, _ := f.object(path[:last]...)[path[last]].(string)
	return s
}

// object returns the object at a path, or nil.
func (f fields) object(path ...string) fields {
	for _, name := range path {
		f, _ = f[name].(map[string]any)
	}
	return f
}

var scriptManager = lazy.Regexp(`^(npm|pnpm|yarn|bun)(?:@|$)`)

func readPackageJSON(content string) projectManifest {
	var f fields
	json.Unmarshal([]byte(content), &f) // a broken file has no fields
	return projectManifest{f.text("name"), f.text("description"), group(scriptManager(), f.text("packageManager"))}
}

func readCargo(content string) projectManifest {
	f := fromTOML(content)
	return projectManifest{name: f.text("package", "name"), description: f.text("package", "description")}
}

func readPyproject(content string) projectManifest {
	f := fromTOML(content)
	m := projectManifest{
		name:        cmp.Or(f.text("project", "name"), f.text("tool", "poetry", "name")),
		description: cmp.Or(f.text("project", "description"), f.text("tool", "poetry", "description")),
	}
	for _, manager := range []string{"uv", "poetry"} {
		if f.object("tool", manager) != nil {
			m.manager = manager
		}
	}
	return m
}

func fromTOML(content string) (f fields) {
	if toml.Unmarshal([]byte(content), &f) != nil {
		return nil
	}
	return f
}

// The other manifests are read line by line, with patterns. In setup.py, only
// literals count, and the constant NAME.
var (
	goModule     = lazy.Regexp("(?m)^module[ \t]+[\"`]?([^\\s\"`]+)")
	majorVersion = lazy.Regexp(`[/.]v[0-9]+$`)

	setupName        = lazy.Regexp(`(?m)^name[ \t]*=[ \t]*(\S.*)$`)
	setupDescription = lazy.Regexp(`(?m)^(?:description|summary)[ \t]*=[ \t]*(\S.*)$`)

	setupCallName        = lazy.Regexp(`(?m)(?:^|[(,])\s*(?:name|NAME)\s*=\s*["']([^"'{}]+)["']`)
	setupCallDescription = lazy.Regexp(`(?m)(?:^|[(,])\s*description\s*=\s*\(?\s*["']([^"'\n{}]+)["']`)
)

func readGoMod(content string) projectManifest {
	module := majorVersion().ReplaceAllString(group(goModule(), content), "")
	if module == "" {
		return projectManifest{}
	}
	return projectManifest{name: path.Base(module)}
}

// readPatterns returns the reader of a manifest by patterns of its name and its description.
func readPatterns(name, description func() *regexp.Regexp) func(content string) projectManifest {
	return func(content string) projectManifest {
		return projectManifest{name: group(name(), content), description: group(description(), content)}
	}
}

func group(pattern *regexp.Regexp, text string) string {
	if match := pattern.FindStringSubmatch(text); match != nil {
		return match[1]
	}
	return ""
}
