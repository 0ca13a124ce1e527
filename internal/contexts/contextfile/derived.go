package contextfile

import (
	"maps"
	"slices"

	"github.com/contextcompiler/context/internal/base/yaml12"
	"github.com/contextcompiler/context/internal/contexts/describe"
)

// Derived contains the fields that a program can fill in without asking a person.
type Derived struct {
	Summary        string
	Files          []describe.DescribedFile
	Subdirectories []Subdirectory
	Exports        []string
	Project        *describe.ProjectProfile // nil except at the root
	Structure      []StructureEntry         // empty except at the root
}

// A Subdirectory is an entry of the field subdirectories.
type Subdirectory struct{ Name, Summary string }

// A StructureEntry is an entry of the field structure.
type StructureEntry struct{ Path, Summary string }

// derivable are the fields of a Derived.
var derivable = []string{"summary", "files", "subdirectories", "exports", "project", "structure"}

// derivable returns the fields that directories like d's may contain.
func (d Derived) derivable() []string {
	if d.Project == nil && len(d.Structure) == 0 {
		return derivable[:4] // only the root has the others
	}
	return derivable
}

// fields returns the fields of d. Empty fields are Null, except for the summary.
func (d Derived) fields() map[string]yamlValue {
	fields := map[string]yamlValue{
		"summary":        newText(d.Summary),
		"files":          newList("files", d.Files, func(f describe.DescribedFile) []string { return []string{f.Name, f.Purpose, f.TestFile} }),
		"subdirectories": newList("subdirectories", d.Subdirectories, func(s Subdirectory) []string { return []string{s.Name, s.Summary} }),
		"exports":        newList("exports", d.Exports, func(name string) []string { return []string{name} }),
		"structure":      newList("structure", d.Structure, func(p StructureEntry) []string { return []string{p.Path, p.Summary} }),
	}
	if p := d.Project; p != nil {
		texts := []string{p.Name, p.Description, p.Language, p.Framework, p.PackageManager}
		fields["project"] = newValue(schema.find("project").shape, texts)
	}
	return fields
}

func newText(text string) yamlValue { return newValue(aText, []string{text}) }

// newList returns a field with an element for each entry. texts must return the
// texts of an entry in the schema's order.
func newList[E any](name string, entries []E, texts func(E) []string) (v yamlValue) {
	for _, entry := range entries {
		v.kind = yaml12.List
		v.elements = append(v.elements, newValue(schema.find(name).shape.element, texts(entry)))
	}
	return v
}

// newValue returns a text, or a Map with a text for each member. It leaves out
// optional members without a text.
func newValue(s *shape, texts []string) yamlValue {
	if s.kind == yaml12.Text {
		return yamlValue{kind: yaml12.Text, text: toText(texts[0])}
	}
	v := yamlValue{kind: yaml12.Map}
	for i, m := range s.members {
		if m.required || texts[i] != "" {
			v.members = append(v.members, yamlField{m.name, newText(texts[i])})
		}
	}
	return v
}

// with returns c with other values. A Null removes a field.
func (c *Context) with(values map[string]yamlValue) *Context {
	fields := maps.Clone(c.fields)
	maps.Copy(fields, values)
	return newContext(fields)
}

// refresh returns c with the values of d in its derived fields, except for those in keep.
func (c *Context) refresh(d Derived, keep []string) *Context {
	values := map[string]yamlValue{}
	for _, name := range c.derived() {
		if !slices.Contains(keep, name) {
			values[name] = d.fields()[name]
		}
	}
	return c.with(values)
}
