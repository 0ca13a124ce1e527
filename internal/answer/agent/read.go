package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/internal/pages/sections"
)

// A ReadRequest asks for texts.
type ReadRequest struct {
	References []string      // see find and findContext; at least one
	MaxTokens  int           // of all texts together; 0 means DefaultTokens
	Project    ProjectReader // nil if there is none
}

const (
	mostReferences = 1000 // in a request
	mostWrong      = 20   // explained references
)

// DefaultTokens is the default budget, which is small enough for every client. MostTokens is the
// maximum for tools.
const (
	DefaultTokens = 2000
	MostTokens    = 50_000
)

// Read prints sections of pages and contexts of directories unchanged. If a text is too large, it
// ends between two sections, or between two blocks if not even the first section fits, and says how
// to continue. It never cuts a block, and never separates a heading from the text below. If
// references are unknown, Read fails with an [ArgumentError] that lists them, but still returns the
// other texts.
func Read(ctx context.Context, set *answers.Set, request ReadRequest) (*Answer, error) {
	if len(request.References) == 0 {
		return nil, argumentErrorf("nothing to read: give handles or IDs, such as guide/setup.md#install")
	}
	budget := cmp.Or(request.MaxTokens, DefaultTokens)
	var (
		items []PageText
		notes []AnswerLine
		wrong []string
		used  int
		from  []string // caches of the texts
	)
	if n := len(request.References); n > mostReferences {
		return nil, argumentErrorf("%s references: read at most %d at once", thousands(n), mostReferences)
	}
	for _, reference := range request.References {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		found, err := request.find(ctx, set, reference)
		if wanted, isWrong := errors.AsType[ArgumentError](err); isWrong {
			wrong = append(wrong, string(wanted))
			continue
		}
		if err != nil {
			return nil, err
		}
		it, note := found.take(budget - used)
		if len(it.Content) > 0 {
			used += tokensOf(len(it.Content))
			items = append(items, it)
			if p, isOfCache := found.(passage); isOfCache {
				from = append(from, p.of.Name)
			}
		}
		notes = append(notes, note)
	}
	if n := len(wrong) - mostWrong; n > 0 {
		wrong = append(wrong[:mostWrong], "and "+count(n, "more reference")+" that no page has")
	}
	var unknown error
	if len(wrong) > 0 {
		unknown = ArgumentError(strings.Join(wrong, "; "))
	}
	var a Answer
	if len(items) > 0 {
		a.texts("", items, fmt.Sprintf("%s of at most %s tokens", thousands(used), thousands(budget)))
	}
	for _, note := range notes {
		a.line("%s", note)
	}
	a.origins(set.Members(), func(name string) bool { return slices.Contains(from, name) })
	return &a, unknown
}

// A readable is the text for a reference.
type readable interface {
	// take returns the text that fits into a number of tokens, perhaps nothing, and a note about
	// it.
	take(tokens int) (it PageText, note AnswerLine)
}

// find returns the text for a reference: a part of a page, or a context, or a part of a page whose
// path contains the path of the reference. It tries them in this order.
func (r ReadRequest) find(ctx context.Context, set *answers.Set, reference string) (readable, error) {
	reference = strings.TrimSpace(reference)
	if r.Project == nil {
		return find(ctx, set.Members(), reference)
	}
	page, err := findWhole(ctx, set.Members(), reference)
	if _, isUnknown := errors.AsType[ArgumentError](err); !isUnknown && !errors.Is(err, errNoPage) {
		return page, err
	}
	found, contextErr := findContext(ctx, r.Project, reference)
	_, isInvalid := errors.AsType[ArgumentError](contextErr)
	switch {
	case contextErr == nil || isInvalid:
		return found, contextErr
	case len(set.Members()) > 0 && !strings.HasPrefix(reference, projectPrefix):
		return find(ctx, set.Members(), reference)
	case fault.CodeOf(contextErr) == fault.Stale:
		return nil, unknownContext(ctx, r.Project, reference)
	}
	return nil, contextErr
}

func (p passage) take(tokens int) (it PageText, note AnswerLine) {
	end := p.fit(tokens)
	if end > p.start {
		it = p.read(end)
	}
	return it, p.note(end)
}

// fit returns where an answer of at most a number of tokens must end: at the end of the passage,
// after the last section that fits, or else after the last block that fits. If no block fits, it
// returns the start of the passage.
func (p passage) fit(tokens int) int {
	end, isFit := lastEnd(func(end int) bool { return p.tokens(end) <= tokens }, []int{p.end}, p.sectionEnds(), p.blockEnds())
	if !isFit {
		return p.start
	}
	return end
}

// lastEnd returns the last end that fits, from the first list that contains such an end.
func lastEnd(fits func(end int) bool, lists ...[]int) (end int, isFit bool) {
	for _, ends := range lists {
		for _, end := range slices.Backward(ends) {
			if fits(end) {
				return end, true
			}
		}
	}
	return 0, false
}

// sectionEnds returns where sections end in the passage.
func (p passage) sectionEnds() (ends []int) {
	for _, part := range p.parts {
		if p.start < part.End && part.End < p.end {
			ends = append(ends, part.End)
		}
	}
	return ends
}

// blockEnds returns where blocks end in the passage, except headings.
func (p passage) blockEnds() (ends []int) {
	for i, b := range p.blocks[1:] {
		if p.start < b.Start && b.Start < p.end && p.blocks[i].Level == 0 {
			ends = append(ends, b.Start)
		}
	}
	return ends
}

// tokens returns the printed size of the passage up to end.
func (p passage) tokens(end int) int {
	size := end - p.start
	if first, last, isWhole := p.sections(end); isWhole {
		size += p.parts[first].Lead.Size() + p.parts[last].Tail.Size()
	}
	return tokensOf(size)
}

// leastTokens returns the size of the smallest printable part of the passage.
func (p passage) leastTokens() int {
	least := p.tokens(p.end)
	for _, end := range slices.Concat(p.sectionEnds(), p.blockEnds()) {
		least = min(least, p.tokens(end))
	}
	return least
}

// sections returns the first and the last section of the passage up to end. isWhole reports whether
// the passage consists of whole sections.
func (p passage) sections(end int) (first, last int, isWhole bool) {
	first, last = p.partAt(p.start), p.partAt(end-1)
	return first, last, p.parts[first].Start == p.start && p.parts[last].End == end
}

// read returns the framed text of the passage up to end.
func (p passage) read(end int) PageText {
	if first, last, isWhole := p.sections(end); isWhole {
		return p.framedText(first, last)
	}
	return p.span(p.start, end)
}

// note describes the text before and after the passage, if it was read up to end.
func (p passage) note(end int) AnswerLine {
	switch end {
	case p.end:
		if p.start == p.end {
			return lineOf("%s is empty", p.ref(0))
		}
	case p.start:
		return lineOf("%s does not fit: its first block has %s tokens; give more max_tokens",
			p.ref(p.partAt(p.start)+1), thousands(p.leastTokens()))
	}
	var parts []AnswerLine
	add := func(format string, args ...any) { parts = append(parts, lineOf(format, args...)) }
	switch first := p.partAt(p.start); {
	case p.start > p.parts[first].Start:
		s := p.parts[first]
		add("that is a part of %s %s", shortHeading(p.heading(first)), p.extent(s.Start, s.End))
		if above := p.textAbove(p.start, s); above != "" {
			add("%s", above)
		}
	case first > 0:
		add("before: %s", p.describe(first-1))
	}
	switch {
	case end == len(p.doc.Content):
	case p.parts[p.partAt(end)].Start == end:
		next := p.partAt(end)
		add("after: %s", p.describe(next))
		if end < p.end || next+1 < len(p.parts) {
			left := tokensOf(len(p.doc.Content) - end)
			add("%s reads the rest of the page, %s tokens", AnswerPiece{p.handle(next+1) + "..", Handle}, thousands(left))
		}
	default:
		if at := p.headingAt(end); at >= 0 {
			add("after: %s", p.describeText(at))
		}
		left := tokensOf(len(p.doc.Content) - end)
		add("%s#L%s.. reads on, %s tokens", p.name(), p.line(end), thousands(left))
	}
	if len(parts) == 0 {
		add("that is all of the page")
	}
	return lineOf("%s: %s", p.ref(p.partAt(p.start)+1), joined(parts, "; "))
}

// describe returns the handle, the heading, the lines and the size of a section.
func (p cachePage) describe(part int) AnswerLine {
	s := p.parts[part]
	return lineOf("%s %s %s", p.ref(part+1), shortHeading(p.heading(part)), p.extent(s.Start, s.End))
}

// extent returns the lines and the size of a range of bytes.
func (p cachePage) extent(start, end int) string {
	return fmt.Sprintf("(lines %s, %s tokens)", p.lines(start, end), thousands(tokensOf(end-start)))
}

// textAbove describes the text below the last heading before an offset in a section. It returns ""
// if there is no such heading, or if the text is the whole section.
func (p cachePage) textAbove(offset int, section sections.Section) string {
	for i, b := range slices.Backward(p.blocks) {
		switch {
		case b.Start < section.Start:
			return ""
		case b.Start >= offset || b.Level == 0:
		case p.headingAt(offset) >= 0:
			return "before: " + p.describeText(i)
		case b.Start == section.Start && p.textEnd(i) == section.End:
			return ""
		default:
			return "below " + p.describeText(i)
		}
	}
	return ""
}

// headingAt returns the index in blocks of the heading at an offset, or -1.
func (p cachePage) headingAt(offset int) int {
	return slices.IndexFunc(p.blocks, func(b markdown.Block) bool { return b.Start == offset && b.Level > 0 })
}

// textEnd returns where the text below a heading ends, which is at the next heading.
func (p cachePage) textEnd(heading int) int {
	for _, b := range p.blocks[heading+1:] {
		if b.Level > 0 {
			return b.Start
		}
	}
	return len(p.doc.Content)
}

// describeText returns the anchor and the lines of the text below a heading. If the anchor is too
// long, it returns the heading instead.
func (p cachePage) describeText(heading int) string {
	b := p.blocks[heading]
	name := "#" + b.Anchor
	if b.Anchor == "" || len(name) > longestHeading {
		name = shortHeading(b.Title)
	}
	return fmt.Sprintf("%s (lines %s)", name, p.lines(b.Start, p.textEnd(heading)))
}
