// Package changes finds the differences between two versions of documentation: lines of a text,
// parts of a page, and pages that moved. It is pure.
//
//	CompareLines   two texts   → edits of lines
//	ComparePages   two pages   → parts added, removed, changed or moved
//	FindMoves      removed and added pages → candidates for pages that moved
//
// The results depend only on the texts. Because texts can be hostile, all work is bounded: if two
// texts are too large or too different, the result is less exact and says so.
package changes

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/pages/markdown"
)

// A PageParts is a version of a page, cut into its parts.
type PageParts struct {
	Content []byte
	parts   []PagePart
}

// NewPageParts cuts a page into parts. The PageParts doesn't keep the blocks.
func NewPageParts(content []byte, blocks []markdown.Block) PageParts {
	return PageParts{content, partsOf(content, blocks)}
}

// A PagePart is a heading with the text up to the next heading. The front matter and the text above
// the first heading are parts, too. The borders of sections in an index depend on sizes, so a
// longer paragraph can move them; the borders of parts don't.
type PagePart struct {
	Start, End    int      // bytes of the content
	Headings      []string // from the title down, with its own heading last
	Anchor        string   // of its heading, if any
	IsFrontMatter bool
	Text          string // the bytes of the content
}

// mostParts bounds the headings of a page. If there are more, all of its text is a single part.
const mostParts = 20_000

// partsOf cuts a page into parts, which cover all of it.
func partsOf(content []byte, blocks []markdown.Block) (parts []PagePart) {
	body := blocks[0].Start
	if body > len("\ufeff") && len(bytes.TrimSpace(content[:body])) > 0 {
		parts = append(parts, PagePart{End: body, IsFrontMatter: true})
	} else {
		body = 0
	}
	var headings []markdown.Block
	for _, b := range blocks {
		if b.Level > 0 {
			headings = append(headings, b)
		}
		if len(headings) > mostParts {
			headings = nil
			break
		}
	}
	if len(headings) == 0 || headings[0].Start > body {
		headings = slices.Insert(headings, 0, markdown.Block{Start: body})
	}
	var above []markdown.Block
	for i, h := range headings {
		part := PagePart{Start: h.Start, End: len(content), Anchor: h.Anchor}
		if i+1 < len(headings) {
			part.End = headings[i+1].Start
		}
		if h.Level > 0 {
			for len(above) > 0 && above[len(above)-1].Level >= h.Level {
				above = above[:len(above)-1]
			}
			above = append(above, h)
			for _, b := range above {
				part.Headings = append(part.Headings, b.Title)
			}
		}
		parts = append(parts, part)
	}
	text := string(content)
	for i, part := range parts {
		parts[i].Text = text[part.Start:part.End]
	}
	return parts
}

// A ChangeKind says how a part of a page changed.
type ChangeKind string

// The kinds of changes.
const (
	PartAdded   ChangeKind = "added"
	PartRemoved ChangeKind = "removed"
	PartChanged ChangeKind = "changed"
	PartMoved   ChangeKind = "moved" // to another place in the page, unchanged
)

// A PartChange is a part that differs between two versions of a page.
type PartChange struct {
	Kind     ChangeKind
	Old, New PagePart   // zero if the part was added or removed
	Edits    []LineEdit // lines of the parts
	IsExact  bool       // otherwise the parts were too different to be compared line by line
}

// ComparePages returns the parts that changed from one version of a page to the next, in the order
// of the new page. Removed parts come before the next part that kept its place. The result is only
// empty if the contents are equal.
func ComparePages(old, new PageParts) (changes []PartChange) {
	p := pairing{old: old.parts, new: new.parts}
	p.toNew, p.toOld = slices.Repeat([]int{-1}, len(p.old)), slices.Repeat([]int{-1}, len(p.new))
	p.pairInOrder()
	p.pairBy(pathOf)
	p.pairBy(textOf)
	p.pairBy(bodyOf)
	p.pairSimilar()
	return p.changes()
}

func textOf(part PagePart) string { return part.Text }

// bodyOf returns the text of a part without its heading, or "" if it is short.
func bodyOf(part PagePart) string {
	_, body, _ := strings.Cut(part.Text, "\n")
	if body = strings.TrimSpace(body); len(body) < leastBody {
		return ""
	}
	return body
}

// leastBody is the minimum size of a text in bytes. Shorter texts can be equal by accident, so they
// don't say that a heading was renamed.
const leastBody = 40

// pathOf returns the headings of a part. Anchors would be simpler, but an added heading changes the
// anchors of all later headings with the same text.
func pathOf(part PagePart) string {
	if part.IsFrontMatter {
		return "\x00"
	}
	return "\x01" + strings.Join(part.Headings, "\x00")
}

// A pairing says which parts of two versions are the same part.
type pairing struct {
	old, new     []PagePart
	toNew, toOld []int // indexes of the other version; -1 means none
}

func (p *pairing) pair(i, j int) { p.toNew[i], p.toOld[j] = j, i }

// pairInOrder pairs the parts that are equal and in the same order.
func (p *pairing) pairInOrder() {
	ids := numbers{}
	isOldKept, isNewKept, _ := common(ids.of(texts(p.old)), ids.of(texts(p.new)))
	j := 0
	for i, isKept := range isOldKept {
		if !isKept {
			continue
		}
		for !isNewKept[j] {
			j++
		}
		p.pair(i, j)
		j++
	}
}

func texts(parts []PagePart) (all []string) {
	for _, part := range parts {
		all = append(all, part.Text)
	}
	return all
}

// pairBy pairs parts with the same key, in their order, unless they are paired already. Parts with
// an empty key stay alone.
func (p *pairing) pairBy(keyOf func(PagePart) string) {
	waiting := map[string][]int{}
	for i, part := range p.old {
		if p.toNew[i] < 0 {
			if key := keyOf(part); key != "" {
				waiting[key] = append(waiting[key], i)
			}
		}
	}
	for j, part := range p.new {
		if len(waiting) == 0 {
			return
		}
		if p.toOld[j] < 0 {
			if key := keyOf(part); len(waiting[key]) > 0 {
				p.pair(waiting[key][0], j)
				waiting[key] = waiting[key][1:]
			}
		}
	}
}

// mostCompared bounds how many pairs of texts pairSimilar compares.
const mostCompared = 2500

// pairSimilar pairs the remaining sections if they share at least half of their text, starting with
// the most similar.
func (p *pairing) pairSimilar() {
	alone := func(parts []PagePart, to []int) (alone []int) {
		for i, other := range to {
			if other < 0 && !parts[i].IsFrontMatter {
				alone = append(alone, i)
			}
		}
		return alone
	}
	olds, news := alone(p.old, p.toNew), alone(p.new, p.toOld)
	if len(olds)*len(news) > mostCompared {
		return
	}
	var like []Move
	for _, i := range olds {
		text := newLineSizes(p.old[i].Text)
		for _, j := range news {
			if share := text.similarity(p.new[j].Text); share >= SamePage {
				like = append(like, Move{i, j, share})
			}
		}
	}
	for _, m := range Best(like) {
		p.pair(m.Old, m.New)
	}
}

// changes returns the differences between paired parts, and the parts without a pair.
func (p *pairing) changes() (changes []PartChange) {
	inPlace := p.inPlace()
	next := 0 // in old
	removeUpTo := func(end int) {
		for ; next < end; next++ {
			if part := p.old[next]; p.toNew[next] < 0 {
				lines := Lines{0, countLines([]byte(part.Text))}
				changes = append(changes, PartChange{Kind: PartRemoved, Old: part, Edits: []LineEdit{{Old: lines}}, IsExact: true})
			}
		}
	}
	for j, part := range p.new {
		i := p.toOld[j]
		if i < 0 {
			lines := Lines{0, countLines([]byte(part.Text))}
			changes = append(changes, PartChange{Kind: PartAdded, New: part, Edits: []LineEdit{{New: lines}}, IsExact: true})
			continue
		}
		if inPlace[j] {
			removeUpTo(i)
		}
		c := PartChange{Kind: PartChanged, Old: p.old[i], New: part}
		c.Edits, c.IsExact = CompareLines([]byte(c.Old.Text), []byte(part.Text))
		if len(c.Edits) == 0 {
			if c.Kind = PartMoved; inPlace[j] {
				continue
			}
		}
		changes = append(changes, c)
	}
	removeUpTo(len(p.old))
	return changes
}

// inPlace reports for each part of the new page whether it kept its place: whether it belongs to
// the longest run of pairs in the order of the old page.
func (p *pairing) inPlace() []bool {
	var ends []int // new parts at which the best runs of each length end
	before := make([]int, len(p.new))
	for j, i := range p.toOld {
		if i < 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(ends, i, func(end, i int) int { return cmp.Compare(p.toOld[end], i) })
		before[j] = -1
		if at > 0 {
			before[j] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, j)
		} else {
			ends[at] = j
		}
	}
	inPlace := make([]bool, len(p.new))
	if len(ends) > 0 {
		for j := ends[len(ends)-1]; j >= 0; j = before[j] {
			inPlace[j] = true
		}
	}
	return inPlace
}
