package cli

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/contextcompiler/context/internal/words"
)

// isTerminal reports whether w is a terminal, or a [watchedWriter] on one.
func isTerminal(w io.Writer) bool {
	if watched, ok := w.(*watchedWriter); ok {
		w = watched.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// fitTerminal returns a text of documents with its control characters escaped, because
// they could drive a terminal. It leaves line ends and tabs.
func fitTerminal(text []byte) []byte {
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
