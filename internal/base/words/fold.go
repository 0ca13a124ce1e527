package words

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Folded is a text that is searched without regard to case, to the encoding of letters and to
// markup.
type Folded struct{ text, shown []byte }

func Fold(text []byte) Folded { return Folded{foldedBytes(text), foldedBytes(shownText(text))} }

// Contains reports whether a part is anywhere in the text, also in the middle of a word.
func (f Folded) Contains(part string) bool {
	p := Fold([]byte(part))
	return bytes.Contains(f.text, p.text) || len(p.shown) > 0 && bytes.Contains(f.shown, p.shown)
}

const longestTag = 1 << 10

// shownText returns about what readers see of a text: without character references, HTML tags,
// invisible characters, and the characters that Markdown uses for escapes, emphasis and code.
func shownText(text []byte) []byte {
	text = []byte(html.UnescapeString(string(text)))
	shown := text[:0]
	for len(text) > 0 {
		size, isShown := 1, strings.IndexByte("\\*_~^`", text[0]) < 0
		switch c := text[0]; {
		case c == '<':
			size = max(1, tagSize(text))
			isShown = size == 1
		case c >= utf8.RuneSelf:
			var r rune
			r, size = utf8.DecodeRune(text)
			isShown = !unicode.Is(unicode.Cf, r)
		}
		if isShown {
			shown = append(shown, text[:size]...)
		}
		text = text[size:]
	}
	return shown
}

// tagSize returns the size of the HTML tag that a text begins with, or 0.
func tagSize(text []byte) int {
	if len(text) < len("<b>") || text[0] != '<' || text[1] != '/' && !('a' <= text[1]|0x20 && text[1]|0x20 <= 'z') {
		return 0
	}
	if end := bytes.IndexAny(text[1:min(len(text), longestTag)], "<>"); end > 0 && text[1+end] == '>' {
		return 1 + end + 1
	}
	return 0
}

// foldedBytes makes different cases and encodings of a letter equal. Accents follow their letters,
// so a text without accents is found as long as they don't interrupt it.
func foldedBytes(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ToLower(norm.NFKD.Bytes(text)), []byte("ς"), []byte("σ"))
}
