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
)

// stats are the numbers needed for a single query: of pages for selection 0, or of
// sections for selection 1. Pages are numbered in the order of their IDs. They are not
// safe for concurrent use.
type stats interface {
	// entry returns the entry of a page in the manifest.
	entry(page uint32) (cache.Entry, error)

	// ids returns the ID of each page.
	ids() ([]document.ID, error)

	// pageCount returns the number of pages.
	pageCount() int

	// sizes returns the size of each page's content in bytes.
	sizes() ([]uint32, error)

	// place returns the page of a section, and the first section of that page. Call columns
	// before.
	place(ordinal uint32) (page, first uint32, err error)

	// starts returns the first section of each page, followed by the number of sections.
	starts() ([]uint32, error)

	// wordHits returns the number of words of each page, and the pages with terms of the
	// query, by position. If the query repeats a term, it still counts only once.
	wordHits(ctx context.Context) (words []uint32, hits []wordHit, err error)

	// columns returns the columns of all sections.
	columns() (sectionColumns, error)

	// appendPostings appends the postings of a term, a key or a field of the query, or of a
	// word from near.
	appendPostings(dst []index.Posting, term string) ([]index.Posting, error)

	// list returns the posting list of a term or a key, and count returns only how many
	// postings it contains.
	list(term string) (index.List, error)
	count(term string) (int, error)

	// near returns the words that can replace an unknown term of the query, in order.
	near(term string) (words []string, err error)

	// section returns where a section is in its page, with its lead and its tail.
	section(ordinal uint32) (index.SectionRecord, error)

	// slug returns the slug of a section.
	slug(ordinal uint32) (string, error)

	// sketch returns the sketch of a section. It is valid until the next call.
	sketch(ordinal uint32) ([]byte, error)

	// home returns the cache that contains a page, and the number of the page there.
	home(page uint32) (from *home, number uint32)
}

// A home is the cache that pages come from.
type home struct {
	name      string // of the member of a [Set]
	cache     *Cache
	reader    *cache.Reader // of the cache
	isChecked bool          // whether all documents have been compared with the manifest

	// mismatch returns an error for a document that contradicts the stats.
	mismatch func(format string, args ...any) error
}

// read returns the document with a number in the cache, which is valid until the next call.
func (h *home) read(number uint32, entry cache.Entry) (document.Document, error) {
	return h.cache.read(h.reader, int(number), entry)
}

// printedID returns the ID of a page as answers contain it: with the name of its member.
func printedID(from stats, page uint32, id document.ID) document.ID {
	owner, _ := from.home(page)
	if owner.name == "" {
		return id
	}
	return document.ID(owner.name) + ":" + id
}

// postingBuffers contains *[]index.Posting for queries.
var postingBuffers = sync.Pool{New: func() any { return new([]index.Posting) }}

// inOrder calls visit with the number of each term until ctx ends. The terms are sorted,
// because that makes lookups faster.
func inOrder(ctx context.Context, terms []string, visit func(i int) error) error {
	order := make([]int, len(terms))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(terms[a], terms[b]) })
	for _, i := range order {
		if err := cmp.Or(visit(i), context.Cause(ctx)); err != nil {
			return err
		}
	}
	return nil
}

func nearTo(from stats, term string) (words []string, postings [][]index.Posting, err error) {
	if words, err = from.near(term); err != nil {
		return nil, nil, err
	}
	postings = make([][]index.Posting, len(words))
	for i, word := range words {
		if postings[i], err = from.appendPostings(nil, word); err != nil {
			return nil, nil, err
		}
	}
	return words, postings, nil
}

// pagesWith returns the pages with a field of the query. firsts are the first sections of
// pages, or nil if postings name pages.
func pagesWith(from stats, field string, firsts []uint32) (pages []uint32, err error) {
	postings, err := from.appendPostings(nil, index.FieldTerm(field))
	for _, p := range postings {
		if firsts != nil {
			p.Ordinal = ranking.PageOf(firsts, p.Ordinal)
		}
		pages = append(pages, p.Ordinal)
	}
	return pages, err
}

// sectionColumns are numbers of all sections.
type sectionColumns struct {
	sections *ranking.Columns
	addsUp   bool // see [ranking.Collection]
}

// indexStats are stats that are read from the index of a cache.
type indexStats struct {
	from  home
	index *cache.BoundIndex
	held  *heldColumns // of the cache
	terms []string     // of the query
}

func (x *indexStats) entry(page uint32) (cache.Entry, error) { return x.index.Entry(int(page)) }

func (x *indexStats) ids() ([]document.ID, error) { return x.index.IDs() }

func (x *indexStats) pageCount() int { return x.index.Documents() }

func (x *indexStats) sizes() ([]uint32, error) { return x.index.Sizes() }

func (x *indexStats) place(ordinal uint32) (page, first uint32, err error) {
	page, first = x.held.Numbers.PageOf(ordinal)
	if int(page) >= x.index.Documents() {
		return 0, 0, x.index.Disproved("section %d is on no page", ordinal)
	}
	return page, first, nil
}

func (x *indexStats) starts() ([]uint32, error) { return x.index.Firsts() }

func (x *indexStats) wordHits(ctx context.Context) (words []uint32, hits []wordHit, err error) {
	if words, err = x.index.Words(); err != nil {
		return nil, nil, err
	}
	matches := make([]uint32, len(words))
	terms := slices.Compact(slices.Sorted(slices.Values(x.terms)))
	postings := postingBuffers.Get().(*[]index.Posting)
	defer postingBuffers.Put(postings)
	err = inOrder(ctx, terms, func(i int) (err error) {
		if *postings, err = x.appendPostings((*postings)[:0], terms[i]); err != nil {
			return err
		}
		for _, p := range *postings {
			matches[p.Ordinal] += p.Count
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for position, n := range matches {
		if n > words[position] {
			return nil, nil, x.index.Disproved("document %d contains fewer words than matches", position)
		}
		if n > 0 {
			hits = append(hits, wordHit{Position: uint32(position), Matches: n})
		}
	}
	return words, hits, nil
}

func (x *indexStats) columns() (sectionColumns, error) {
	columns, err := x.index.SectionNumbers()
	if err != nil {
		return sectionColumns{}, err
	}
	return sectionColumns{sections: x.held.of(columns)}, nil
}

// heldColumns keeps the columns of an index for later queries. The zero heldColumns is ready
// to use, and it is safe for concurrent use.
type heldColumns struct {
	once sync.Once
	*ranking.Columns
}

func (h *heldColumns) of(columns *index.SectionNumbers) *ranking.Columns {
	h.once.Do(func() { h.Columns = ranking.NewColumns(columns) })
	return h.Columns
}

func (x *indexStats) appendPostings(dst []index.Posting, term string) ([]index.Posting, error) {
	return x.index.AppendPostings(dst, term)
}

func (x *indexStats) list(term string) (index.List, error) { return x.index.List(term) }

func (x *indexStats) count(term string) (int, error) { return x.index.Count(term) }

// heldNear contains up to 1 MiB of results of near, because near looks at every word with
// the same first letter, and users repeat names that their docs don't contain.
var heldNear = recent.New[nearKey, []string](1 << 20)

type nearKey struct {
	owner recent.Owner
	term  string
}

func (x *indexStats) near(term string) (words []string, err error) {
	key := nearKey{x.from.cache.owner, term}
	if words, isHeld := heldNear.Get(key); isHeld {
		return words, nil
	}
	_, first := utf8.DecodeRuneInString(term)
	err = x.index.EachWithPrefix(term[:first], func(word []byte, _ int) error {
		if !ranking.StandsFor(term, string(word)) {
			return nil
		}
		words = append(words, string(word))
		if !utf8.Valid(word) && len(word) <= longestField { // longer words end in a hash
			return x.index.Disproved("the word %q isn't UTF-8", word)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	size := 256 + len(term)
	for _, word := range words {
		size += 16 + len(word)
	}
	heldNear.Put(key, words, size)
	return words, nil
}

func (x *indexStats) section(ordinal uint32) (index.SectionRecord, error) {
	return x.index.Section(int(ordinal))
}

func (x *indexStats) slug(ordinal uint32) (string, error) {
	return x.index.Slug(int(ordinal))
}

func (x *indexStats) sketch(ordinal uint32) ([]byte, error) { return x.index.Sketch(int(ordinal)) }

func (x *indexStats) home(page uint32) (*home, uint32) { return &x.from, page }
