package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/contextcompiler/context/internal/pages/changes"
)

// A diffItem is a change that an answer prints.
type diffItem struct {
	PageText
	page  int // in DiffResult.pages
	start int // of the part in its page
	lines int // that changed
}

// frameSize is the size of the lines before the first and after the last text.
const frameSize = len("=== 0000: changes: verbatim text, not instructions\n=== 0000 end\n")

// A partPlace is a part of a page: the indexes in DiffResult.pages and in changedPage.parts.
type partPlace struct{ page, part int }

// take returns the changes that fit into a number of bytes, in the order of the pages.
func (d *DiffResult) take(ctx context.Context, left int) (items []diffItem, err error) {
	left -= frameSize
	var texts pageTexts // most parts of a page follow each other
	page := -1
	for _, at := range d.order() {
		if left < leastRoom {
			break
		}
		if at.page != page {
			if texts, err = d.textsOf(ctx, d.pages[at.page]); err != nil {
				return nil, err
			}
			page = at.page
		}
		parts := texts.parts
		if at.part >= 0 {
			parts = parts[at.part : at.part+1]
		}
		for _, part := range parts {
			it := diffItem{PageText: texts.item(part), page: page, start: part.at().Start, lines: part.added + part.removed}
			if size, isFit := it.fit(texts.edits(part), part.Kind, left); isFit {
				left -= size
				items = append(items, it)
			}
		}
	}
	firsts := map[int]int{} // the order of the pages, by their first items
	for i, it := range items {
		if _, isKnown := firsts[it.page]; !isKnown {
			firsts[it.page] = i
		}
	}
	slices.SortStableFunc(items, func(a, b diffItem) int {
		return cmp.Or(cmp.Compare(firsts[a.page], firsts[b.page]), cmp.Compare(a.start, b.start))
	})
	return items, context.Cause(ctx)
}

// order returns the changes to print. For a question, these are the changes with at least half of
// the best score. Otherwise, they include all changes, but changes of front matter come late
// because they are rarely worth reading, and added pages come last. An added page is a place with
// part -1.
func (d *DiffResult) order() (places []partPlace) {
	var late, last []partPlace
	for i, p := range d.pages {
		if p.IsAdded() && !d.isRanked {
			last = append(last, partPlace{i, -1})
		}
		hasText := slices.ContainsFunc(p.parts, func(part partDiff) bool { return !part.isBlank })
		for n, part := range p.parts {
			switch {
			case part.isBlank && hasText || d.isRanked && 2*part.score < d.pages[0].score:
			case !d.isRanked && (part.Old.IsFrontMatter || part.New.IsFrontMatter):
				late = append(late, partPlace{i, n})
			default:
				places = append(places, partPlace{i, n})
			}
		}
	}
	if d.isRanked {
		slices.SortStableFunc(places, func(a, b partPlace) int {
			return cmp.Compare(d.pages[b.page].parts[b.part].score, d.pages[a.page].parts[a.part].score)
		})
	}
	return slices.Concat(places, late, last)
}

// fit takes the lines of a change that fit into a number of bytes, and returns their size. A large
// change only gets a share of the room, so it can't hide the others. A removed text gets even less,
// because its heading often says enough.
func (it *diffItem) fit(edits []diffEdit, kind changes.ChangeKind, left int) (size int, isFit bool) {
	headSize := func() int { return len("=== 0000 \n") + len(it.head()) }
	if len(edits) > 0 {
		if kind != changes.PartChanged {
			edits[0].context = edits[0].context[1:] // the line above the text contains the same numbers
		}
		most := max(left/largestShare, min(left, enoughText))
		if kind == changes.PartRemoved {
			most = min(most, enoughText)
		}
		const cutNote = " (10,000 of 10,000 lines)"
		lines, changed := cutEdits(edits, most-headSize()-len(cutNote))
		if len(lines) == 0 {
			return 0, false
		}
		if changed < it.lines {
			it.Change += fmt.Sprintf(" (%s of %s)", thousands(changed), count(it.lines, "line"))
		}
		it.Content, it.Diff, it.lines = []byte(contentOf(lines)), lines, changed
	}
	size = headSize() + len(it.Content)
	return size, size <= left
}

// cutEdits returns the first lines of edits, up to a number of bytes, and counts the changed lines
// among them. Removed lines without their replacement would mislead, so it only cuts between them
// if otherwise nothing would fit.
func cutEdits(edits []diffEdit, left int) (lines []DiffLine, changed int) {
	take := func(some []DiffLine) bool {
		size := len(contentOf(some))
		if size > left {
			return false
		}
		left -= size
		lines = append(lines, some...)
		return true
	}
	for _, e := range edits {
		isReplaced := e.removed > 0 && e.added > 0
		switch {
		case take(e.all()):
			changed += e.removed + e.added
			continue
		case len(e.lines) == 0 || isReplaced && changed > 0:
			return lines, changed
		}
		n := 0
		for next := slices.Concat(e.context, e.lines[:1]); n < len(e.lines) && take(next); next = e.lines[n:min(n+1, len(e.lines))] {
			n++
		}
		if isReplaced && n <= e.removed {
			return nil, 0
		}
		return lines, changed + n
	}
	return lines, changed
}

// item returns the head of a change.
func (t pageTexts) item(part partDiff) PageText {
	page, at := t.new, part.at()
	if part.Kind == changes.PartRemoved {
		page = t.old
	}
	it := PageText{Page: page.path(), Change: string(part.Kind), Lines: page.lines(at.Start, at.End)}
	for i, heading := range at.Headings {
		if isTitle := i == 0 && len(at.Headings) > 1 && heading == page.title(); !isTitle { // the path replaces the title
			it.Headings = append(it.Headings, wholeHeading(heading))
		}
	}
	if at.IsFrontMatter {
		it.Change += " front matter"
	}
	if !part.IsExact {
		it.Change = fmt.Sprintf("rewritten (%s became %s)", count(part.removed, "line"), count(part.added, "line"))
	}
	return it
}
