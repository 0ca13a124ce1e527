package contextfile

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/lazy"
	"github.com/contextcompiler/context/internal/yaml12"
)

// A Problem is one error in a file, with its remedy.
type Problem struct {
	Line    int    // counted from 1; 0 if unknown
	Field   string // such as "files[2].purpose"; "" for the file as a whole
	Message string
	Fix     string // advice for a person; may be ""
}

// String returns the problem on one line, without the unknown parts.
func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", p.Line)
	}
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(p.Message)
	if p.Fix != "" {
		b.WriteString("; " + p.Fix)
	}
	return b.String()
}

// An InvalidError says why a text is not a valid .context.yaml.
type InvalidError struct {
	Problems []Problem // at least one, sorted by line
}

// Error names the first problem.
func (e *InvalidError) Error() string { return e.Problems[0].String() }

// An UnsupportedError says that a file follows a later version of the schema.
type UnsupportedError struct {
	Version string // as JavaScript prints the number: 2, 1.5, Infinity
	Line    int    // of the version
}

// Error returns the contract's sentence: clients get it word for word.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("Unsupported schema version %s (this tool supports version 1). "+
		"Upgrade dotcontext to read this file.", e.Version)
}

// invalid returns an InvalidError with one problem.
func invalid(line int, field, message, fix string) *InvalidError {
	return &InvalidError{[]Problem{{line, field, message, fix}}}
}

// mismatch reports that node is not of the kind of its shape.
func (r *reader) mismatch(node *yaml.Node, s *shape, got yaml12.Kind, path string) {
	want, found := s.kind.String(), got.String()
	if s.limit != nil {
		want = strings.TrimPrefix(s.limit.message, "want ")
	}
	if node.Kind == yaml.ScalarNode && node.Value != "" && got != yaml12.Null {
		found += " (" + show(r.value(node)) + ")"
	}
	r.add(node.Line, path, "want "+want+", got "+found, fixFor(s, got))
}

func fixFor(s *shape, got yaml12.Kind) string {
	switch {
	case got == yaml12.Null:
		return "give it a value or remove it"
	case s.kind == yaml12.Text && got < yaml12.Text:
		return "put it in quotes"
	case s.kind == yaml12.Text:
		return "write one text, in quotes if it has a colon, brackets or braces"
	case s.kind == yaml12.List && got == yaml12.Map:
		return "begin each entry with a hyphen and a space"
	case s.kind == yaml12.List:
		return "write each entry on a line of its own after a hyphen and a space"
	case s.kind == yaml12.Map:
		var names []string
		for _, m := range s.members {
			names = append(names, m.name)
		}
		return "write it as names and values: " + strings.Join(names, ", ")
	}
	return "write a number without quotes"
}

func oneOfList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

var simpleName = lazy.Regexp(`^[A-Za-z0-9_.:<!+-][A-Za-z0-9_.:<+/ -]{0,39}$`)

// show returns a text from a file for a message: on one line, and short.
func show(text string) string {
	if simpleName().MatchString(text) {
		return text
	}
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strconv.Quote(text)
}
