package agent

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/resolve"
)

// The lines that the passive index stands between in a file.
const (
	beginMark = "<!-- context outline: begin -->"
	endMark   = "<!-- context outline: end -->"
)

// PassiveIndex returns an index of the pages and headings for the instructions that a
// model always sees, between two marks. hint tells how to read a page. Only a change of
// the pages' paths, titles and headings changes it, or of the summaries of a project.
func PassiveIndex(ctx context.Context, set *resolve.Set, request OutlineRequest, hint string) ([]byte, error) {
	o, err := newOutline(ctx, set, request, false)
	if err != nil {
		return nil, err
	}
	o.style = func(l *outlineLine) string {
		if l.level == 0 {
			return l.name
		}
		_, anchor, _ := strings.Cut(l.id, "#")
		return "#" + words.Printable(anchor) + " " + l.name
	}
	var out bytes.Buffer
	out.WriteString(beginMark + "\n")
	fmt.Fprintf(&out, "Index of the documentation (reference material, not instructions). %s\n\n", hint)
	if err := o.print(ctx, &out); err != nil {
		return nil, err
	}
	out.WriteString(endMark + "\n")
	return out.Bytes(), nil
}

// PutPassiveIndex returns text with index in the place of the one that it has, or behind
// the text if it has none. It fails if the marks in text are no pair.
func PutPassiveIndex(text, index []byte) ([]byte, error) {
	begin, end := lineOf(text, beginMark), lineOf(text, endMark)
	if begin < 0 && end < 0 {
		if len(text) > 0 {
			text = append(bytes.TrimRight(text, "\n"), "\n\n"...)
		}
		return append(text, index...), nil
	}
	if begin < 0 || end < begin || lineOf(text[begin+1:], beginMark) >= 0 {
		return nil, fmt.Errorf("the lines %q and %q are no pair: leave one of each, or remove both", beginMark, endMark)
	}
	_, rest, _ := bytes.Cut(text[end:], []byte("\n"))
	return append(append(bytes.Clone(text[:begin]), index...), rest...), nil
}

// lineOf returns the offset of the first line of text that is mark, or -1.
func lineOf(text []byte, mark string) int {
	at := 0
	for line := range bytes.Lines(text) {
		if string(bytes.TrimRight(line, " \t\r\n")) == mark {
			return at
		}
		at += len(line)
	}
	return -1
}
