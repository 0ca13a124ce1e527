package contextfile

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// SetFingerprint returns text with another fingerprint and last_updated, and
// every other byte as it was: comments, order, quotes, line ends. A value that
// stood without quotes stays so if it still reads as text.
//
// Text that Parse refuses gets Parse's error. A value that cannot be replaced
// where it stands, such as one spread over lines, is an error that says what to
// change by hand.
func SetFingerprint(text []byte, fingerprint, lastUpdated string) ([]byte, error) {
	t, err := parseTree(text)
	if err != nil {
		return nil, err
	}
	before, err := readContext(t)
	if err != nil {
		return nil, err
	}
	want := before.with("fingerprint", fingerprint).with("last_updated", lastUpdated)
	var edits []edit
	for _, name := range []string{"fingerprint", "last_updated"} {
		e, err := t.replaceScalar(name, want.find(name).text)
		if err != nil {
			return nil, err
		}
		edits = append(edits, e)
	}
	after := apply(text, edits)
	if err := verify(after, want); err != nil {
		return nil, err
	}
	if err := verifyLines(text, after, edits); err != nil {
		return nil, err
	}
	return after, nil
}

// with returns c with another text as a field, which it must have.
func (c *Context) with(name, text string) *Context {
	fields := slices.Clone(c.fields)
	for i, f := range fields {
		if f.name == name {
			fields[i].value = value{kind: words, text: toText(text)}
		}
	}
	return newContext(fields)
}

// replaceScalar returns the edit that makes a top-level field say s, in quotes
// like those it has.
func (t *tree) replaceScalar(name, s string) (edit, error) {
	_, node := t.find(name)
	index, err := t.index(node.Line, node.Column)
	if err != nil {
		return edit{}, err
	}
	index = t.afterProperties(index)
	length, ok := t.tokenLength(node, index)
	if !ok {
		return edit{}, fmt.Errorf("line %d: %s: the value is not on one line; write it as %s: %s",
			node.Line, name, name, quoteDouble(s))
	}
	start := t.offset(index)
	return edit{start, t.offset(index + length), quoteLike(node, s)}, nil
}

// tokenLength returns how many runes the scalar or alias at index takes. It is
// false if these are not all on one line.
func (t *tree) tokenLength(node *yaml.Node, index int) (int, bool) {
	token := node.Value
	switch {
	case node.Kind == yaml.AliasNode:
		token = "*" + token
	case node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return 0, false
	case node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		end := t.quotedEnd(index)
		return end - index, !slices.Contains(t.runes[index:end], '\n')
	}
	// A tag alone is an empty text that stands nowhere.
	return len([]rune(token)), token != "" && t.hasAt(index, token)
}

// quoteLike writes s in the style of node, if that style can hold it.
func quoteLike(node *yaml.Node, s string) string {
	switch {
	case node.Style&yaml.SingleQuotedStyle != 0:
		return quoteSingle(s)
	case node.Kind == yaml.ScalarNode && node.Style&yaml.DoubleQuotedStyle == 0 && (isToken(s) || isProse(s) && !strings.Contains(s, ",")):
		return s
	}
	return quoteDouble(s)
}
