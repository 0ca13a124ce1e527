package contextfile

import (
	"slices"
	"strconv"
	"strings"
)

// A Claim is a text that a file says of its directory.
type Claim struct {
	Field string // such as "files[2].name"
	Kind  string // the same without numbers, "files.name"
	Text  string
	Line  int // counted from 1
}

// Claims returns all that c says in words, in the schema's order.
func (c *Context) Claims() (claims []Claim) {
	for _, f := range c.fields {
		claims = f.claims(claims, f.name, f.name)
	}
	return claims
}

func (v value) claims(claims []Claim, path, kind string) []Claim {
	if v.kind == words {
		return append(claims, Claim{path, kind, v.text, v.line})
	}
	for i, element := range v.elements {
		claims = element.claims(claims, path+"["+strconv.Itoa(i)+"]", kind)
	}
	for _, m := range v.members {
		claims = m.claims(claims, join(path, m.name), join(kind, m.name))
	}
	return claims
}

// undescriptive are the fields that say nothing of what the directory holds.
var undescriptive = []string{"last_updated", "fingerprint", "scope", "maintenance", "derived_fields"}

// IsWhollyDerived reports whether a program wrote all that c says of its
// directory, so that a program can say that it is right.
func (c *Context) IsWhollyDerived() bool {
	return !slices.ContainsFunc(c.fields, func(f field) bool {
		ours := slices.Contains(derivable, f.name) && slices.Contains(c.DerivedFields, f.name)
		return !ours && !slices.Contains(undescriptive, f.name)
	})
}

// IsField reports whether the schema has a field of that name, which has a dot
// before the name of a nested field: "dependencies.internal".
func IsField(name string) bool {
	at := schema
	for part := range strings.SplitSeq(name, ".") {
		if at.kind == list {
			at = at.element
		}
		m := at.find(part)
		if m == nil {
			return false
		}
		at = m.shape
	}
	return true
}
