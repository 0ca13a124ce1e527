// Package console prints for people: it finds out whether a stream is a terminal, makes
// texts safe to show there, highlights answers, quotes shell lines, and draws tables,
// annotations and the progress of builds.
package console

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

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
