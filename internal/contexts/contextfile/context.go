// Package contextfile reads, checks, prints and edits the text of a .context.yaml,
// which describes a directory.
//
// The text must be YAML 1.2 with its core schema: for example, 2026-01-01, yes and
// 12:34:56 are text, but 12345678 is a number. Invalid text is refused with all its
// problems; each names its line and field, and says how to fix it.
//
//	Parse           text → Context → JSON
//	SetFingerprint  text → text with two other values
//	MarkContents    text → text with a comment on the form of fingerprint
//	SetDerived      text → text with new values in derived fields
//	RecordDerived   text → text with a comment on the values in these fields
//	New             values → text
//
// The editors change no other byte, and read their own result before they return
// it. The package reads no file and no clock, and can be used concurrently.
package contextfile

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/base/yaml12"
)

const (
	// Name is the name of the file in each directory.
	Name = ".context.yaml"

	// ConfigName is the file at the root that decides which directories count.
	ConfigName = ".context.config.yaml"

	// MaxSize bounds the bytes of either file.
	MaxSize = yaml12.MaxSize
)

// A Context is the content of a valid .context.yaml. It is immutable.
type Context struct {
	Head
	DerivedFields []string // filled in by a program
	OfContents    bool     // the fingerprint is marked as covering contents

	fields   map[string]yamlValue // all except the version
	recorded []string             // entries of the comment that RecordDerived writes
}

// A Head is the part of a context shown in lists.
type Head struct {
	LastUpdated string
	Fingerprint string
	Scope       string
	Summary     string
}

// Parse reads the text of a .context.yaml. Its error is an *InvalidError, or an
// *UnsupportedError if the text is YAML for a later version of the schema.
func Parse(text []byte) (*Context, error) {
	_, c, err := read(text)
	return c, err
}

func read(text []byte) (*yamlTree, *Context, error) {
	t, err := parseTree(text)
	if err != nil {
		return nil, nil, err
	}
	if t.top == nil || yaml12.Follow(t.top).Kind != yaml.MappingNode {
		return nil, nil, newProblem(1, "expected fields and their values", "write the fields as name: value")
	}
	if err := t.checkVersion(); err != nil {
		return nil, nil, err
	}
	r := newReader(t)
	v := r.read(t.top, schema, "")
	if problems := r.finish(); len(problems) > 0 {
		return nil, nil, &InvalidError{problems}
	}
	fields := map[string]yamlValue{}
	for _, m := range v.members[1:] {
		fields[m.name] = m.yamlValue
	}
	c := newContext(fields)
	at, hasPlace := t.place("fingerprint")
	c.OfContents = hasPlace && strings.HasPrefix(at.behind, contentsMark)
	c.recorded = t.records()
	return t, c, nil
}

// checkVersion fails for a number above 1. The schema refuses other versions.
func (t *yamlTree) checkVersion() error {
	node := t.find("version")
	if node == nil {
		return nil
	}
	node = yaml12.Follow(node)
	if kind, _ := yaml12.KindOf(node); kind != yaml12.Int && kind != yaml12.Float {
		return nil
	}
	if n := yaml12.Number(node.Value); n > 1 {
		return &UnsupportedError{Version: formatNumber(n), Line: node.Line}
	}
	return nil
}

// find returns the value of a top-level field, or nil.
func (t *yamlTree) find(name string) *yaml.Node {
	for i := 0; i+1 < len(t.top.Content); i += 2 {
		key := yaml12.Follow(t.top.Content[i])
		if kind, _ := yaml12.KindOf(key); kind == yaml12.Text && key.Value == name {
			return t.top.Content[i+1]
		}
	}
	return nil
}

func newContext(fields map[string]yamlValue) *Context {
	head := Head{fields["last_updated"].text, fields["fingerprint"].text, fields["scope"].text, fields["summary"].text}
	return &Context{Head: head, DerivedFields: fields["derived_fields"].texts(), fields: fields}
}

func (v yamlValue) texts() (texts []string) {
	for _, element := range v.elements {
		texts = append(texts, element.text)
	}
	return texts
}

// choose returns the fields of some names that exist, each once.
func (c *Context) choose(names []string) (chosen []yamlField) {
	for _, name := range names {
		taken := slices.ContainsFunc(chosen, func(f yamlField) bool { return f.name == name })
		if v := c.fields[name]; v.kind != yaml12.Null && !taken {
			chosen = append(chosen, yamlField{name, v})
		}
	}
	return chosen
}

// metadata are the fields of every answer, in order.
var metadata = []string{"scope", "fingerprint", "last_updated"}

// Encode writes c as a JSON object. If the filter is empty, the object contains
// every field in the schema's order. Otherwise it contains version, scope,
// fingerprint and last_updated, followed by the fields named in the filter, if c
// has them: in the filter's order, each once.
func (c *Context) Encode(e *wire.Encoder, filter []string) {
	names := slices.Concat(metadata, filter)
	if len(filter) == 0 {
		names = schema.names()
	}
	e.BeginObject()
	e.Key("version")
	e.Int(1)
	for _, f := range c.choose(names) {
		e.Key(f.name)
		f.encode(e)
	}
	e.EndObject()
}

func (v yamlValue) encode(e *wire.Encoder) {
	switch v.kind {
	case yaml12.Text:
		e.String(v.text)
	case yaml12.List:
		e.BeginArray()
		for _, element := range v.elements {
			element.encode(e)
		}
		e.EndArray()
	case yaml12.Map:
		e.BeginObject()
		for _, f := range v.members {
			e.Key(f.name)
			f.encode(e)
		}
		e.EndObject()
	default:
		e.Literal(v.text)
	}
}
