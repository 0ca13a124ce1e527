package agent

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/contextcompiler/context/internal/words"
)

// An answer is the text that a request gets: our lines, and texts of pages between marks.
// Names and notes are only added with line, so a name cannot begin a line of its own. The
// zero answer is empty.
type answer struct{ out bytes.Buffer }

// line adds a line, fit to print.
func (a *answer) line(format string, args ...any) {
	a.out.WriteString(oneLine(fmt.Sprintf(format, args...)) + "\n")
}

// texts adds items in their frame, with a note before the first and after the last.
func (a *answer) texts(before string, items []excerpt, after string) {
	f := frameOf(items)
	f.begin(&a.out, before)
	for _, it := range items {
		f.excerpt(&a.out, it)
	}
	f.end(&a.out, after)
}

// add adds the lines of another answer.
func (a *answer) add(other *answer) { a.out.Write(other.out.Bytes()) }

func (a *answer) len() int { return a.out.Len() }

func (a *answer) bytes() []byte { return a.out.Bytes() }

// oneLine returns a text as a line outside of a frame: without control characters, and
// unlike a mark, which names could imitate.
func oneLine(text string) string {
	text = words.Printable(text)
	if strings.HasPrefix(text, markPrefix) {
		return `\x3d` + text[1:]
	}
	return text
}
