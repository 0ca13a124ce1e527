package agent

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/markdown"
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
// the text if it has none, with the line ends of its first line. It fails if the marks in
// text are no pair. Marks in fenced code are examples and do not count.
func PutPassiveIndex(text, index []byte) ([]byte, error) {
	lineEnd := []byte("\n")
	if first, _, _ := bytes.Cut(text, lineEnd); bytes.HasSuffix(first, []byte("\r")) {
		lineEnd = []byte("\r\n")
		index = bytes.ReplaceAll(index, []byte("\n"), lineEnd)
	}
	begin, end := lineOf(text, beginMark), lineOf(text, endMark)
	if begin < 0 && end < 0 {
		if len(text) > 0 {
			text = slices.Concat(bytes.TrimRight(text, "\r\n"), lineEnd, lineEnd)
		}
		return append(text, index...), nil
	}
	_, behind, _ := bytes.Cut(text[max(0, begin):], []byte("\n"))
	if begin < 0 || end < begin || lineOf(behind, beginMark) >= 0 {
		return nil, fmt.Errorf("the lines %q and %q are no pair: leave one of each, or remove both", beginMark, endMark)
	}
	_, rest, _ := bytes.Cut(text[end:], []byte("\n"))
	return slices.Concat(text[:begin], index, rest), nil
}

// lineOf returns the offset of the first line of text that is mark outside of fenced code,
// or -1.
func lineOf(text []byte, mark string) int {
	at := 0
	var fence []byte // that opened the current code
	for line := range bytes.Lines(text) {
		body := bytes.TrimLeft(line, " ")
		switch {
		case fence != nil:
			if markdown.ClosesFence(body, fence) {
				fence = nil
			}
		case string(bytes.TrimRight(line, " \t\r\n")) == mark:
			return at
		case len(line)-len(body) < 4:
			fence = markdown.FenceOf(body)
		}
		at += len(line)
	}
	return -1
}
