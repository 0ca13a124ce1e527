package contextfile

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/yaml12"
)

// An InvalidError says why a text is not a valid .context.yaml.
type InvalidError struct {
	Problems []yaml12.Problem // at least one, sorted by line
}

// Error names the first problem.
func (e *InvalidError) Error() string { return e.Problems[0].String() }

// An UnsupportedError means that a file follows a later version of the schema.
type UnsupportedError struct {
	Version string // the number as JavaScript prints it: 2, 1.5, Infinity
	Line    int    // of the version
}

// Error returns the contract's sentence. Clients get it word for word.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("Unsupported schema version %s (this tool supports version 1). "+
		"Upgrade dotcontext to read this file.", e.Version)
}

func invalid(err error) *InvalidError {
	return &InvalidError{[]yaml12.Problem{*err.(*yaml12.Problem)}}
}

func newProblem(line int, message, fix string) *InvalidError {
	return invalid(&yaml12.Problem{Line: line, Message: message, Fix: fix})
}

func (r *schemaReader) mismatch(node *yaml.Node, s *shape, path string) {
	want := ""
	if s.limit != nil {
		want = s.limit.want
	}
	p := yaml12.Mismatch(node, s.kind, want)
	if got, _ := yaml12.KindOf(node); s.kind == yaml12.Map && got != yaml12.Null {
		p.Fix = "write it as names and values: " + strings.Join(s.names(), ", ")
	}
	p.Field = path
	r.add(p)
}

func oneOfList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
