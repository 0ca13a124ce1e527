package contextfile

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/yaml12"
)

// A yamlTree is a text together with its only YAML document.
type yamlTree struct {
	*maskedText
	top *yaml.Node // nil if the document is empty
}

// parseTree reads a file by the rules of YAML 1.2, but without the schema. Its
// error is an *InvalidError.
func parseTree(original []byte) (*yamlTree, error) {
	t, err := readText(original)
	if err != nil {
		return nil, err
	}
	if err := t.blankDirectives(); err != nil {
		return nil, err
	}
	top, err := yaml12.Parse(string(t.runes))
	if err != nil {
		return nil, invalid(err)
	}
	parsed := &yamlTree{maskedText: t, top: top}
	if top == nil {
		return parsed, nil
	}
	t.unmaskValues(top)
	if err := yaml12.Check(top); err != nil {
		return nil, invalid(err)
	}
	return parsed, parsed.checkLayout(top, site{indent: -1, limit: len(t.lines)})
}

// blankDirectives turns the directives before the document into comments, because
// the library expects %YAML to name version 1.1. It leaves %TAG to the library.
func (t *maskedText) blankDirectives() error {
	first := 0
	for i, start := range t.lines {
		line := t.line(i)
		if isBlankOrComment(strings.TrimSpace(line)) {
			continue
		}
		if line[0] != '%' {
			if first > 0 && !isMarker(line, "---") {
				return newProblem(first, "a directive without a document", "write a line of three hyphens after it")
			}
			return nil
		}
		if strings.HasPrefix(line, "%YAML") && !isVersion12().MatchString(line) {
			return newProblem(i+1, "the file says that it is not YAML 1.2", "remove that line")
		}
		if !strings.HasPrefix(line, "%TAG ") {
			t.runes[start] = '#'
		}
		first = i + 1
	}
	return nil
}

var isVersion12 = lazy.Regexp(`^%YAML[ \t]+1\.2(?:[ \t]|$)`)

func isBlankOrComment(line string) bool {
	line = strings.TrimLeft(line, " ")
	return strings.TrimSpace(line) == "" || line[0] == '#'
}

func isMarker(line, marker string) bool {
	rest, ok := strings.CutPrefix(line, marker)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// A site describes where a node is in the file.
type site struct {
	indent int  // column of the enclosing block, from 0; -1 at the top
	flow   bool // within brackets or braces
	limit  int  // line of the next node, from 0, or the number of lines
}

// checkLayout refuses lines of a quoted scalar, brackets or braces unless they are
// indented more than the enclosing block, since YAML requires this and the library
// does not check it. A closing bracket alone may be indented like the block,
// because most readers accept it.
func (t *yamlTree) checkLayout(node *yaml.Node, at site) error {
	if err := t.checkContinued(node, at); err != nil {
		return err
	}
	for i, child := range node.Content {
		inner := site{t.indentOf(node), at.flow || node.Style&yaml.FlowStyle != 0, at.limit}
		if i+1 < len(node.Content) {
			inner.limit = node.Content[i+1].Line - 1
		}
		if err := t.checkLayout(child, inner); err != nil {
			return err
		}
	}
	return nil
}

func (t *yamlTree) checkContinued(node *yaml.Node, at site) error {
	if at.flow || at.indent < 0 || node.Style&(yaml.FlowStyle|yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 {
		return nil
	}
	last := at.limit - 1
	for last >= node.Line && t.isOutside(last) {
		last--
	}
	for line := node.Line; line <= last; line++ {
		least := at.indent + 1
		if line == last && isClosing(t.line(line)) {
			least = at.indent
		}
		if !isBlankOrComment(t.line(line)) && indentation(t.line(line)) < least {
			return newProblem(line+1, "a continued line that is not indented", "indent it with spaces")
		}
	}
	return nil
}

// isOutside reports whether a line can stand between two nodes: it is blank, or
// only contains an indicator of the next node.
func (t *yamlTree) isOutside(line int) bool {
	s := t.line(line)
	return isMarker(s, "...") || isBlankOrComment(strings.TrimLeft(s, " \t-?:"))
}

// isClosing reports whether a line only contains a closing bracket.
func isClosing(line string) bool {
	line = strings.TrimLeft(line, " ")
	return strings.ContainsAny(line[:1], "]}") && isBlankOrComment(strings.TrimSpace(line[1:]))
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// indentOf returns the column, from 0, of the entries of a collection. For a
// collection with an anchor or a tag, the library returns the position of these,
// but the block begins on the next line.
func (t *yamlTree) indentOf(node *yaml.Node) int {
	named := node.Anchor != "" || node.Style&yaml.TaggedStyle != 0
	if !named || node.Style&yaml.FlowStyle != 0 || len(node.Content) == 0 {
		return node.Column - 1
	}
	return indentation(t.line(node.Content[0].Line - 1))
}
