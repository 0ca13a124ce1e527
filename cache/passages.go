package cache

import (
	"io"
	"sync"

	"github.com/contextcompiler/context/termindex"
)

// A PassageIndex is the index of passages of an open cache that was built for
// selection 1. Safe for concurrent use.
type PassageIndex struct {
	*termindex.PassageIndex
	*indexFile

	columns struct { // once they are read
		sync.Mutex
		firsts, lengths []uint32
	}
}

// openPassages opens the index of passages as openIndexFile does.
func (c *Cache) openPassages() (*PassageIndex, error) {
	x := new(PassageIndex)
	file, err := c.openIndexFile(passagesName, func(r io.ReaderAt, size int64) (h termindex.Header, err error) {
		if x.PassageIndex, err = termindex.OpenPassages(r, size); err != nil {
			return h, err
		}
		return x.Header(), nil
	})
	if file == nil {
		return nil, err
	}
	x.indexFile = file
	return x, nil
}

// Columns returns the ordinal of the first passage of each document, and behind
// these how many passages there are; and for each passage what all of its terms
// weigh. They are not to be changed. It fails with [fault.CacheInvalid] if the
// index is damaged, and with [fault.IO] if the system refuses.
func (x *PassageIndex) Columns() (firsts, lengths []uint32, err error) {
	x.columns.Lock()
	defer x.columns.Unlock()
	if x.columns.firsts == nil {
		x.columns.firsts, x.columns.lengths, err = x.PassageIndex.Columns()
	} else {
		err = x.Hold() // for it is asked again and again
	}
	return x.columns.firsts, x.columns.lengths, x.explain(err)
}

// Passage returns a passage without its length and texts. It fails as Columns
// does.
func (x *PassageIndex) Passage(ordinal int) (termindex.Passage, error) {
	p, err := x.PassageIndex.Passage(ordinal)
	return p, x.explain(err)
}

// Slug returns the slug of a passage. It fails as Columns does.
func (x *PassageIndex) Slug(ordinal int) (string, error) {
	slug, err := x.PassageIndex.Slug(ordinal)
	return slug, x.explain(err)
}

// Sketch returns the sketch of a passage, as [termindex.PassageIndex.Sketch]
// does. It fails as Columns does.
func (x *PassageIndex) Sketch(ordinal int, buf []byte) (sketch, grown []byte, err error) {
	sketch, grown, err = x.PassageIndex.Sketch(ordinal, buf)
	return sketch, grown, x.explain(err)
}

// EachTerm calls visit with each of the terms, which are best sorted, and its
// postings, which are only good for the call. It fails as Columns does.
func (x *PassageIndex) EachTerm(terms []string, visit func(i int, postings []termindex.Posting) error) error {
	return x.eachTerm(x.NewLookup(), terms, visit)
}
