package describe

import (
	"encoding/json"
	"encoding/xml"
	"strings"

	"github.com/BurntSushi/toml"
)

// This file reads the manifests that are data in a common format. A field of
// another type than it should be spoils only itself.

// fields are the members of an object, of any types.
type fields map[string]any

func (f fields) text(name string) string {
	s, _ := f[name].(string)
	return s
}

func (f fields) object(name string) fields {
	object, _ := f[name].(map[string]any)
	return object
}

func fromJSON(content []byte) fields {
	var f map[string]any
	if json.Unmarshal(content, &f) != nil {
		return nil
	}
	return f
}

// readPackageJSON reads composer.json, too.
func readPackageJSON(content []byte) manifest {
	f := fromJSON(content)
	manager, _, _ := strings.Cut(f.text("packageManager"), "@")
	return manifest{
		name:        f.text("name"),
		description: f.text("description"),
		manager:     manager,
	}
}

// maxDepth is the most brackets that may be open in TOML: its parser calls
// itself for each, and no stack is endless.
const maxDepth = 1000

func fromTOML(content []byte) fields {
	if depthOf(content) > maxDepth {
		return nil
	}
	var f map[string]any
	if toml.Unmarshal(content, &f) != nil {
		return nil
	}
	return f
}

// depthOf returns how many brackets are open at most, be they in strings or not.
func depthOf(content []byte) int {
	depth, deepest := 0, 0
	for _, c := range content {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		deepest = max(deepest, depth)
	}
	return deepest
}

func readCargo(content []byte) manifest {
	pkg := fromTOML(content).object("package")
	return manifest{name: pkg.text("name"), description: pkg.text("description")}
}

func readPyproject(content []byte) manifest {
	f := fromTOML(content)
	project, tool := f.object("project"), f.object("tool")
	m := manifest{name: project.text("name"), description: project.text("description")}
	if poetry := tool.object("poetry"); poetry != nil {
		m.manager = "poetry"
		if project == nil {
			m.name, m.description = poetry.text("name"), poetry.text("description")
		}
	}
	for _, manager := range []string{"uv", "pdm"} {
		if tool.object(manager) != nil && m.manager == "" {
			m.manager = manager
		}
	}
	return m
}

func readPom(content []byte) manifest {
	var pom struct {
		XMLName     xml.Name `xml:"project"`
		Name        string   `xml:"name"`
		ArtifactID  string   `xml:"artifactId"`
		Description string   `xml:"description"`
	}
	if xml.Unmarshal(content, &pom) != nil {
		return manifest{}
	}
	name := pom.Name
	if name == "" || strings.Contains(name, "${") {
		name = pom.ArtifactID
	}
	return manifest{name: name, description: pom.Description}
}
