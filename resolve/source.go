package resolve

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/internal/sections"
	"github.com/contextcompiler/context/selection"
)

// A source has the numbers that one query needs: of pages for selection 0, of sections
// for selection 1. It is made for one of the two. Pages are numbered in the order of
// their IDs. Not safe for concurrent use.
type source interface {
	// entry returns the entry of a page in the manifest.
	entry(page uint32) (cache.Entry, error)

	// ids returns the ID of each page.
	ids() ([]document.ID, error)

	// sizes returns the size of each page's content in bytes.
	sizes() ([]uint32, error)

	// wordHits returns how many words each page has, and the pages that have terms
	// of the query, by position. A term that the query repeats counts once.
	wordHits(ctx context.Context) (words []uint32, hits []selection.WordHit, err error)

	// columns returns the columns of all sections.
	columns() (columns, error)

	// appendPostings appends the postings of a term or a key of the query, or of a word
	// near a term.
	appendPostings(dst []index.Posting, term string) ([]index.Posting, error)

	// withField returns the pages that have a field of front matter: one of the query.
	withField(field string) (pages []uint32, err error)

	// near returns the words that a term of the query stands for, in order.
	near(term string) (words []string, err error)

	// section returns the place of a section in its page, its lead and its tail.
	section(ordinal uint32) (index.SectionRecord, error)

	// slug returns the slug of a section.
	slug(ordinal uint32) (string, error)

	// sketch returns the sketch of a section. It is valid until the next call.
	sketch(ordinal uint32) ([]byte, error)

	// isChecked reports whether the source has checked every document.
	isChecked() bool

	// owner returns the cache that has a page, and the number of the page there.
	owner(page uint32) (from *owner, number uint32)
}

// An owner is a cache as a source of pages.
type owner struct {
	name   string // of the member of a [Set]
	reader *cache.Reader

	// mismatch returns the error of a document that contradicts the source.
	mismatch func(format string, args ...any) error
}

// printedID returns the ID of a page as answers have it: with the name of its member.
func printedID(from source, page uint32, id document.ID) document.ID {
	owner, _ := from.owner(page)
	if owner.name == "" {
		return id
	}
	return document.ID(owner.name) + ":" + id
}

// postingBuffers hold *[]index.Posting for queries.
var postingBuffers = sync.Pool{New: func() any { return new([]index.Posting) }}

// eachTerm calls visit with the number of each term and its postings, which are valid for
// the call, until ctx ends. It looks up the terms in sorted order, which is faster.
func eachTerm(ctx context.Context, from source, terms []string, visit func(i int, postings []index.Posting)) error {
	order := make([]int, len(terms))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(terms[a], terms[b]) })
	postings := postingBuffers.Get().(*[]index.Posting)
	defer postingBuffers.Put(postings)
	for _, i := range order {
		var err error
		*postings, err = from.appendPostings((*postings)[:0], terms[i])
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return err
		}
		visit(i, *postings)
	}
	return nil
}

// nearTo returns the words near a term of the query, in order, and their postings.
func nearTo(from source, term string) (words []string, postings [][]index.Posting, err error) {
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

// columns are numbers of all sections.
type columns struct {
	firsts   []uint32 // the first section of each page, then the number of sections
	sections *ranking.Columns
}

// indexSource is a source that reads the index of a cache.
type indexSource struct {
	from  owner
	index *cache.BoundIndex
	held  *heldColumns // of the cache
	terms []string     // of the query

	buf []byte // memory for a sketch
}

func (x *indexSource) entry(page uint32) (cache.Entry, error) { return x.index.Entry(int(page)) }

func (x *indexSource) ids() ([]document.ID, error) { return x.index.IDs() }

func (x *indexSource) sizes() ([]uint32, error) { return x.index.Sizes() }

func (x *indexSource) wordHits(ctx context.Context) (words []uint32, hits []selection.WordHit, err error) {
	if words, err = x.index.Words(); err != nil {
		return nil, nil, err
	}
	matches := make([]uint32, len(words))
	terms := slices.Compact(slices.Sorted(slices.Values(x.terms)))
	err = eachTerm(ctx, x, terms, func(_ int, postings []index.Posting) {
		for _, p := range postings {
			matches[p.Ordinal] += p.Count
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for position, n := range matches {
		if n > words[position] {
			return nil, nil, x.index.Disproved("document %d has more matches than words", position)
		}
		if n > 0 {
			hits = append(hits, selection.WordHit{Position: uint32(position), Matches: n})
		}
	}
	return words, hits, nil
}

func (x *indexSource) columns() (columns, error) {
	firsts, err := x.index.Firsts()
	if err != nil {
		return columns{}, err
	}
	lengths, err := x.index.Lengths()
	if err != nil {
		return columns{}, err
	}
	traits, err := x.index.Traits()
	if err != nil {
		return columns{}, err
	}
	return columns{firsts, x.held.of(lengths, traits)}, nil
}

// heldColumns keeps the columns of an index for later queries. The zero heldColumns is
// ready for use. Safe for concurrent use.
type heldColumns struct {
	once sync.Once
	*ranking.Columns
}

func (h *heldColumns) of(lengths []uint32, traits []sections.Traits) *ranking.Columns {
	h.once.Do(func() { h.Columns = ranking.NewColumns(lengths, traits) })
	return h.Columns
}

func (x *indexSource) appendPostings(dst []index.Posting, term string) ([]index.Posting, error) {
	return x.index.AppendPostings(dst, term)
}

func (x *indexSource) near(term string) (words []string, err error) {
	_, first := utf8.DecodeRuneInString(term)
	err = x.index.EachWithPrefix(term[:first], func(word []byte, _ int) error {
		if ranking.StandsFor(term, string(word)) {
			words = append(words, string(word))
		}
		return nil
	})
	return words, err
}

func (x *indexSource) section(ordinal uint32) (index.SectionRecord, error) {
	return x.index.Section(int(ordinal))
}

func (x *indexSource) slug(ordinal uint32) (string, error) {
	return x.index.Slug(int(ordinal))
}

func (x *indexSource) sketch(ordinal uint32) (sketch []byte, err error) {
	sketch, x.buf, err = x.index.Sketch(int(ordinal), x.buf)
	return sketch, err
}

func (x *indexSource) withField(field string) (pages []uint32, err error) {
	var firsts []uint32
	if x.index.Header().Selection > 0 {
		if firsts, err = x.index.Firsts(); err != nil {
			return nil, err
		}
	}
	postings, err := x.index.AppendPostings(nil, index.FieldTerm(field))
	for _, p := range postings {
		if firsts != nil {
			p.Ordinal = ranking.PageOf(firsts, p.Ordinal)
		}
		pages = append(pages, p.Ordinal)
	}
	return pages, err
}

func (x *indexSource) isChecked() bool { return false }

func (x *indexSource) owner(page uint32) (*owner, uint32) { return &x.from, page }
