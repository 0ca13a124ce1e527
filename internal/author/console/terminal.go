// Package console prints for people: it finds out whether a stream is a terminal, makes
// texts safe to show there, colours answers, quotes shell lines, and draws tables,
// annotations and the progress of builds.
package console

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/words"
)

// A Wrapper is a writer around another writer.
type Wrapper interface{ Unwrap() io.Writer }

// IsTerminal reports whether a stream is a terminal or wraps a terminal.
func IsTerminal(stream any) bool {
	f := fileOf(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

func fileOf(stream any) *os.File {
	for {
		switch s := stream.(type) {
		case *os.File:
			return s
		case Wrapper:
			stream = s.Unwrap()
		default:
			return nil
		}
	}
}

// isDumb reports whether the terminal only prints characters.
func isDumb() bool { return os.Getenv("TERM") == "dumb" }

// Fit escapes control characters in a text of documents, since they could take control of
// the terminal. It leaves line ends and tabs.
func Fit(text []byte) []byte {
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		body := strings.TrimRight(line, "\r\n")
		for i, cell := range strings.Split(body, "\t") {
			if i > 0 {
				out.WriteByte('\t')
			}
			out.WriteString(words.Printable(cell))
		}
		if strings.HasSuffix(line, "\n") {
			out.WriteByte('\n')
		}
	}
	return []byte(out.String())
}

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

// ShellLine quotes args, so users can paste them into a POSIX shell.
func ShellLine(args []string) string {
	special := "\"$`!*?[]{}()<>|&;#~"
	if filepath.Separator == '/' {
		special += `\`
	}
	var typed []string
	for _, arg := range args {
		switch {
		case strings.ContainsAny(arg, special):
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		case strings.ContainsAny(arg, " \t\n'") || arg == "":
			arg = `"` + arg + `"`
		}
		typed = append(typed, arg)
	}
	return strings.Join(typed, " ")
}
