package yaml12

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// MaxSize is the most bytes of YAML that callers should read. The tree of a text
// can need a hundred times its memory.
const MaxSize = 1 << 20

// First returns the root of the first document of a text, or nil if the text is
// empty. It is lenient: it ignores other documents and does not call [Check].
func First(text []byte) (root *yaml.Node, err error) {
	document, err := next(yaml.NewDecoder(bytes.NewReader(text)))
	if document == nil {
		return nil, err
	}
	return document.Content[0], nil
}

// Parse returns the root of the only document of a text, or nil if the text is
// empty. Its error is a *[Problem]. Callers that are strict should call [Check]
// next.
func Parse(text string) (root *yaml.Node, err error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	document, err := next(decoder)
	if document == nil {
		return nil, problemOf(text, err)
	}
	second, err := next(decoder)
	if second != nil {
		return nil, &Problem{second.Line, "", "a second document begins here", "keep only one"}
	}
	return document.Content[0], problemOf(text, err)
}

// next returns the decoder's next document, or nil after the last one.
func next(decoder *yaml.Decoder) (document *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil { // the library panics on some invalid texts
			document, err = nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	document = new(yaml.Node)
	switch err := decoder.Decode(document); err {
	case nil:
		return document, nil
	case io.EOF:
		return nil, nil
	default:
		return nil, err
	}
}

// errorLine is the beginning of the library's errors. The library leaves out the
// line if it is the first.
var errorLine = lazy.Regexp(`^yaml: (?:line ([0-9]+): )?`)

// parserMessages are the library's messages that count lines from 0.
var parserMessages = []string{
	"did not find expected <document start>", "did not find expected node content",
	"did not find expected '-' indicator", "did not find expected key",
	"did not find expected ',' or ']'", "did not find expected ',' or '}'",
	"found undefined tag handle", "found duplicate %TAG directive",
}

const beginsLikeAlias = "put text that begins with * or & in quotes"

// problemOf returns an error of the library as a *Problem, and nil for nil.
func problemOf(text string, err error) error {
	if err == nil {
		return nil
	}
	match := errorLine().FindStringSubmatch(err.Error())
	message := err.Error()[len(match[0]):]
	line, _ := strconv.Atoi(match[1])
	if slices.Contains(parserMessages, message) {
		line++
	}
	line = max(1, line)
	fix := "correct the indentation or the quotes near this line"
	anchor, isAnchor := strings.CutPrefix(message, "unknown anchor '")
	switch {
	case isAnchor:
		line = lineWith(text, "*"+strings.TrimSuffix(anchor, "' referenced"))
		fix = beginsLikeAlias
	case message == "did not find expected alphabetic or numeric character":
		fix = beginsLikeAlias
	case message == "found incompatible YAML document":
		return &Problem{lineWith(text, "%YAML"), "", "the %YAML directive names another version of YAML", "remove that line"}
	}
	lines := strings.Split(text, "\n")
	if strings.HasPrefix(strings.TrimLeft(lines[min(line, len(lines))-1], " "), "\t") {
		fix = "indent with spaces, not tabs"
	}
	return &Problem{line, "", fmt.Sprintf("not YAML: %.300s", message), fix} // a name of any length can be in it
}

// lineWith returns the first line that contains s, counted from 1.
func lineWith(text, s string) int {
	before, _, _ := strings.Cut(text, s)
	return 1 + strings.Count(before, "\n")
}
