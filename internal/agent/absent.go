package agent

import (
	"bytes"
	"context"
	"errors"
	"html"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answers"
	"github.com/contextcompiler/context/selection"
)

// The index contains words and symbols of code, but a text can also be a part of a longer name, or
// be in prose or in an address. So only the pages can prove that a text is missing. They are read
// unless there are so many that a note isn't worth the time.
const (
	mostProofPages = 1000
	mostProofBytes = 2 << 20
	mostProofTexts = 16
	longestTag     = 1 << 10
)

// A textProof knows which texts the pages of a set contain. The zero textProof knows of none.
type textProof struct{ isFound map[string]bool }

// isAbsent reports whether it is certain that no page contains a text.
func (p textProof) isAbsent(text string) bool {
	isFound, isKnown := p.isFound[text]
	return isKnown && !isFound
}

// proofOf looks for the first mostProofTexts texts in all pages of a set, ignoring case.
func proofOf(ctx context.Context, set *answers.Set, texts []string) (textProof, error) {
	texts = texts[:min(len(texts), mostProofTexts)]
	pages := 0
	for _, of := range set.Members() {
		n, _, err := of.Size()
		if pages += n; err != nil || pages > mostProofPages || len(texts) == 0 {
			return textProof{}, context.Cause(ctx)
		}
	}
	wanted, isFound := make([][2][]byte, len(texts)), make([]atomic.Bool, len(texts))
	for i, text := range texts {
		wanted[i] = [2][]byte{foldedBytes([]byte(text)), foldedBytes(shownText([]byte(text)))}
	}
	var size atomic.Int64
	for _, of := range set.Members() {
		_, err := answers.EachDocument(ctx, of.Cache, selection.Filter{}, 0, func(_ int, doc document.Document) (none struct{}, err error) {
			if size.Add(int64(len(doc.Content))) > mostProofBytes {
				return none, errors.New("the pages are too large")
			}
			content, shown := foldedBytes(doc.Content), foldedBytes(shownText(doc.Content))
			for i, text := range wanted {
				if bytes.Contains(content, text[0]) || len(text[1]) > 0 && bytes.Contains(shown, text[1]) {
					isFound[i].Store(true)
				}
			}
			return none, context.Cause(ctx)
		})
		if err != nil { // a damaged page proves nothing, and a note is not worth the error
			return textProof{}, context.Cause(ctx)
		}
	}
	proof := textProof{map[string]bool{}}
	for i, text := range texts {
		proof.isFound[text] = isFound[i].Load()
	}
	return proof, nil
}

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
