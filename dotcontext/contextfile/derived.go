package contextfile

import "slices"

// Derived has the fields that a program can fill without asking a person.
type Derived struct {
	Summary        string
	Files          []File
	Subdirectories []Subdirectory
	Exports        []string
	Project        *Project // nil but at the root
	Structure      []Place  // empty but at the root
}

// A File is an entry of the field files. TestFile may be "", for none.
type File struct{ Name, Purpose, TestFile string }

// A Subdirectory is an entry of the field subdirectories.
type Subdirectory struct{ Name, Summary string }

// A Place is an entry of the field structure.
type Place struct{ Path, Summary string }

// A Project is the field project. Framework and PackageManager may be "", for
// none.
type Project struct{ Name, Description, Language, Framework, PackageManager string }

// derivable are the fields that a Derived has values for.
var derivable = []string{"summary", "files", "subdirectories", "exports", "project", "structure"}

// derivable returns the fields that directories like d's may have.
func (d Derived) derivable() []string {
	if d.Project == nil && len(d.Structure) == 0 {
		return derivable[:4] // the others are the root's
	}
	return derivable
}

// fields returns what d has, in the schema's order. A summary it always has.
func (d Derived) fields() []field {
	fields := []field{textField("summary", d.Summary)}
	if len(d.Files) > 0 {
		fields = append(fields, field{"files", fileList(d.Files)})
	}
	if len(d.Subdirectories) > 0 {
		fields = append(fields, field{"subdirectories", subdirectoryList(d.Subdirectories)})
	}
	if len(d.Exports) > 0 {
		fields = append(fields, field{"exports", textListOf(d.Exports)})
	}
	if d.Project != nil {
		fields = append(fields, field{"project", d.Project.value()})
	}
	if len(d.Structure) > 0 {
		fields = append(fields, field{"structure", placeList(d.Structure)})
	}
	return fields
}

func fileList(entries []File) value {
	v := value{kind: list}
	for _, e := range entries {
		file := value{kind: object, members: []field{textField("name", e.Name), textField("purpose", e.Purpose)}}
		if e.TestFile != "" {
			file.members = append(file.members, textField("test_file", e.TestFile))
		}
		v.elements = append(v.elements, file)
	}
	return v
}

func textListOf(entries []string) value {
	v := value{kind: list}
	for _, e := range entries {
		v.elements = append(v.elements, textValue(e))
	}
	return v
}

func subdirectoryList(entries []Subdirectory) value {
	v := value{kind: list}
	for _, e := range entries {
		v.elements = append(v.elements, pair("name", e.Name, e.Summary))
	}
	return v
}

func placeList(entries []Place) value {
	v := value{kind: list}
	for _, e := range entries {
		v.elements = append(v.elements, pair("path", e.Path, e.Summary))
	}
	return v
}

func pair(key, name, summary string) value {
	return value{kind: object, members: []field{textField(key, name), textField("summary", summary)}}
}

func (p *Project) value() value {
	v := value{kind: object, members: []field{
		textField("name", p.Name), textField("description", p.Description), textField("language", p.Language),
	}}
	if p.Framework != "" {
		v.members = append(v.members, textField("framework", p.Framework))
	}
	if p.PackageManager != "" {
		v.members = append(v.members, textField("package_manager", p.PackageManager))
	}
	return v
}

func textField(name, s string) field { return field{name, textValue(s)} }

func textValue(s string) value { return value{kind: words, text: toText(s)} }

// refresh returns c with the values of d for the fields that c says are
// derived.
func (c *Context) refresh(d Derived) *Context {
	derived := newContext(d.fields())
	var fields []field
	for _, m := range schema.members {
		from := c
		if c.isDerived(m.name) {
			from = derived
		}
		if v := from.find(m.name); v.kind != nothing {
			fields = append(fields, field{m.name, v})
		}
	}
	return newContext(fields)
}

func (c *Context) isDerived(name string) bool {
	return slices.Contains(derivable, name) && slices.Contains(c.DerivedFields, name)
}
