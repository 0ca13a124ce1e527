// Package console prints for people: it finds out whether a stream is a terminal, makes
// texts safe to show there, and draws tables and the progress of builds.
package console

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/contextcompiler/context/internal/words"
)

// A Wrapper is a writer that writes to another, or stands for it.
type Wrapper interface{ Unwrap() io.Writer }

// IsTerminal reports whether a stream is a terminal, or wraps one.
func IsTerminal(stream any) bool {
	f := fileOf(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// fileOf returns the file that a stream is or wraps, or nil.
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

// Fit returns a text of documents with its control characters escaped, because
// they could drive a terminal. It leaves line ends and tabs.
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
