package contextfile

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A tree is a text with the one YAML document that it holds.
type tree struct {
	*text
	top *yaml.Node // nil if the document is empty
}

// parseTree reads a file up to what any YAML 1.2 reader says of it; what the
// schema says is not its matter. Its error is an *InvalidError.
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
	if err := parsed.check(); err != nil {
		return nil, err
	}
	return parsed, nil
}

// parseYAML returns the root of the only document of masked text. The library
// fails with an error or, rarely, with a panic.
func parseYAML(masked string) (top *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = invalid(0, "", fmt.Sprintf("not YAML: %v", p), "write it more simply")
		}
	}()
	decoder := yaml.NewDecoder(strings.NewReader(masked))
	var document, second yaml.Node
	if err := decoder.Decode(&document); err != nil && err != io.EOF {
		return nil, err
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, invalid(second.Line, "", "a second document begins here", "keep only one")
	} else if err != io.EOF {
		return nil, err
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	return document.Content[0], nil
}

// blankDirectives makes comments of the directives before the document, which
// the library takes for YAML 1.1's. %TAG is left to it.
func (t *text) blankDirectives() error {
	first := 0
	for i, start := range t.lines {
		line := t.line(i)
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if line[0] != '%' {
			if first > 0 && !isMarker(line, "---") {
				return invalid(first, "", "a directive without a document", "write a line of three hyphens after it")
			}
			return nil
		}
		if strings.HasPrefix(line, "%YAML") && !yaml12.MatchString(line) {
			return invalid(i+1, "", "the file says that it is not YAML 1.2", "remove that line")
		}
		if !strings.HasPrefix(line, "%TAG ") {
			t.runes[start] = '#'
		}
		first = i + 1
	}
	return nil
}

var yaml12 = regexp.MustCompile(`^%YAML[ \t]+1\.2(?:[ \t]|$)`)

// line returns line i, counted from 0, without its end.
func (t *text) line(i int) string {
	end := len(t.runes)
	if i+1 < len(t.lines) {
		end = t.lines[i+1]
	}
	return strings.TrimRight(string(t.runes[t.lines[i]:end]), "\r\n")
}

// isMarker reports whether a line begins or ends a document.
func isMarker(line, marker string) bool {
	rest, ok := strings.CutPrefix(line, marker)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// errorLine is what the library's errors begin with, but for those in line 1.
var errorLine = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?`)

// parserMessages are the library's messages whose lines are counted from 0.
var parserMessages = []string{
	"did not find expected <document start>", "did not find expected node content",
	"did not find expected '-' indicator", "did not find expected key",
	"did not find expected ',' or ']'", "did not find expected ',' or '}'",
	"found undefined tag handle", "found duplicate %TAG directive",
}

const beginsLikeAlias = "put text that begins with * or & in quotes"

// libraryProblem words an error of the library's.
func (t *text) libraryProblem(err error) error {
	if invalid, ok := errors.AsType[*InvalidError](err); ok {
		return invalid
	}
	match := errorLine.FindStringSubmatch(err.Error())
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

// follow returns the node that an alias stands for, or node itself.
func follow(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}
