package agent

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// An answer is the text a request returns: our own lines, and texts of pages between marks. Use
// line to add names and notes, so a name can never start a new line. The zero answer is empty.
type answer struct {
	out   bytes.Buffer
	parts []AnswerPart // of out, in order
}

// line adds a line without control characters.
func (a *answer) line(format string, args ...any) {
	a.part(AnswerPart{Kind: NotePart}, format, args...)
}

// part adds a line that is a part of a certain kind.
func (a *answer) part(p AnswerPart, format string, args ...any) {
	line := oneLine(fmt.Sprintf(format, args...))
	a.out.WriteString(line + "\n")
	p.Line = strings.TrimLeft(line, " ")
	p.Label = words.Printable(markdown.WithoutAnchor(p.Label))
	p.Level = (len(line) - len(p.Line)) / len("  ")
	a.parts = append(a.parts, p)
}

// texts adds excerpts within a frame, and a doubt before the first and a note after the last.
func (a *answer) texts(before string, items []framedText, after string) {
	f := frameOf(items)
	f.begin(&a.out, before)
	if before != "" {
		a.parts = append(a.parts, AnswerPart{Kind: DoubtPart, Line: before})
	}
	for _, it := range items {
		f.framedText(&a.out, it)
		a.parts = append(a.parts, it.part())
	}
	f.end(&a.out, after)
	if after != "" {
		a.parts = append(a.parts, AnswerPart{Kind: NotePart, Line: after})
	}
}

func (a *answer) add(other *answer) {
	a.out.Write(other.out.Bytes())
	a.parts = append(a.parts, other.parts...)
}

func (a *answer) len() int { return a.out.Len() }

func (a *answer) bytes() []byte { return a.out.Bytes() }

// markdownOf returns an answer for models. A failed answer may still contain texts.
func markdownOf(a *answer, err error) ([]byte, error) {
	if a == nil {
		return nil, err
	}
	return a.bytes(), err
}

// inParts returns an answer for a page.
func inParts(a *answer, err error) (Answer, error) {
	if a == nil {
		return Answer{}, err
	}
	return Answer{Markdown: a.bytes(), Parts: a.parts}, err
}

// oneLine returns a text as a line outside of a frame: without control characters, and escaped
// if it looks like a mark, which names could imitate.
func oneLine(text string) string {
	text = words.Printable(text)
	if strings.HasPrefix(text, markPrefix) {
		return `\x3d` + text[1:]
	}
	return text
}
