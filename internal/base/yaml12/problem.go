package yaml12

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/words"
)

// A Problem is an error in a text, with advice on how to fix it.
type Problem struct {
	Line    int    // counted from 1; 0 if unknown
	Field   string // such as "files[2].purpose"; "" for the text as a whole
	Message string
	Fix     string // may be ""
}

// Error returns the problem on one line, without the parts that are unknown.
func (p *Problem) Error() string {
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

// String returns what Error does.
func (p Problem) String() string { return p.Error() }

// Mismatch describes a node that is not of the expected kind. want describes a
// value more exactly than its kind does, unless it is "".
func Mismatch(node *yaml.Node, kind Kind, want string) Problem {
	want = cmp.Or(want, kind.String())
	node = Follow(node)
	got, _ := KindOf(node)
	found := got.String()
	if node.Kind == yaml.ScalarNode && node.Value != "" && got != Null {
		found += " (" + Excerpt(node.Value) + ")"
	}
	p := Problem{Line: node.Line, Message: "expected " + want + ", got " + found}
	switch {
	case got == Null && kind == Map:
		p.Fix = "indent its keys below it"
	case got == Null:
		p.Fix = "give it a value or remove it"
	case kind == Text && got < Text:
		p.Fix = "put it in quotes"
	case kind == Text:
		p.Fix = "write one text, in quotes if it contains a colon, brackets or braces"
	case kind == List:
		p.Fix = "begin each entry with a hyphen and a space"
	case kind == Map:
		p.Fix = "write keys and values"
	case got == Text:
		p.Fix = "write " + want + " without quotes"
	default:
		p.Fix = "write " + want
	}
	return p
}

// UnknownKey describes a key of a mapping that is not among the known ones. It
// advises the nearest of these or, if none is near, what otherwise says.
func UnknownKey(key *yaml.Node, known []string, otherwise string) Problem {
	if near := words.Nearest(Follow(key).Value, known); near != nil {
		otherwise = "did you mean " + near[0] + "?"
	}
	return Problem{Line: key.Line, Field: Excerpt(Follow(key).Value), Message: "unknown key", Fix: otherwise}
}

var simpleName = lazy.Regexp(`^[A-Za-z0-9_.:<!+-][A-Za-z0-9_.:<+/ -]{0,39}$`)

// Excerpt returns a text for a message: on one line, and short.
func Excerpt(text string) string {
	if simpleName().MatchString(text) {
		return text
	}
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strconv.Quote(text)
}
