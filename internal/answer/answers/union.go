package answers

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

// A numbering maps the pages and sections of several members to their numbers in a single
// cache with all pages. Pages are in the order of their IDs, then of their members.
type numbering struct {
	pages     []memberPage
	pageIDs   []document.ID
	pageSizes []uint32   // by page: bytes of the content
	pageOf    [][]uint32 // by member and its page

	ordinalOf [][]uint32 // by member and ordinal of its postings: pageOf for selection 0

	all       sectionColumns // of all sections; empty for selection 0
	allFirsts []uint32       // the first section of each page, followed by the number of sections
	firsts    [][]uint32     // by member: the same for its pages
}

type memberPage struct{ member, page uint32 }

// numberings keeps the numberings of a Set, because they don't depend on the query.
type numberings struct {
	sync.Mutex
	of map[selection.Spec]*numbering
}

func (s *Set) numbering(by selection.Spec, members []stats) (*numbering, error) {
	var all []sectionColumns
	if by == selection.Spec1 { // each time, because an index that is used again keeps its sections
		var err error
		if all, err = columnsOf(members); err != nil {
			return nil, err
		}
	}
	s.layouts.Lock()
	defer s.layouts.Unlock()
	if known := s.layouts.of[by]; known != nil {
		return known, nil
	}
	l, err := numberPages(members)
	if err != nil {
		return nil, err
	}
	l.ordinalOf = l.pageOf
	if by == selection.Spec1 {
		if err := l.addSections(members, all); err != nil {
			return nil, err
		}
	}
	if s.layouts.of == nil {
		s.layouts.of = map[selection.Spec]*numbering{}
	}
	s.layouts.of[by] = l
	return l, nil
}

// numberPages returns a numbering of pages without sections.
func numberPages(members []stats) (*numbering, error) {
	l := &numbering{pageOf: make([][]uint32, len(members))}
	lists := make([][]orderedPage, len(members))
	sizes := make([][]uint32, len(members))
	for i, m := range members {
		ids, err := m.ids()
		if err != nil {
			return nil, err
		}
		if sizes[i], err = m.sizes(); err != nil {
			return nil, err
		}
		lists[i] = make([]orderedPage, len(ids))
		for page, id := range ids {
			lists[i][page] = orderedPage{id, memberPage{uint32(i), uint32(page)}}
		}
		l.pageOf[i] = make([]uint32, len(ids))
	}
	order := mergePages(lists)
	l.pages = make([]memberPage, len(order))
	l.pageIDs = make([]document.ID, len(order))
	l.pageSizes = make([]uint32, len(order))
	for n, p := range order {
		l.pages[n], l.pageIDs[n] = p.memberPage, p.id
		l.pageSizes[n] = sizes[p.member][p.page]
		l.pageOf[p.member][p.page] = uint32(n)
	}
	return l, nil
}

type orderedPage struct {
	id document.ID
	memberPage
}

// mergePages merges sorted lists. If IDs are equal, the first list wins.
func mergePages(lists [][]orderedPage) []orderedPage {
	if len(lists) == 1 {
		return lists[0]
	}
	half := len(lists) / 2
	a, b := mergePages(lists[:half]), mergePages(lists[half:])
	merged := make([]orderedPage, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if b[0].id < a[0].id {
			merged, b = append(merged, b[0]), b[1:]
		} else {
			merged, a = append(merged, a[0]), a[1:]
		}
	}
	return append(append(merged, a...), b...)
}

func columnsOf(members []stats) (all []sectionColumns, err error) {
	all = make([]sectionColumns, len(members))
	for i, m := range members {
		if all[i], err = m.columns(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// addSections numbers the sections in the order of their pages.
func (l *numbering) addSections(members []stats, columns []sectionColumns) error {
	count := 0
	l.ordinalOf = nil
	for i, c := range columns {
		firsts, err := members[i].starts()
		if err != nil {
			return err
		}
		l.firsts = append(l.firsts, firsts)
		l.ordinalOf = append(l.ordinalOf, make([]uint32, c.sections.Numbers.Len()))
		count += c.sections.Numbers.Len()
	}
	l.allFirsts = make([]uint32, 0, len(l.pages)+1)
	lengths := make([]uint32, 0, count)
	traits := make([]sections.Traits, 0, count)
	for _, p := range l.pages {
		from, firsts := columns[p.member], l.firsts[p.member]
		first, behind := firsts[p.page], firsts[p.page+1]
		next := uint32(len(lengths))
		for section := first; section < behind; section++ {
			l.ordinalOf[p.member][section] = next + section - first
			lengths = append(lengths, from.sections.Numbers.Length(section))
			traits = append(traits, from.sections.Numbers.Traits(section))
		}
		l.allFirsts = append(l.allFirsts, next)
	}
	l.allFirsts = append(l.allFirsts, uint32(len(lengths)))
	l.all.sections = ranking.NewColumns(index.NewSectionNumbers(lengths, traits))
	return nil
}

// unionStats combine the stats of several members with common numbers.
type unionStats struct {
	*numbering
	members []stats
}

func (u *unionStats) entry(page uint32) (cache.Entry, error) {
	p := u.pages[page]
	return u.members[p.member].entry(p.page)
}

func (u *unionStats) ids() ([]document.ID, error) { return u.pageIDs, nil }

func (u *unionStats) pageCount() int { return len(u.pages) }

func (u *unionStats) sizes() ([]uint32, error) { return u.pageSizes, nil }

func (u *unionStats) place(ordinal uint32) (page, first uint32, _ error) {
	page = ranking.PageOf(u.allFirsts, ordinal)
	return page, u.allFirsts[page], nil
}

func (u *unionStats) starts() ([]uint32, error) { return u.allFirsts, nil }

func (u *unionStats) wordHits(ctx context.Context) (words []uint32, hits []wordHit, err error) {
	words = make([]uint32, len(u.pages))
	matches := make([]uint32, len(u.pages))
	for i, m := range u.members {
		some, found, err := m.wordHits(ctx)
		if err != nil {
			return nil, nil, err
		}
		for page, n := range some {
			words[u.pageOf[i][page]] = n
		}
		for _, hit := range found {
			matches[u.pageOf[i][hit.Position]] = hit.Matches
		}
	}
	for page, n := range matches {
		if n > 0 {
			hits = append(hits, wordHit{Position: uint32(page), Matches: n})
		}
	}
	return words, hits, nil
}

func (u *unionStats) columns() (sectionColumns, error) { return u.all, nil }

func (u *unionStats) appendPostings(dst []index.Posting, term string) (_ []index.Posting, err error) {
	for i, m := range u.members {
		first := len(dst)
		if dst, err = m.appendPostings(dst, term); err != nil {
			return dst, err
		}
		for n := range dst[first:] {
			p := &dst[first+n]
			p.Ordinal = u.ordinalOf[i][p.Ordinal]
		}
	}
	return dst, nil
}

// list decodes the postings of all members, because their ordinals are mixed.
func (u *unionStats) list(term string) (index.List, error) {
	postings, err := u.appendPostings(nil, term)
	if err != nil {
		return index.List{}, err
	}
	slices.SortFunc(postings, func(a, b index.Posting) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	return index.ListOf(postings, u.all.sections.Numbers.Len()), nil
}

func (u *unionStats) count(term string) (n int, err error) {
	for _, m := range u.members {
		some, err := m.count(term)
		if err != nil {
			return 0, err
		}
		n += some
	}
	return n, nil
}

func (u *unionStats) near(term string) (words []string, err error) {
	for _, m := range u.members {
		some, err := m.near(term)
		if err != nil {
			return nil, err
		}
		words = append(words, some...)
	}
	slices.Sort(words)
	return slices.Compact(words), nil
}

func (u *unionStats) find(ordinal uint32) (member stats, local uint32) {
	page := ranking.PageOf(u.allFirsts, ordinal)
	p := u.pages[page]
	return u.members[p.member], u.firsts[p.member][p.page] + ordinal - u.allFirsts[page]
}

func (u *unionStats) section(ordinal uint32) (index.SectionRecord, error) {
	member, local := u.find(ordinal)
	return member.section(local)
}

func (u *unionStats) slug(ordinal uint32) (string, error) {
	member, local := u.find(ordinal)
	return member.slug(local)
}

func (u *unionStats) sketch(ordinal uint32) ([]byte, error) {
	member, local := u.find(ordinal)
	return member.sketch(local)
}

func (u *unionStats) home(page uint32) (*home, uint32) {
	p := u.pages[page]
	return u.members[p.member].home(p.page)
}
