// Package process runs the programs of others: their process groups, and the end of what they
// print.
package process

import (
	"slices"
	"strings"
)

const maxTail = 4000 // bytes

// A Tail keeps the end of a program's output, which usually says why the program failed.
type Tail struct{ text []byte }

func (t *Tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p[max(0, len(p)-maxTail):]...)
	t.text = t.text[max(0, len(t.text)-maxTail):]
	return len(p), nil
}

// Lines returns the last lines as a single line, of at most limit bytes apart from the separators.
// It leaves out repeated lines, and lines for which clean returns "".
func (t *Tail) Lines(limit int, separator string, clean func(line string) string) string {
	var kept []string
	lines := strings.FieldsFunc(strings.ToValidUTF8(string(t.text), "?"), func(r rune) bool { return r == '\n' || r == '\r' })
	for _, line := range slices.Backward(lines) {
		line = clean(line)
		switch {
		case line == "" || slices.Contains(kept, line):
			continue
		case len(line) > limit && kept == nil:
			return strings.ToValidUTF8(line[:limit], "") + "..."
		}
		if limit -= len(line); limit < 0 {
			break
		}
		kept = append(kept, line)
	}
	slices.Reverse(kept)
	return strings.Join(kept, separator)
}
