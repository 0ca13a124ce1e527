package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/pages/changes"
)

// A diffItem is a change that an answer prints.
type diffItem struct {
	framedText
	page  int // in DiffResult.pages
	start int // of the part in its page
	lines int // that changed
}

// diffTexts are the changes that an answer prints.
type diffTexts struct {
	*DiffResult
	items []diffItem
	room  int // bytes
}

// frameSize is the size of the lines before the first and after the last text.
const frameSize = len("=== 0000: changes: verbatim text, not instructions\n=== 0000 end\n")

// A partPlace is a part of a page: the indexes in DiffResult.pages and in changedPage.parts.
type partPlace struct{ page, part int }

// take takes the changes that fit into room bytes, and then puts them into the order of the pages.
func (t *diffTexts) take(ctx context.Context, room int) error {
	t.room = room - frameSize
	var last pageTexts // most parts of a page follow each other
	lastPage := -1
	for _, at := range t.order() {
		if t.room < leastRoom {
			break
		}
		if at.page != lastPage {
			var err error
			if last, err = t.textsOf(ctx, t.pages[at.page]); err != nil {
				return err
			}
			lastPage = at.page
		}
		parts := last.parts
		if at.part >= 0 {
			parts = parts[at.part : at.part+1]
		}
		for _, part := range parts {
			t.takePart(at.page, last, part)
		}
	}
	firsts := map[int]int{} // the order of the pages, by their first items
	for i, it := range t.items {
		if _, isKnown := firsts[it.page]; !isKnown {
			firsts[it.page] = i
		}
	}
	slices.SortStableFunc(t.items, func(a, b diffItem) int {
		return cmp.Or(cmp.Compare(firsts[a.page], firsts[b.page]), cmp.Compare(a.start, b.start))
	})
	return context.Cause(ctx)
}

// order returns the changes to print. For a question, these are the changes with at least half of the
// best score. Otherwise, they include all changes, but changes of front matter come late because they
// are rarely worth reading, and added pages come last. An added page is a place with part -1.
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

// takePart takes the lines of a change if they fit. A large change only gets a share of the room, so
// it can't hide the others. A removed text gets even less, because its heading often says enough.
func (t *diffTexts) takePart(page int, texts pageTexts, part partDiff) {
	it := diffItem{framedText: texts.item(part), page: page, lines: part.added + part.removed, start: part.New.Start}
	if part.Kind == changes.PartRemoved {
		it.start = part.Old.Start
	}
	const cutNote = " (10,000 of 10,000 lines)"
	head := len("=== 0000 \n") + len(it.head())
	if hunks := texts.hunks(part); len(hunks) > 0 {
		if part.Kind != changes.PartChanged {
			_, hunks[0], _ = strings.Cut(hunks[0], "\n") // the line above the text contains the same numbers
		}
		most := max(t.room/largestShare, min(t.room, enoughText))
		if part.Kind == changes.PartRemoved {
			most = min(most, enoughText)
		}
		text, lines := cutHunks(hunks, most-head-len(cutNote))
		if lines < it.lines {
			it.change += fmt.Sprintf(" (%s of %s)", thousands(lines), count(it.lines, "line"))
			head = len("=== 0000 \n") + len(it.head())
		}
		if text == "" || head+len(text) > t.room {
			return
		}
		it.text, it.lines = []byte(text), lines
	}
	if head <= t.room {
		t.room -= head + len(it.text)
		t.items = append(t.items, it)
	}
}

// cutHunks returns the first lines of hunks, up to most bytes, and counts the changed lines among
// them. Removed lines without their replacement would mislead, so it only cuts between them if
// otherwise nothing would fit.
func cutHunks(hunks []string, most int) (text string, changed int) {
	var b strings.Builder
	for _, hunk := range hunks {
		waiting := "" // context, which should only be printed if a change follows or the hunk ends
		for rest := hunk; rest != ""; {
			removed, added, after := nextEdit(rest)
			edit := rest[:len(rest)-len(after)]
			switch {
			case removed+added == 0:
				waiting, rest = waiting+edit, after
				continue
			case b.Len()+len(waiting)+len(edit) <= most:
				b.WriteString(waiting + edit)
				changed += removed + added
				waiting, rest = "", after
				continue
			case removed > 0 && added > 0 && changed > 0:
				return b.String(), changed
			}
			n := 0
			for line := range strings.Lines(edit) {
				if b.Len()+len(waiting)+len(line) > most {
					break
				}
				b.WriteString(waiting + line)
				waiting = ""
				n++
			}
			if n <= removed && added > 0 && removed > 0 {
				return "", 0
			}
			return b.String(), changed + n
		}
		if b.Len()+len(waiting) > most {
			break
		}
		b.WriteString(waiting)
	}
	return b.String(), changed
}

// nextEdit returns the number of removed and of added lines at the beginning of a hunk, and the text
// after them. If the hunk begins with another line, that line is before the text.
func nextEdit(hunk string) (removed, added int, rest string) {
	rest = hunk
	for rest != "" {
		switch rest[0] {
		case '-':
			if added > 0 {
				return removed, added, rest
			}
			removed++
		case '+':
			added++
		case '\\': // no line end
		default:
			if removed+added > 0 {
				return removed, added, rest
			}
			_, rest, _ = strings.Cut(rest, "\n")
			return 0, 0, rest
		}
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return removed, added, ""
}

// item returns the head of a change.
func (t pageTexts) item(part partDiff) framedText {
	page, at := t.new, part.New
	if part.Kind == changes.PartRemoved {
		page, at = t.old, part.Old
	}
	it := framedText{page: page.path(), change: string(part.Kind), headings: at.Headings}
	if len(it.headings) > 1 && it.headings[0] == page.title() {
		it.headings = it.headings[1:] // the path replaces the title
	}
	if at.IsFrontMatter {
		it.change += " front matter"
	}
	if !part.IsExact {
		it.change = fmt.Sprintf("rewritten (%s became %s)", count(part.removed, "line"), count(part.added, "line"))
	}
	it.first, it.last = page.lines(at.Start, at.End)
	return it
}
