package sections

import (
	"bytes"
	"strings"
)

// titleIn returns the title in the front matter of a page, "" if it is not in one
// line. Many pages have no other heading of level 1.
func titleIn(frontMatter []byte) string {
	for line := range bytes.Lines(frontMatter) {
		if value, found := bytes.CutPrefix(line, []byte("title:")); found {
			return plainScalar(strings.TrimSpace(string(value)))
		}
	}
	return ""
}

// plainScalar returns a value of YAML without its quotes, "" if it goes on in the
// lines below.
func plainScalar(value string) string {
	if value == "" || strings.ContainsRune("|>&*!", rune(value[0])) {
		return ""
	}
	if quote := value[:1]; len(value) > 1 && (quote == `"` || quote == "'") && strings.HasSuffix(value, quote) {
		return value[1 : len(value)-1]
	}
	return value
}

// WithoutAnchor returns a heading without the anchor that it names, as in Setup {#setup}.
func WithoutAnchor(heading string) string {
	if text, _, found := strings.Cut(heading, " {#"); found && strings.HasSuffix(heading, "}") {
		return text
	}
	return heading
}
