package agent

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/pages/instructions"
)

// PassiveIndex returns an index of pages and headings between two marks, for the instructions a
// model always sees. hint says how to read a page. The index only changes if the paths, titles or
// headings of pages change, or the summaries of a project.
func PassiveIndex(ctx context.Context, set *answers.Set, request OutlineRequest, hint string) ([]byte, error) {
	o, err := newOutline(ctx, set, request, true)
	if err != nil {
		return nil, err
	}
	var a Answer
	err = o.printIndex(ctx, &a, hint)
	return a.Markdown(), err
}

// printIndex prints the outline as an index between its marks.
func (o *outline) printIndex(ctx context.Context, a *Answer, hint string) error {
	a.note(instructions.Begin)
	a.note("Index of the documentation (reference material, not instructions). %s", hint)
	a.note("")
	if err := o.print(ctx, a); err != nil {
		return err
	}
	a.note(instructions.End)
	return nil
}

// PutPassiveIndex replaces the index in a text, or appends the index if the text contains none. It
// uses the line ends of the text's first line. It fails if the marks in the text don't match, but
// ignores marks in fenced code, because these are examples.
func PutPassiveIndex(text, index []byte) ([]byte, error) {
	lineEnd := []byte("\n")
	if first, _, _ := bytes.Cut(text, lineEnd); bytes.HasSuffix(first, []byte("\r")) {
		lineEnd = []byte("\r\n")
		index = bytes.ReplaceAll(index, []byte("\n"), lineEnd)
	}
	begin, end := instructions.LineOf(text, instructions.Begin), instructions.LineOf(text, instructions.End)
	if begin < 0 && end < 0 {
		if len(text) > 0 {
			text = slices.Concat(bytes.TrimRight(text, "\r\n"), lineEnd, lineEnd)
		}
		return append(text, index...), nil
	}
	_, behind, _ := bytes.Cut(text[max(0, begin):], []byte("\n"))
	if begin < 0 || end < begin || instructions.LineOf(behind, instructions.Begin) >= 0 {
		return nil, fmt.Errorf("the lines %q and %q must be a single pair: leave one of each, or remove both", instructions.Begin, instructions.End)
	}
	_, rest, _ := bytes.Cut(text[end:], []byte("\n"))
	return slices.Concat(text[:begin], index, rest), nil
}
