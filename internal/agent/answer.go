package agent

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/contextcompiler/context/internal/words"
)

// An answer is the text a request returns: our own lines, and texts of pages between marks. Use
// line to add names and notes, so a name can never start a new line. The zero answer is empty.
type answer struct{ out bytes.Buffer }

// line adds a line without control characters.
func (a *answer) line(format string, args ...any) {
	a.out.WriteString(oneLine(fmt.Sprintf(format, args...)) + "\n")
}

// texts adds excerpts within a frame, and a note before the first and after the last.
func (a *answer) texts(before string, items []framedText, after string) {
	f := frameOf(items)
	f.begin(&a.out, before)
	for _, it := range items {
		f.framedText(&a.out, it)
	}
	f.end(&a.out, after)
}

func (a *answer) add(other *answer) { a.out.Write(other.out.Bytes()) }

func (a *answer) len() int { return a.out.Len() }

func (a *answer) bytes() []byte { return a.out.Bytes() }

// oneLine returns a text as a line outside of a frame: without control characters, and escaped
// if it looks like a mark, which names could imitate.
func oneLine(text string) string {
	text = words.Printable(text)
	if strings.HasPrefix(text, markPrefix) {
		return `\x3d` + text[1:]
	}
	return text
}
