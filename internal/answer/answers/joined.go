package answers

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/base/recent"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

// joined makes the indexes of the members of a set look like a single index of all pages, which
// numbers their pages and sections together. It is for a single query, and not safe for concurrent
// use.
type joined struct {
	members    []memberIndex
	columns    *ranking.Columns // of all sections; nil for selection 0
	*numbering                  // nil for a single member, because its numbers are the same

	last     document.Document // the last page read
	lastPage uint32
}

// A memberIndex is the index of a member.
type memberIndex struct {
	of Member
	*openIndex
	reader *cache.Reader
}

// join joins the indexes of the members for a selection.
func (s *Set) join(ctx context.Context, by selection.Spec, jobs int) (*joined, error) {
	j := &joined{}
	var columns []*ranking.Columns
	for _, m := range s.members {
		x, err := m.indexFor(ctx, by, jobs)
		if err != nil {
			return nil, err
		}
		j.members = append(j.members, memberIndex{m, x, m.files.NewReader()})
		if by == selection.Spec1 {
			of, err := x.sections()
			if err != nil {
				return nil, err
			}
			columns = append(columns, of)
		}
	}
	if len(j.members) == 1 {
		if by == selection.Spec1 {
			j.columns = columns[0]
		}
		return j, nil
	}
	s.numberings.Lock()
	defer s.numberings.Unlock()
	known := s.numberings.of[by]
	if known == nil {
		var err error
		if known, err = numberingOf(j.members, columns); err != nil {
			return nil, err
		}
		if s.numberings.of == nil {
			s.numberings.of = map[selection.Spec]*numbering{}
		}
		s.numberings.of[by] = known
	}
	j.numbering, j.columns = known, known.allColumns
	return j, nil
}

// A numbering numbers the pages and sections of several members together. Pages are in the order of
// their IDs, then of their members.
type numbering struct {
	pages    []memberPage
	pageIDs  []document.ID
	numberOf [][]uint32 // by member and its page, or its section for selection 1

	// Only for selection 1.
	allColumns *ranking.Columns
	allFirsts  []uint32   // the first section of each page, followed by the number of sections
	firstsOf   [][]uint32 // by member: the same for its pages
}

type memberPage struct{ member, page uint32 }

// numberings keeps the numberings of a Set, because they don't depend on the query.
type numberings struct {
	sync.Mutex
	of map[selection.Spec]*numbering
}

func numberingOf(members []memberIndex, columns []*ranking.Columns) (*numbering, error) {
	n := &numbering{numberOf: make([][]uint32, len(members))}
	lists := make([][]orderedPage, len(members))
	for i, m := range members {
		ids, err := m.IDs()
		if err != nil {
			return nil, err
		}
		for page, id := range ids {
			lists[i] = append(lists[i], orderedPage{id, memberPage{uint32(i), uint32(page)}})
		}
		n.numberOf[i] = make([]uint32, len(ids))
	}
	for number, p := range mergePages(lists) {
		n.pages, n.pageIDs = append(n.pages, p.memberPage), append(n.pageIDs, p.id)
		n.numberOf[p.member][p.page] = uint32(number)
	}
	if columns == nil {
		return n, nil
	}
	return n, n.addSections(members, columns)
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

// addSections numbers the sections in the order of their pages.
func (n *numbering) addSections(members []memberIndex, columns []*ranking.Columns) error {
	count := 0
	for i, m := range members {
		firsts, err := m.Firsts()
		if err != nil {
			return err
		}
		n.firstsOf, n.numberOf[i] = append(n.firstsOf, firsts), make([]uint32, columns[i].Numbers.Len())
		count += columns[i].Numbers.Len()
	}
	lengths, traits := make([]uint32, 0, count), make([]sections.Traits, 0, count)
	for _, p := range n.pages {
		n.allFirsts = append(n.allFirsts, uint32(len(lengths)))
		numbers, firsts := columns[p.member].Numbers, n.firstsOf[p.member]
		for section := firsts[p.page]; section < firsts[p.page+1]; section++ {
			n.numberOf[p.member][section] = uint32(len(lengths))
			lengths, traits = append(lengths, numbers.Length(section)), append(traits, numbers.Traits(section))
		}
	}
	n.allFirsts = append(n.allFirsts, uint32(len(lengths)))
	n.allColumns = ranking.NewColumns(index.NewSectionNumbers(lengths, traits))
	return nil
}

// home returns the member with a page, and the number of the page there.
func (j *joined) home(page uint32) (*memberIndex, int) {
	if j.numbering == nil {
		return &j.members[0], int(page)
	}
	p := j.pages[page]
	return &j.members[p.member], int(p.page)
}

// A sectionPlace says where a section is.
type sectionPlace struct {
	page   uint32       // with the section
	n      int          // number of the section in the page
	member *memberIndex // with the page
	local  int          // number of the section in the member
}

// place finds a section.
func (j *joined) place(section uint32) (sectionPlace, error) {
	if j.numbering != nil {
		page := ranking.PageOf(j.allFirsts, section)
		p, n := j.pages[page], section-j.allFirsts[page]
		return sectionPlace{page, int(n), &j.members[p.member], int(j.firstsOf[p.member][p.page] + n)}, nil
	}
	m := &j.members[0]
	page, first := j.columns.Numbers.PageOf(section)
	if int(page) >= m.Documents() {
		return sectionPlace{}, m.Disproved("section %d is on no page", section)
	}
	return sectionPlace{page, int(section - first), m, int(section)}, nil
}

// firsts returns the first section of each page, followed by the number of sections. Most questions
// don't need it, so its size shouldn't cost them anything.
func (j *joined) firsts() ([]uint32, error) {
	if j.numbering == nil {
		return j.members[0].Firsts()
	}
	return j.allFirsts, nil
}

func (j *joined) pageCount() int {
	if j.numbering == nil {
		return j.members[0].Documents()
	}
	return len(j.pages)
}

func (j *joined) ids() ([]document.ID, error) {
	if j.numbering == nil {
		return j.members[0].IDs()
	}
	return j.pageIDs, nil
}

// perPage returns a column of numbers of all pages.
func (j *joined) perPage(of func(*openIndex) ([]uint32, error)) ([]uint32, error) {
	if j.numbering == nil {
		return of(j.members[0].openIndex)
	}
	columns := make([][]uint32, len(j.members))
	for i, m := range j.members {
		var err error
		if columns[i], err = of(m.openIndex); err != nil {
			return nil, err
		}
	}
	all := make([]uint32, len(j.pages))
	for page, p := range j.pages {
		all[page] = columns[p.member][p.page]
	}
	return all, nil
}

// entry returns the entry of a page in its manifest.
func (j *joined) entry(page uint32) (cache.Entry, error) {
	m, n := j.home(page)
	return m.Entry(n)
}

// read returns a page, checked against the manifest. It is valid until the next call.
func (j *joined) read(page uint32) (document.Document, error) {
	if j.last.Content != nil && j.lastPage == page {
		return j.last, nil
	}
	m, n := j.home(page)
	entry, err := m.Entry(n)
	if err == nil {
		j.last, err = m.of.read(m.reader, n, entry)
	}
	if j.lastPage = page; err != nil {
		j.last = document.Document{}
	}
	return j.last, err
}

// List implements [ranking.SectionIndex]. It decodes the postings of several members, because their
// numbers are mixed. For selection 0, postings name pages.
func (j *joined) List(term string) (index.List, error) {
	if j.numbering == nil {
		return j.members[0].List(term)
	}
	var all []index.Posting
	for i, m := range j.members {
		of, err := m.List(term)
		if err != nil {
			return index.List{}, err
		}
		first := len(all)
		all = of.AppendTo(all)
		for n := range all[first:] {
			p := &all[first+n]
			p.Ordinal = j.numberOf[i][p.Ordinal]
		}
	}
	slices.SortFunc(all, func(a, b index.Posting) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	limit := len(j.pages)
	if j.columns != nil {
		limit = j.columns.Numbers.Len()
	}
	return index.ListOf(all, limit), nil
}

// Sketch implements [ranking.SectionIndex].
func (j *joined) Sketch(section uint32) ([]byte, error) {
	at := sectionPlace{member: &j.members[0], local: int(section)}
	if j.numbering != nil { // many sketches are read for each query
		var err error
		if at, err = j.place(section); err != nil {
			return nil, err
		}
	}
	found, err := at.member.Section(at.local)
	return found.Sketch, err
}

// Near implements [ranking.SectionIndex].
func (j *joined) Near(term string) (words []string, err error) {
	for _, m := range j.members {
		some, err := m.near(term)
		if err != nil {
			return nil, err
		}
		words = append(words, some...)
	}
	slices.Sort(words)
	return slices.Compact(words), nil
}

// heldNear contains up to 1 MiB of results of near, because near looks at every word with
// the same first letter, and users repeat names that their docs don't contain.
var heldNear = recent.New[nearKey, []string](1 << 20)

type nearKey struct {
	owner recent.Owner
	term  string
}

// near returns the words of a member that can replace an unknown term.
func (m *memberIndex) near(term string) (words []string, err error) {
	key := nearKey{m.of.owner, term}
	if words, isHeld := heldNear.Get(key); isHeld {
		return words, nil
	}
	_, first := utf8.DecodeRuneInString(term)
	size := 256 + len(term)
	err = m.EachWithPrefix(term[:first], func(word []byte, _ int) error {
		if !ranking.StandsFor(term, string(word)) {
			return nil
		}
		words, size = append(words, string(word)), size+16+len(word)
		if !utf8.Valid(word) && len(word) <= longestField { // longer words end in a hash
			return m.Disproved("the word %q isn't UTF-8", word)
		}
		return nil
	})
	if err == nil {
		heldNear.Put(key, words, size)
	}
	return words, err
}

// An openIndex is the index of a cache for a selection, with what later queries use again.
type openIndex struct {
	*cache.BoundIndex
	once    sync.Once
	columns *ranking.Columns
}

// sections returns the columns of the sections, for selection 1. Call it for each query, because an
// index that is used again keeps more.
func (x *openIndex) sections() (*ranking.Columns, error) {
	numbers, err := x.SectionNumbers()
	if err == nil {
		x.once.Do(func() { x.columns = ranking.NewColumns(numbers) })
	}
	return x.columns, err
}

// indexFor returns the index for a selection. If the cache contains none, it reads and checks all
// documents, jobs at once, and makes an index in memory, which it keeps for later queries.
func (c *Cache) indexFor(ctx context.Context, by selection.Spec, jobs int) (*openIndex, error) {
	if c.hasIndexFor(by) {
		return c.index, nil
	}
	leave, err := c.making.Enter(ctx, 1)
	if err != nil {
		return nil, context.Cause(ctx)
	}
	defer leave()
	if made := c.made[by]; made != nil {
		return made, nil
	}
	x, err := c.files.MakeIndex(ctx, by.Number(), jobs, func(to index.Adder, doc document.Document) (index.PageTerms, error) {
		return stages.IndexSplit(ctx, to, by.Number(), doc)
	})
	if err != nil {
		return nil, err
	}
	c.made[by] = &openIndex{BoundIndex: x}
	return c.made[by], nil
}
