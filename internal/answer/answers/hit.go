package answers

import (
	"slices"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

// A Hit is a section with terms of a query, or a page if the request asks for
// [selection.Documents].
type Hit struct {
	Member  string         // name of its cache
	ID      document.ID    // of the page, without the name
	Page    int            // number of the page in its cache, for [Cache.ReadAt]
	Section int            // number of the section in its page, from 0
	Slug    string         // of the section; "" if it is the whole page
	Span    document.Span  // without the lead and the tail
	Lead    document.Range // of the page; [Ranking.Read] returns it before the span
	Tail    document.Range // of the page; [Ranking.Read] returns it after the span
	Score   uint32         // share of the highest score that the query allows, in units of 1/[selection.One]
	Tokens  uint64

	// DuplicateOf is the number in [Ranking.Hits], from 0, of the hit that this hit
	// duplicates or nearly duplicates. It is -1 if there is no such hit.
	DuplicateOf int

	page    uint32 // number in the set
	ordinal uint32 // of the section in the set
	isPage  bool
	home    *memberIndex
}

// pageHit returns a page as a hit.
func (j *joined) pageHit(page uint32, size int) (Hit, error) {
	m, n := j.home(page)
	entry, err := m.Entry(n)
	return Hit{
		Member: m.of.Name, ID: entry.ID, Page: n, Span: document.Span{ID: entry.ID, End: size},
		Tokens: selection.TokensOf(size), DuplicateOf: -1, page: page, isPage: true, home: m,
	}, err
}

// sectionHit returns a section as a hit.
func (j *joined) sectionHit(ordinal uint32) (hit Hit, err error) {
	at, err := j.place(ordinal)
	if err != nil {
		return hit, err
	}
	if hit, err = j.pageHit(at.page, 0); err != nil {
		return hit, err
	}
	found, err := at.member.Section(at.local)
	if err != nil {
		return hit, err
	}
	hit.isPage, hit.ordinal, hit.Section = false, ordinal, at.n
	hit.Span.Start, hit.Span.End, hit.Lead, hit.Tail = found.Start, found.End, found.Lead, found.Tail
	hit.Tokens, hit.Slug = selection.TokensOf(found.PrintedSize()), found.Slug
	return hit, nil
}

// Check fails with [fault.CacheInvalid] unless parts, which are the sections of the page, contain
// the section. An index whose checksums are right can still name sections that don't exist.
func (h Hit) Check(parts []sections.Section) error {
	if h.isPage || h.Section < len(parts) && h.isAt(parts[h.Section]) {
		return nil
	}
	return h.noSection()
}

func (h Hit) isAt(s sections.Section) bool {
	return h.Span.Start == s.Start && h.Span.End == s.End && h.Lead == s.Lead && h.Tail == s.Tail && h.Slug == s.Slug
}

func (h Hit) noSection() error {
	return h.home.Disproved("%s contains no section from %d to %d", h.ID, h.Span.Start, h.Span.End)
}

// IsSame reports whether two hits refer to the same section or page.
func (h Hit) IsSame(other Hit) bool { return h.Member == other.Member && h.Span == other.Span }

// Follows reports whether a section is the next section of the page.
func (h Hit) Follows(before Hit) bool {
	return h.Member == before.Member && h.Page == before.Page && h.Section == before.Section+1
}

// printedID returns the ID of a hit as answers contain it: with the name of its member.
func (h Hit) printedID() document.ID {
	id := h.ID
	if h.Member != "" {
		id = document.ID(h.Member) + ":" + id
	}
	if h.isPage {
		return id
	}
	return sections.ID(id, h.Slug)
}

// A HitText is a hit with its content.
type HitText struct {
	Page    document.Document // the whole page
	Content []byte            // of the hit
	Version document.Version  // of Content
}

// text reads the page of a hit and compares it with the manifest. It fails if the page contradicts
// the hit. The HitText is only valid until the next call.
func (j *joined) text(h Hit) (text HitText, err error) {
	if text.Page, err = j.read(h.page); err != nil {
		return text, err
	}
	text.Content, text.Version = text.Page.Content, text.Page.Version
	if !h.isPage {
		var isThere bool
		if text.Content, isThere = h.printed(text.Page.Content); !isThere {
			return text, h.noSection()
		}
		text.Version = document.VersionOf(text.Content)
	}
	if selection.TokensOf(len(text.Content)) != h.Tokens {
		return text, h.home.Disproved("%s contains %d bytes", h.ID, len(text.Page.Content))
	}
	return text, nil
}

// printed returns what is printed of a section: its lead, its bytes and its tail. isThere is false
// if the page is too short, or if the section doesn't consist of whole lines.
func (h Hit) printed(page []byte) (printed []byte, isThere bool) {
	isBreak := func(at int) bool { return at == 0 || at == len(page) || page[at-1] == '\n' || page[at-1] == '\r' }
	if max(h.Span.End, h.Tail.End) > len(page) || !isBreak(h.Span.Start) || !isBreak(h.Span.End) {
		return nil, false
	}
	printed = page[h.Span.Start:h.Span.End]
	if h.Lead.Size()+h.Tail.Size() > 0 {
		printed = slices.Concat(page[h.Lead.Start:h.Lead.End], printed, page[h.Tail.Start:h.Tail.End])
	}
	return printed, utf8.Valid(printed)
}
