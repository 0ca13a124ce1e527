package contextfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mismatch reports that node is of another kind than its shape.
func (r *reader) mismatch(node *yaml.Node, s *shape, got kind, path string) {
	want := s.kind.String()
	if s.limit != nil {
		want = strings.TrimPrefix(s.limit.message, "want ")
	}
	r.add(node.Line, path, fmt.Sprintf("want %s, got %s", want, r.describe(node, got)), fixFor(s, got))
}

// describe names what node is, with its spelling if that is the point.
func (r *reader) describe(node *yaml.Node, k kind) string {
	if node.Kind != yaml.ScalarNode || node.Value == "" || k == nothing {
		return k.String()
	}
	return fmt.Sprintf("%s (%s)", k, show(r.value(node)))
}

func fixFor(s *shape, got kind) string {
	switch {
	case got == nothing:
		return "give it a value or remove it"
	case s.kind == words && got < words:
		return "put it in quotes"
	case s.kind == words:
		return "write one text, in quotes if it has a colon, brackets or braces"
	case s.kind == list && got == object:
		return "begin each entry with a hyphen and a space"
	case s.kind == list:
		return "write each entry on a line of its own after a hyphen and a space"
	case s.kind == object:
		return "write it as names and values: " + memberNames(s)
	}
	return "write a number without quotes"
}

func memberNames(s *shape) string {
	var names []string
	for _, m := range s.members {
		names = append(names, m.name)
	}
	return strings.Join(names, ", ")
}

func oneOfList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

var simpleName = regexp.MustCompile(`^[A-Za-z0-9_.:<!+-][A-Za-z0-9_.:<+/ -]{0,39}$`)

// show returns a text from a file as messages show it: on one line, and short.
func show(text string) string {
	if simpleName.MatchString(text) {
		return text
	}
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strconv.Quote(text)
}
