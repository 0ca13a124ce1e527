package contextfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// An edit replaces a part of a text.
type edit struct {
	start, end int // bytes
	text       string
	newLine    string // how to end the last line, to insert lines after it
}

// SetFingerprint returns text with another fingerprint and last_updated. It keeps
// every other byte, for example comments, order, quotes and line ends. A value
// without quotes gets no quotes unless it needs them to be text.
//
// If Parse refuses the text, SetFingerprint returns Parse's error. If a value is
// not on one line, the error says what to change by hand.
func SetFingerprint(text []byte, fingerprint, lastUpdated string) ([]byte, error) {
	t, before, err := read(text)
	if err != nil {
		return nil, err
	}
	want := before.with(map[string]yamlValue{"fingerprint": newText(fingerprint), "last_updated": newText(lastUpdated)})
	var edits []edit
	for _, name := range []string{"fingerprint", "last_updated"} {
		e, err := t.replaceScalar(name, want.fields[name].text)
		if err != nil {
			return nil, err
		}
		edits = append(edits, e)
	}
	return apply(text, edits, want)
}

// contentsMark is the comment after a fingerprint of contents. It is needed because
// the digits of a stale fingerprint do not show its form.
const contentsMark = "# of contents"

// MarkContents adds the comment "# of contents" after the fingerprint and changes
// no other byte. It returns text itself if the comment exists, or if something else
// follows the value on its line. If Parse refuses the text, it returns Parse's
// error.
func MarkContents(text []byte) ([]byte, error) {
	t, want, err := read(text)
	if err != nil {
		return nil, err
	}
	at, ok := t.place("fingerprint")
	if !ok || want.OfContents || at.behind != "" && at.behind[0] != '#' {
		return text, nil
	}
	end := t.offset(at.end)
	return apply(text, []edit{{start: end, end: end, text: " " + contentsMark}}, want)
}

// apply returns text with edits, which must not overlap. It checks that the result
// means want, because edits in one place cannot handle every anchor and tag.
func apply(text []byte, edits []edit, want *Context) ([]byte, error) {
	// Text must be inserted before what follows it is replaced.
	edits = slices.SortedStableFunc(slices.Values(edits), func(a, b edit) int {
		return cmp.Or(a.start-b.start, a.end-b.end)
	})
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, text[at:e.start]...)
		if e.start == len(text) && e.text != "" && out[len(out)-1] != '\n' {
			out = append(out, e.newLine...)
		}
		out = append(out, e.text...)
		at = e.end
	}
	out = append(out, text[at:]...)
	got, err := Parse(out)
	if err != nil {
		return nil, fmt.Errorf("the edited text would not be valid: %w", err)
	}
	if name := firstDifference(got, want); name != "" {
		return nil, fmt.Errorf("the edit would not leave %s as it is to be; remove anchors and aliases", name)
	}
	return out, nil
}

// firstDifference returns the first field whose values in a and b differ, or "".
func firstDifference(a, b *Context) string {
	for _, name := range schema.names() {
		if !a.fields[name].equal(b.fields[name]) {
			return name
		}
	}
	return ""
}

func (v yamlValue) equal(w yamlValue) bool {
	return v.kind == w.kind && v.text == w.text &&
		slices.EqualFunc(v.elements, w.elements, yamlValue.equal) &&
		slices.EqualFunc(v.members, w.members, yamlField.equal)
}

func (f yamlField) equal(g yamlField) bool { return f.name == g.name && f.yamlValue.equal(g.yamlValue) }

// replaceScalar returns the edit that gives a top-level field another text. It
// keeps the style of quotes.
func (t *yamlTree) replaceScalar(name, s string) (edit, error) {
	node := t.find(name)
	at, ok := t.place(name)
	if !ok {
		return edit{}, fmt.Errorf("line %d: %s: the value is not on one line; write it as %s: %s",
			node.Line, name, name, quoteDouble(s))
	}
	return edit{start: t.offset(at.start), end: t.offset(at.end), text: quoteLike(node, s)}, nil
}

// quoteLike writes s in the style of node, if possible.
func quoteLike(node *yaml.Node, s string) string {
	unquoted := node.Kind == yaml.ScalarNode && node.Style&yaml.DoubleQuotedStyle == 0
	switch {
	case node.Style&yaml.SingleQuotedStyle != 0:
		return quoteSingle(s)
	case unquoted && (isPlain(s) || isProse(s) && !strings.Contains(s, ",")):
		return s
	}
	return quoteDouble(s)
}

// A scalarPlace locates a scalar or alias on one line.
type scalarPlace struct {
	start, end int    // indexes in runes
	behind     string // rest of the line, trimmed
}

var (
	// properties are the anchor and the tag of a node.
	properties = lazy.Regexp(`^(?:[&!][^ \t\r\n]*[ \t\r\n]*)*`)

	// quoted is a quoted scalar on one line.
	quoted = lazy.Regexp(`^(?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*")`)
)

// place locates the value of a top-level field. It is false unless the value is on
// one line.
func (t *yamlTree) place(name string) (_ scalarPlace, ok bool) {
	node := t.find(name)
	if node.Line < 1 || node.Line > len(t.lines) || t.lines[node.Line-1]+node.Column-1 > len(t.runes) {
		return scalarPlace{}, false
	}
	start := t.lines[node.Line-1] + node.Column - 1
	rest := string(t.runes[start:])
	before := properties().FindString(rest)
	start += utf8.RuneCountInString(before)
	line, _, _ := strings.Cut(rest[len(before):], "\n")
	line = t.unmasked(line, false)
	value := node.Value
	switch {
	case node.Kind == yaml.AliasNode:
		value = "*" + value
	case node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		value = ""
	case node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		value = quoted().FindString(line)
	}
	behind, begins := strings.CutPrefix(line, value)
	if value == "" || !begins { // a tag alone is an empty text, but has no place
		return scalarPlace{}, false
	}
	return scalarPlace{start, start + utf8.RuneCountInString(value), strings.Trim(behind, " \t\r")}, true
}
