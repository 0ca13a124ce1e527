package pipeline

import (
	"cmp"
	"context"
	"slices"

	"github.com/contextcompiler/context/cache"
	"github.com/contextcompiler/context/ranking"
	"github.com/contextcompiler/context/termindex"
)

// indexedPassages are the passages of a cache that has an index of them.
type indexedPassages struct {
	cache *cache.Cache
	query ranking.Query
	buf   []byte // memory for a sketch

	entries map[uint32]cache.Entry // of pages that were asked for
}

func (x *indexedPassages) sketch(ordinal uint32) (sketch []byte, err error) {
	sketch, x.buf, err = x.cache.Passages.Sketch(int(ordinal), x.buf)
	return sketch, err
}

func (x *indexedPassages) columns() (firsts, lengths []uint32, err error) {
	firsts, lengths, err = x.cache.Passages.Columns()
	if err == nil && len(firsts) != x.cache.Index.Len()+1 {
		err = x.cache.Passages.Disproved("it is of %d documents", len(firsts)-1)
	}
	return firsts, lengths, err
}

// eachTerm looks terms up in their order, which is cheaper than in the query's.
func (x *indexedPassages) eachTerm(ctx context.Context, visit func(i int, postings []termindex.Posting)) error {
	order := make([]int, len(x.query.Terms))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x.query.Terms[a].Text, x.query.Terms[b].Text) })
	texts := make([]string, len(order))
	for i, n := range order {
		texts[i] = x.query.Terms[n].Text
	}
	return x.cache.Passages.EachTerm(texts, func(i int, postings []termindex.Posting) error {
		visit(order[i], postings)
		return context.Cause(ctx)
	})
}

func (x *indexedPassages) passage(ordinal uint32) (termindex.Passage, error) {
	return x.cache.Passages.Passage(int(ordinal))
}

func (x *indexedPassages) slug(ordinal uint32, _ []byte) (string, error) {
	return x.cache.Passages.Slug(int(ordinal))
}

func (x *indexedPassages) entry(page uint32) (cache.Entry, int, error) {
	_, sizes, err := x.cache.Index.Columns()
	if err != nil {
		return cache.Entry{}, 0, err
	}
	entry, known := x.entries[page]
	if !known {
		if entry, err = x.cache.Index.Entry(int(page)); err != nil {
			return cache.Entry{}, 0, err
		}
		x.entries[page] = entry
	}
	return entry, int(sizes[page]), nil
}
