package markdown

import (
	"bytes"
	"errors"
	"strings"
)

// byteOrderMark would hide front matter or a heading after it from the parser.
var byteOrderMark = []byte("\ufeff")

// SplitFrontMatter returns the YAML at the start of a page, and where the line after it
// begins. The YAML begins with the opening line, which is YAML's own mark of a beginning, so
// that line numbers in its errors are line numbers of the file. If there is no opening
// line, yaml is nil, and end is 0 or behind a byte order mark. If no line closes the YAML,
// this is an error, and all of it is text.
//
// The opening line consists of three hyphens, the closing line of three hyphens or three
// dots. Spaces may follow. A lone CR does not end a line, here and in the Markdown parser.
func SplitFrontMatter(content []byte) (yaml []byte, end int, err error) {
	body := bytes.TrimPrefix(content, byteOrderMark)
	start := len(content) - len(body)
	if !isDelimiter(firstLine(body), "---") {
		return nil, start, nil
	}
	size, end := frontMatterEnd(body, "---", "...")
	if end < 0 {
		return nil, start, errors.New("the line of three hyphens that ends it is missing")
	}
	return body[:size], start + end, nil
}

// SplitFields is [SplitFrontMatter] for a file that may be no page: front matter must begin
// with a field, because other text can begin with a rule, too. It can also be TOML between
// lines of three plus signs. If there is none, fields is nil and end is 0.
func SplitFields(content []byte) (fields []byte, end int) {
	first := firstLine(content)
	delimiters := []string{"---", "..."}
	if isDelimiter(first, "+++") {
		delimiters = []string{"+++"}
	}
	if !isDelimiter(first, delimiters[0]) {
		return nil, 0
	}
	size, end := frontMatterEnd(content, delimiters...)
	if end < 0 {
		return nil, 0
	}
	if inside := content[len(first):size]; len(inside) > 0 && !bytes.ContainsAny(firstLine(inside), ":=") {
		return nil, 0
	}
	return content[:size], end
}

// frontMatterEnd returns where the line that closes front matter begins and ends, both -1 if
// there is none.
func frontMatterEnd(content []byte, delimiters ...string) (start, end int) {
	for at := lineEnd(content, 0); at < len(content); {
		end := lineEnd(content, at)
		for _, delimiter := range delimiters {
			if isDelimiter(content[at:end], delimiter) {
				return at, end
			}
		}
		at = end
	}
	return -1, -1
}

func isDelimiter(line []byte, delimiter string) bool {
	return string(bytes.TrimRight(line, " \t\r\n")) == delimiter
}

// TitleIn returns the title in front matter, or "" if it takes more than a line. Many pages
// have no other heading of level 1. It reads lines, not YAML.
func TitleIn(frontMatter []byte) string {
	for line := range bytes.Lines(frontMatter) {
		if value, found := bytes.CutPrefix(line, []byte("title:")); found {
			return plainScalar(strings.TrimSpace(string(value)))
		}
	}
	return ""
}

// plainScalar returns a value of YAML without its quotes, or "" if it continues on the next
// line.
func plainScalar(value string) string {
	if value == "" || strings.ContainsRune("|>&*!", rune(value[0])) {
		return ""
	}
	if quote := value[:1]; len(value) > 1 && (quote == `"` || quote == "'") && strings.HasSuffix(value, quote) {
		return value[1 : len(value)-1]
	}
	return value
}
