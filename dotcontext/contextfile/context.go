// Package contextfile reads, checks, prints and edits the text of a
// .context.yaml, which says what a directory is for.
//
// A text is YAML 1.2 with its core schema, whatever the library underneath
// holds of it: 2026-01-01, yes and 12:34:56 are text, 12345678 is a number.
// What is not valid is refused with all its problems, each of which names its
// line, its field, and what to do about it.
//
//	Parse           text → Context → JSON
//	SetFingerprint  text → text with two other values
//	MarkContents    text → text with a comment on the form of fingerprint
//	SetDerived      text → text with the fields that a program wrote refreshed
//	New             values → text
//
// The editors change what they are asked to and no other byte, and read their
// own result before they return it. Nothing here reads a file or a clock, and
// all is safe for concurrent use.
package contextfile

import (
	"go.yaml.in/yaml/v3"
)

const (
	// Name is what the file is called in each directory.
	Name = ".context.yaml"

	// ConfigName is the file at the root that says which directories count.
	ConfigName = ".context.config.yaml"

	// MaxSize is how many bytes either file may have.
	MaxSize = 1 << 20
)

// A Context is what a valid .context.yaml says. It is not to be changed.
type Context struct {
	Head
	DerivedFields []string // the fields that a program wrote, by its own account
	OfContents    bool     // a comment says that the fingerprint is one of contents

	fields []field // all but the version, in the schema's order
}

// A Head is the part of a context that a list of them shows.
type Head struct {
	LastUpdated string
	Fingerprint string
	Scope       string
	Summary     string
}

// Parse reads the text of a .context.yaml. Its error is an *InvalidError, or an
// *UnsupportedError if the text is YAML and says that it follows a later version
// of the schema.
func Parse(text []byte) (*Context, error) {
	t, err := parseTree(text)
	if err != nil {
		return nil, err
	}
	return readContext(t)
}

func readContext(t *tree) (*Context, error) {
	if t.top == nil || follow(t.top).Kind != yaml.MappingNode {
		return nil, invalid(1, "", "want fields and their values", "write the fields as name: value")
	}
	r := newReader(t)
	if err := r.readVersion(); err != nil {
		return nil, err
	}
	v := r.read(t.top, schema, "")
	if problems := r.finish(); len(problems) > 0 {
		return nil, &InvalidError{problems}
	}
	c := newContext(v.members[1:])
	c.OfContents = t.isMarked()
	return c, nil
}

// readVersion reports a version other than 1. Only a number above it is an
// error; what else is wrong is a problem like others.
func (r *reader) readVersion() error {
	key, node := r.find("version")
	if key == nil {
		return nil // missing, as read will find
	}
	node = follow(node)
	k, _ := kindOf(node)
	if k != integer && k != float {
		return nil
	}
	if n := parseNumber(node.Value); n > 1 {
		return &UnsupportedError{Version: formatNumber(n), Line: node.Line}
	}
	return nil
}

// find returns a top-level field's key and value, or nil.
func (t *tree) find(name string) (key, node *yaml.Node) {
	for i := 0; i+1 < len(t.top.Content); i += 2 {
		key := follow(t.top.Content[i])
		if k, _ := kindOf(key); k == words && key.Value == name {
			return t.top.Content[i], t.top.Content[i+1]
		}
	}
	return nil, nil
}

func newContext(fields []field) *Context {
	c := &Context{fields: fields}
	c.LastUpdated = c.find("last_updated").text
	c.Fingerprint = c.find("fingerprint").text
	c.Scope = c.find("scope").text
	c.Summary = c.find("summary").text
	for _, name := range c.find("derived_fields").elements {
		c.DerivedFields = append(c.DerivedFields, name.text)
	}
	return c
}

// find returns the value of a field. Its kind is nothing if c has no such field.
func (c *Context) find(name string) value {
	for _, f := range c.fields {
		if f.name == name {
			return f.value
		}
	}
	return value{}
}

// Has reports whether the file gives a field. The version it always gives.
func (c *Context) Has(field string) bool {
	return field == "version" || c.find(field).kind != nothing
}
