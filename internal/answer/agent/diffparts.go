package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/pages/changes"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// pageTexts are both versions of a page, and the parts that differ.
type pageTexts struct {
	old, new cachePage // an empty document if the version lacks the page
	parts    []partDiff
}

// comparing lets large pages take turns.
var comparing = parallel.NewRoom(1)

// textsOf reads and compares both versions of a page. All parts of an added page are added. Blocks
// of a large page can take much more memory than its text, so it only keeps those of one version at
// a time.
func (d *DiffResult) textsOf(ctx context.Context, p changedPage) (t pageTexts, err error) {
	var old, new document.Document
	var err1, err2 error
	if !p.IsAdded() {
		old, err1 = d.old.ReadAt(p.Old.Number)
	}
	if !p.IsRemoved() {
		new, err2 = d.new.ReadAt(p.New.Number)
	}
	if err := cmp.Or(err1, err2); err != nil {
		return t, err
	}
	if len(old.Content)+len(new.Content) >= largePair {
		leave, err := comparing.Enter(ctx, 1)
		if err != nil {
			return t, context.Cause(ctx)
		}
		defer leave()
	}
	var from, to changes.PageParts
	t.old, from, err1 = versionText(ctx, d.old, p.Old.Number, old)
	t.new, to, err2 = versionText(ctx, d.new, p.New.Number, new)
	if err := cmp.Or(err1, err2); err != nil {
		return t, err
	}
	for _, c := range changes.ComparePages(from, to) {
		part := partDiff{PartChange: c}
		if p.IsAdded() {
			part.Kind = changes.PartAdded
		}
		for _, e := range c.Edits {
			part.added, part.removed = part.added+e.New.Size(), part.removed+e.Old.Size()
		}
		part.isBlank = part.Kind == changes.PartChanged && part.IsExact && len(bytes.TrimSpace(t.changedLines(part))) == 0
		t.parts = append(t.parts, part)
	}
	return t, nil
}

// versionText cuts a page into parts. The only block left in the page is the one with its title.
func versionText(ctx context.Context, of answers.Member, number int, doc document.Document) (cachePage, changes.PageParts, error) {
	p, err := pageOf(ctx, of, number, doc)
	if err != nil {
		return p, changes.PageParts{}, err
	}
	text := changes.NewPageParts(doc.Content, p.blocks)
	at := max(0, slices.IndexFunc(p.blocks, func(b markdown.Block) bool { return b.Title != "" }))
	p.blocks, p.parts = slices.Clone(p.blocks[at:at+1]), nil
	return p, text, nil
}

// changedLines returns the lines of a part that differ, in both versions.
func (t pageTexts) changedLines(part partDiff) (text []byte) {
	old, new := linesIn(t.old, part.Old), linesIn(t.new, part.New)
	for _, e := range part.Edits {
		for _, line := range slices.Concat(old[e.Old.Start:e.Old.End], new[e.New.Start:e.New.End]) {
			text = append(text, line...)
		}
	}
	return text
}

// linesIn returns the lines of a part with their line ends.
func linesIn(p cachePage, part changes.PagePart) []string {
	return strings.SplitAfter(string(p.doc.Content[part.Start:part.End]), "\n")
}

// closeLines is the maximum of lines between two changes in the same hunk. A hunk includes a line
// of context before and after, unless this line is blank, as it often is in Markdown.
const closeLines = 2

// A DiffLine is a line of a unified diff.
type DiffLine struct {
	Kind byte // ' ', '-' or '+'; '@' for the numbers of the lines below; or '\\' after a line without a line end
	Text string
}

// contentOf returns the text of a diff.
func contentOf(lines []DiffLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text)
	}
	return b.String()
}

// A diffEdit is a change in a unified diff. The last one of a hunk only consists of context.
type diffEdit struct {
	context        []DiffLine // before the change; in the first change of a hunk, also the numbers of its lines
	lines          []DiffLine
	removed, added int
}

func (e diffEdit) all() []DiffLine { return slices.Concat(e.context, e.lines) }

// edits returns the changes of a part as hunks of a unified diff, with the numbers of the lines in
// the page.
func (t pageTexts) edits(part partDiff) (all []diffEdit) {
	if !part.IsExact || len(part.Edits) == 0 {
		return nil
	}
	old, new := linesIn(t.old, part.Old), linesIn(t.new, part.New)
	firstOld, firstNew := 0, 0
	if part.Kind != changes.PartAdded {
		firstOld = t.old.line(part.Old.Start)
	}
	if part.Kind != changes.PartRemoved {
		firstNew = t.new.line(part.New.Start)
	}
	for edits := part.Edits; len(edits) > 0; {
		n := 1
		for n < len(edits) && edits[n].Old.Start-edits[n-1].Old.End <= closeLines {
			n++
		}
		all = append(all, hunkOf(edits[:n], old, new, firstOld, firstNew)...)
		edits = edits[n:]
	}
	return all
}

// hunkOf returns edits with the lines around them.
func hunkOf(edits []changes.LineEdit, old, new []string, firstOld, firstNew int) (hunk []diffEdit) {
	first, last := edits[0], edits[len(edits)-1]
	before, after := 0, 0
	if at := first.Old.Start; at > 0 && !isBlank(old[at-1]) {
		before = 1
	}
	if at := last.Old.End; at < len(old) && !isBlank(old[at]) {
		after = 1
	}
	removed := changes.Lines{Start: first.Old.Start - before, End: last.Old.End + after}
	added := changes.Lines{Start: first.New.Start - before, End: last.New.End + after}
	context := []DiffLine{{'@', fmt.Sprintf("@@ -%s +%s @@\n", hunkRange(firstOld, removed), hunkRange(firstNew, added))}}
	at := removed.Start
	for _, e := range edits {
		hunk = append(hunk, diffEdit{
			context: slices.Concat(context, diffLines(' ', old[at:e.Old.Start])),
			lines:   slices.Concat(diffLines('-', old[e.Old.Start:e.Old.End]), diffLines('+', new[e.New.Start:e.New.End])),
			removed: e.Old.Size(), added: e.New.Size(),
		})
		context, at = nil, e.Old.End
	}
	return append(hunk, diffEdit{context: diffLines(' ', old[at:removed.End])})
}

// diffLines returns lines of a kind.
func diffLines(kind byte, lines []string) (all []DiffLine) {
	for _, line := range lines {
		if strings.HasSuffix(line, "\n") {
			all = append(all, DiffLine{kind, string(kind) + line})
		} else {
			all = append(all, DiffLine{kind, string(kind) + line + "\n"}, DiffLine{'\\', "\\ No newline at end of file\n"})
		}
	}
	return all
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

// hunkRange returns lines as in the head of a hunk: the first line, and their number unless it is
// 1.
func hunkRange(first int, lines changes.Lines) string {
	start := first + lines.Start
	switch lines.Size() {
	case 0:
		return fmt.Sprintf("%d,0", max(start-1, 0))
	case 1:
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines.Size())
}
