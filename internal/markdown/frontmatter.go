package markdown

import (
	"bytes"
	"errors"
	"strings"
)

// byteOrderMark would hide front matter or a heading from the parser.
var byteOrderMark = []byte("\ufeff")

// SplitFrontMatter returns the YAML at the start of a page and the offset after its closing
// line. The YAML includes the opening line, which YAML itself reads as the start of a
// document, so line numbers in YAML errors are line numbers of the file. Without an opening
// line, yaml is nil and end is 0, or the offset after a byte order mark. If the closing
// line is missing, SplitFrontMatter returns an error, and the whole page is text.
//
// The opening line consists of three hyphens, the closing line of three hyphens or three
// dots. Trailing spaces are allowed. Neither this function nor the Markdown parser ends a
// line at a lone CR.
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

// SplitFields is like [SplitFrontMatter] for files that may not be pages. The front matter can also
// be TOML between lines of three plus signs, and its first line must be a field, because other text
// can begin with a rule. Without front matter, fields is nil and end is 0.
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

// frontMatterEnd returns where the closing line begins and ends, or -1 twice.
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

// TitleIn returns the title in front matter, because many pages contain no heading of level
// 1. It returns "" if the title takes more than a line: it doesn't decode the YAML.
func TitleIn(frontMatter []byte) string {
	for line := range bytes.Lines(frontMatter) {
		if value, found := bytes.CutPrefix(line, []byte("title:")); found {
			return plainScalar(strings.TrimSpace(string(value)))
		}
	}
	return ""
}

// plainScalar returns a YAML value without its quotes, or "" if it continues on the next
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
