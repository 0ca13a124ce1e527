package contextfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/base/yaml12"
)

// A Claim is a text in a file that describes its directory.
type Claim struct {
	Field string // such as "files[2].name"
	Kind  string // the field without numbers, such as "files.name"
	Text  string
	Line  int // counted from 1
}

// Claims returns all texts of c, in the schema's order.
func (c *Context) Claims() (claims []Claim) {
	return yamlValue{members: c.choose(schema.names())}.claims(nil, "", "")
}

func (v yamlValue) claims(claims []Claim, path, kind string) []Claim {
	if v.kind == yaml12.Text {
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

// undescriptive are the fields that do not describe the directory.
var undescriptive = []string{"last_updated", "fingerprint", "scope", "maintenance", "derived_fields"}

// IsWhollyDerived reports whether a program wrote every description in c. In this
// case a program can also confirm it.
func (c *Context) IsWhollyDerived() bool {
	descriptive := slices.DeleteFunc(schema.names(), func(name string) bool {
		return slices.Contains(c.derived(), name) || slices.Contains(undescriptive, name)
	})
	return len(c.choose(descriptive)) == 0
}

// IsField reports whether the schema contains a field. The name of a nested field
// contains a dot: "dependencies.internal".
func IsField(name string) bool {
	at := schema
	for part := range strings.SplitSeq(name, ".") {
		if at.kind == yaml12.List {
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
