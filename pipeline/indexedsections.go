package pipeline

import (
	"cmp"
	"context"
	"slices"

	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/ranking"
)

// indexedSections are the sections of a cache that has an index of them.
type indexedSections struct {
	index *cache.Index
	query ranking.Query
	buf   []byte // memory for a sketch

	entries map[uint32]cache.Entry // of pages that were asked for
}

func (x *indexedSections) sketch(ordinal uint32) (sketch []byte, err error) {
	sketch, x.buf, err = x.index.Sketch(int(ordinal), x.buf)
	return sketch, err
}

func (x *indexedSections) columns() (firsts, lengths []uint32, err error) {
	if firsts, err = x.index.Firsts(); err != nil {
		return nil, nil, err
	}
	lengths, err = x.index.Lengths()
	return firsts, lengths, err
}

// eachTerm looks terms up in their order, which is cheaper than in the query's.
func (x *indexedSections) eachTerm(ctx context.Context, visit func(i int, postings []index.Posting)) error {
	order := make([]int, len(x.query.Terms))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x.query.Terms[a].Text, x.query.Terms[b].Text) })
	texts := make([]string, len(order))
	for i, n := range order {
		texts[i] = x.query.Terms[n].Text
	}
	return x.index.EachTerm(texts, func(i int, postings []index.Posting) error {
		visit(order[i], postings)
		return context.Cause(ctx)
	})
}

func (x *indexedSections) section(ordinal uint32) (index.Section, error) {
	return x.index.Section(int(ordinal))
}

func (x *indexedSections) slug(ordinal uint32, _ []byte) (string, error) {
	return x.index.Slug(int(ordinal))
}

func (x *indexedSections) entry(page uint32) (cache.Entry, int, error) {
	sizes, err := x.index.Sizes()
	if err != nil {
		return cache.Entry{}, 0, err
	}
	entry, known := x.entries[page]
	if !known {
		if entry, err = x.index.Entry(int(page)); err != nil {
			return cache.Entry{}, 0, err
		}
		x.entries[page] = entry
	}
	return entry, int(sizes[page]), nil
}
