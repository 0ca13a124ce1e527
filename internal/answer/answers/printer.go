package answers

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

// maxHeld is how many bytes of documents a printer keeps, which is enough for usual
// budgets.
const maxHeld = 8 << 20

// A printer reads the choices. Before it prints the first, it reads and checks all of
// them, except the documents that a stream has already checked. It keeps the first
// maxHeld bytes and must read and check the rest again.
type printer struct {
	*candidates
	chosen   []choice // in the order of the result
	held     []resultItem
	last     document.Document // the last document read
	lastPage uint32
}

type resultItem struct {
	version document.Version
	content []byte
	item    item
}

// hold reads and checks the choices, and keeps their first maxHeld bytes.
func (p *printer) hold(ctx context.Context) error {
	room := maxHeld
	for _, c := range p.chosen {
		room -= c.size
		if from, _ := p.home(c.page); room < 0 && from.isChecked {
			continue
		}
		next, err := p.read(c)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return err
		}
		if room >= 0 {
			next.content = bytes.Clone(next.content)
			p.held = append(p.held, next)
		}
	}
	return nil
}

// print returns the i-th item, which is valid until the next call.
func (p *printer) print(i int) (resultItem, error) {
	if i < len(p.held) {
		return p.held[i], nil
	}
	return p.read(p.chosen[i])
}

func (p *printer) read(c choice) (resultItem, error) {
	next, err := p.fetch(c)
	if err == nil && p.matcher != nil {
		next.item.TermMatches, next.item.TotalWords = p.matcher.Match(next.content)
	}
	return next, err
}

// fetch returns the item of a choice without its matches. It reads and checks the
// document, unless it is still the last document, and fails if the document contradicts
// the choice.
func (p *printer) fetch(c choice) (next resultItem, err error) {
	from, number := p.home(c.page)
	if p.lastPage != c.page || p.last.Content == nil {
		if p.last, err = from.read(number, c.entry); err != nil {
			return next, err
		}
		p.lastPage = c.page
	}
	next = resultItem{p.last.Version, p.last.Content, c.item}
	if p.unit == selection.Sections {
		if next, err = p.part(c, from); err != nil {
			return next, err
		}
	}
	if selection.TokensOf(len(next.content)) != c.item.Tokens {
		return next, from.mismatch("%s contains %d bytes", c.entry.ID, len(p.last.Content))
	}
	return next, nil
}

// part returns a section of the last document.
func (p *printer) part(c choice, from *home) (next resultItem, err error) {
	found, err := p.stats.section(c.ordinal)
	if err != nil {
		return next, err
	}
	content, isThere := printedOf(p.last.Content, found)
	if !isThere {
		return next, from.mismatch("%s contains no section from %d to %d", c.entry.ID, found.Start, found.End)
	}
	slug, err := p.stats.slug(c.ordinal)
	if err != nil {
		return next, err
	}
	next = resultItem{document.VersionOf(content), content, c.item}
	next.item.ID = sections.ID(c.item.ID, slug)
	return next, nil
}

// printedOf returns what is printed of a section: its lead, its bytes and its tail.
// isThere is false if the page is too short, or if the section doesn't consist of whole lines.
func printedOf(page []byte, s index.SectionRecord) (printed []byte, isThere bool) {
	isBreak := func(at int) bool { return at == 0 || at == len(page) || page[at-1] == '\n' || page[at-1] == '\r' }
	if max(s.End, s.Tail.End) > len(page) || !isBreak(s.Start) || !isBreak(s.End) {
		return nil, false
	}
	printed = page[s.Start:s.End]
	if s.PrintedSize() > len(printed) {
		printed = slices.Concat(page[s.Lead.Start:s.Lead.End], printed, page[s.Tail.Start:s.Tail.End])
	}
	return printed, utf8.Valid(printed)
}
