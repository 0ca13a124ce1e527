package console

import (
	"bytes"
	"io"
	"os"
	"slices"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/words"
)

// A When says when to print colours. It is the value of a flag, and "" means Auto.
type When string

const (
	Auto   When = "auto" // on terminals that show colours
	Always When = "always"
	Never  When = "never"
)

// On reports whether output to w should be coloured. Users can turn colours off on
// terminals with NO_COLOR (https://no-color.org).
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

// A Style is the look of a text, as parameters of SGR (ECMA-48). All styles are readable
// on light and dark backgrounds, and "" changes nothing.
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

// sequence matches the beginning and the end of a style.
var sequence = lazy.Regexp(`\x1b\[[0-9;]*m`)

// A Stretch is a part of a line in a style. Stretches must not overlap.
type Stretch struct {
	Start, End int // in bytes
	Style      Style
}

// A Highlighter finds the parts of an answer. It is called in order, with each line and
// the line after it, both without line ends, and returns the stretches of the line in
// order.
type Highlighter func(line, next []byte) []Stretch

// Paint returns a text with the colours of a highlighter. Because colours end with each
// line, any part of the text looks right. The first characters of escape sequences in the
// text are escaped, as the sequences would mix with the colours otherwise. Nothing else
// changes.
func Paint(text []byte, highlight Highlighter) []byte {
	var out bytes.Buffer
	text = beginsSequence().ReplaceAllFunc(text, func(c []byte) []byte { return []byte(words.Printable(string(c))) })
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

// beginsSequence matches the possible first characters of control sequences.
var beginsSequence = lazy.Regexp(`[\x1b\x{80}-\x{9f}]`)
