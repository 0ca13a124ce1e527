package contextfile

import (
	"slices"

	"github.com/contextcompiler/context/internal/wire"
)

// metadata are the fields that an answer gives whatever the filter, in order.
var metadata = []string{"scope", "fingerprint", "last_updated"}

// Encode writes c as a JSON object. With an empty filter the object has every field
// in the schema's order. Otherwise it has version, scope, fingerprint and
// last_updated, then the fields of the filter that c has in the filter's order,
// each once.
func (c *Context) Encode(e *wire.Encoder, filter []string) {
	e.BeginObject()
	e.Key("version")
	e.Int(1)
	for _, f := range c.choose(filter) {
		e.Key(f.name)
		f.encode(e)
	}
	e.EndObject()
}

func (c *Context) choose(filter []string) []field {
	if len(filter) == 0 {
		return c.fields
	}
	var chosen []field
	taken := map[string]bool{}
	for _, name := range slices.Concat(metadata, filter) {
		if v := c.find(name); v.kind != nothing && !taken[name] {
			chosen = append(chosen, field{name, v})
			taken[name] = true
		}
	}
	return chosen
}

func (v value) encode(e *wire.Encoder) {
	switch v.kind {
	case words:
		e.String(v.text)
	case list:
		e.BeginArray()
		for _, element := range v.elements {
			element.encode(e)
		}
		e.EndArray()
	case object:
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
