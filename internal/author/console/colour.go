package console

import (
	"io"
	"os"

	"github.com/contextcompiler/context/internal/base/lazy"
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
