package contextfile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/lazy"
	"github.com/contextcompiler/context/internal/yaml12"
)

// A tree is a text with the one YAML document that it holds.
type tree struct {
	*text
	top *yaml.Node // nil if the document is empty
}

// parseTree reads a file by the rules of YAML 1.2, without the schema. Its error is
// an *InvalidError.
func parseTree(original []byte) (*tree, error) {
	t, err := readText(original)
	if err != nil {
		return nil, err
	}
	if err := t.blankDirectives(); err != nil {
		return nil, err
	}
	top, err := parseYAML(string(t.runes))
	if err != nil {
		return nil, t.libraryProblem(err)
	}
	parsed := &tree{text: t, top: top}
	return parsed, parsed.check()
}

// parseYAML returns the root of the only document of masked text.
func parseYAML(masked string) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(strings.NewReader(masked))
	document, err := yaml12.Next(decoder)
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	second, err := yaml12.Next(decoder)
	if err == nil {
		return nil, invalid(second.Line, "", "a second document begins here", "keep only one")
	}
	if err != io.EOF {
		return nil, err
	}
	return document.Content[0], nil
}

// blankDirectives turns the directives before the document into comments: the
// library takes %YAML for version 1.1. %TAG is left to the library.
func (t *text) blankDirectives() error {
	first := 0
	for i, start := range t.lines {
		line := t.line(i)
		if isBlankOrComment(strings.TrimSpace(line)) {
			continue
		}
		if line[0] != '%' {
			if first > 0 && !isMarker(line, "---") {
				return invalid(first, "", "a directive without a document", "write a line of three hyphens after it")
			}
			return nil
		}
		if strings.HasPrefix(line, "%YAML") && !isVersion12().MatchString(line) {
			return invalid(i+1, "", "the file says that it is not YAML 1.2", "remove that line")
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

// isMarker reports whether a line begins or ends a document.
func isMarker(line, marker string) bool {
	rest, ok := strings.CutPrefix(line, marker)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// errorLine is the beginning of the library's errors. The line is missing for
// errors in line 1.
var errorLine = lazy.Regexp(`^yaml: (?:line ([0-9]+): )?`)

// parserMessages are the library's messages that count lines from 0.
var parserMessages = []string{
	"did not find expected <document start>", "did not find expected node content",
	"did not find expected '-' indicator", "did not find expected key",
	"did not find expected ',' or ']'", "did not find expected ',' or '}'",
	"found undefined tag handle", "found duplicate %TAG directive",
}

const beginsLikeAlias = "put text that begins with * or & in quotes"

// libraryProblem returns an error of the library as an *InvalidError.
func (t *text) libraryProblem(err error) error {
	if invalid, ok := errors.AsType[*InvalidError](err); ok {
		return invalid
	}
	match := errorLine().FindStringSubmatch(err.Error())
	message := err.Error()[len(match[0]):]
	line, _ := strconv.Atoi(match[1])
	if slices.Contains(parserMessages, message) {
		line++
	}
	fix := "correct the indentation or the quotes near this line"
	if anchor, ok := strings.CutPrefix(message, "unknown anchor '"); ok {
		line = t.lineWith("*" + strings.TrimSuffix(anchor, "' referenced"))
		fix = beginsLikeAlias
	}
	if message == "did not find expected alphabetic or numeric character" {
		fix = beginsLikeAlias
	}
	line = max(1, line)
	if line <= len(t.lines) && strings.HasPrefix(strings.TrimLeft(t.line(line-1), " "), "\t") {
		fix = "indent with spaces, not tabs"
	}
	return invalid(line, "", "not YAML: "+message, fix)
}

// lineWith returns the first line that has s, counted from 1.
func (t *text) lineWith(s string) int {
	before, _, _ := strings.Cut(string(t.runes), s)
	return 1 + strings.Count(before, "\n")
}

// maxDepth bounds the nesting of lists and mappings. The schema needs three
// levels.
const maxDepth = 100

// A site is the place of a node in the file.
type site struct {
	depth  int
	indent int  // column of the enclosing block, from 0; -1 at the top
	flow   bool // within brackets or braces
	limit  int  // line of the next node, from 0; the number of lines if there is none
}

// check applies the rules of YAML that the library does not: nesting, tags,
// repeated keys, and the indentation of continued lines. It follows no alias, so
// it meets each node once.
func (t *tree) check() error {
	if t.top == nil {
		return nil
	}
	return t.checkNode(t.top, site{indent: -1, limit: len(t.lines)})
}

func (t *tree) checkNode(node *yaml.Node, at site) error {
	if at.depth > maxDepth {
		return invalid(node.Line, "", fmt.Sprintf("nesting of more than %d levels", maxDepth), "make it flat")
	}
	if node.Kind == yaml.AliasNode {
		return nil
	}
	if _, ok := yaml12.KindOf(node); !ok {
		return invalid(node.Line, "", "the tag "+show(node.Tag)+" does not fit the value", "remove the tag")
	}
	if err := t.checkLayout(node, at); err != nil {
		return err
	}
	if node.Kind == yaml.MappingNode {
		if err := t.checkKeys(node); err != nil {
			return err
		}
	}
	for i, child := range node.Content {
		inner := site{at.depth + 1, t.indentOf(node), at.flow || node.Style&yaml.FlowStyle != 0, at.limit}
		if i+1 < len(node.Content) {
			inner.limit = node.Content[i+1].Line - 1
		}
		if err := t.checkNode(child, inner); err != nil {
			return err
		}
	}
	return nil
}

// checkKeys finds the first key that is twice in a mapping. Keys are equal by
// value: 1 and 0x1 are, 1 and "1" are not.
func (t *tree) checkKeys(mapping *yaml.Node) error {
	lines := map[string]int{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := yaml12.Follow(mapping.Content[i])
		if key.Kind != yaml.ScalarNode {
			continue
		}
		id := t.identity(key)
		if line, taken := lines[id]; taken {
			return invalid(mapping.Content[i].Line, show(t.value(key)),
				fmt.Sprintf("the key stands twice, first in line %d", line), "remove one of the two")
		}
		lines[id] = mapping.Content[i].Line
	}
	return nil
}

// identity returns a text that equal scalars share.
func (t *tree) identity(scalar *yaml.Node) string {
	kind, _ := yaml12.KindOf(scalar)
	switch kind {
	case yaml12.Null:
		return "null"
	case yaml12.Bool:
		return "boolean " + strings.ToLower(scalar.Value)
	case yaml12.Int, yaml12.Float:
		return "number " + formatNumber(yaml12.Number(scalar.Value))
	}
	return "text " + t.value(scalar)
}

// checkLayout finds lines of a quoted scalar, brackets or braces that are not
// indented more than the enclosing block. YAML demands it, the library does not.
// A closing bracket alone may have the indentation of the block, because most
// readers allow it.
func (t *tree) checkLayout(node *yaml.Node, at site) error {
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
			return invalid(line+1, "", "a continued line that is not indented", "indent it with spaces")
		}
	}
	return nil
}

// isOutside reports whether a line may stand between two nodes: it has nothing,
// or an indicator of the next one.
func (t *tree) isOutside(line int) bool {
	s := t.line(line)
	return isMarker(s, "...") || isBlankOrComment(strings.TrimLeft(s, " \t-?:"))
}

// isClosing reports whether a line has a closing bracket and no more.
func isClosing(line string) bool {
	line = strings.TrimLeft(line, " ")
	return strings.ContainsAny(line[:1], "]}") && isBlankOrComment(strings.TrimSpace(line[1:]))
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// indentOf returns the column, from 0, of the entries of a collection. The library
// gives the position of an anchor or tag, and the block begins on the next line.
func (t *tree) indentOf(node *yaml.Node) int {
	named := node.Anchor != "" || node.Style&yaml.TaggedStyle != 0
	if !named || node.Style&yaml.FlowStyle != 0 || len(node.Content) == 0 {
		return node.Column - 1
	}
	return indentation(t.line(node.Content[0].Line - 1))
}
