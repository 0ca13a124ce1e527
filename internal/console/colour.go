package console

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"slices"

	"github.com/contextcompiler/context/internal/words"
)

// When says when to print colours: the value of a flag. "" is Auto.
type When string

const (
	Auto   When = "auto" // on terminals that show colours
	Always When = "always"
	Never  When = "never"
)

// On reports whether what is written to w gets colours. On a terminal, a user who wants
// none sets NO_COLOR (https://no-color.org).
func (when When) On(w io.Writer) bool {
	switch when {
	case Never:
		return false
	case Always:
		takesEscapes(w)
		return true
	}
	return os.Getenv("NO_COLOR") == "" && !isDumb() && IsTerminal(w) && takesEscapes(w)
}

// A Style is how a text looks: the parameters of SGR (ECMA-48). "" leaves it as it is.
// Each can be read on light and on dark backgrounds.
type Style string

const (
	Bold    Style = "1"
	Match   Style = "1;31" // bold red
	Bad     Style = "31"
	Warning Style = "33"
	Good    Style = "32"
	Place   Style = "35" // of a text, such as a page
	Handle  Style = "36"
)

// Paint returns a text in a style.
func (s Style) Paint(text string) string {
	if s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// sequence matches what begins and ends a style.
var sequence = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// A Stretch is a part of a line in a style. It does not overlap others.
type Stretch struct {
	Start, End int // in bytes
	Style      Style
}

// A Highlighter knows the parts of an answer. It is called with each line and the one after it,
// in order and without line ends, and returns the stretches of the line in order.
type Highlighter func(line, next []byte) []Stretch

// Paint returns a text with the colours of a highlighter. They end with each line, so that
// any part of the text looks right. Escape sequences of the text itself would mix with
// them: their first characters are escaped. Nothing else changes.
func Paint(text []byte, highlight Highlighter) []byte {
	var out bytes.Buffer
	text = beginsSequence.ReplaceAllFunc(text, func(c []byte) []byte { return []byte(words.Printable(string(c))) })
	lines := slices.Collect(bytes.Lines(text))
	for i, line := range lines {
		var next []byte
		if i+1 < len(lines) {
			next = withoutEnd(lines[i+1])
		}
		end := 0
		for _, s := range highlight(withoutEnd(line), next) {
			out.Write(line[end:s.Start])
			out.WriteString(s.Style.Paint(string(line[s.Start:s.End])))
			end = s.End
		}
		out.Write(line[end:])
	}
	return out.Bytes()
}

func withoutEnd(line []byte) []byte { return bytes.TrimRight(line, "\r\n") }

// beginsSequence matches what may begin a control sequence.
var beginsSequence = regexp.MustCompile(`[\x1b\x{80}-\x{9f}]`)
