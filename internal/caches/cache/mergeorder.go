package cache

import (
	"fmt"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/caches/index"
)

// A recordHead is the next document of an input.
type recordHead struct {
	input  int
	of     *MergeInput
	reader *index.RecordReader
	sum    *versionSum // of the documents so far, without the prefix

	id     document.ID // with the prefix
	record *index.Record
}

// next moves to the next document. After the last document, it compares the version of the
// input with its documents.
func (h *recordHead) next() (more bool, err error) {
	before := document.ID("")
	if h.record != nil {
		before = h.record.ID
	}
	if h.record, err = h.reader.Next(); err != nil {
		return false, h.of.explain(err)
	}
	if h.record == nil {
		if h.sum.version() != h.of.index.Header().CacheVersion {
			return false, h.of.explain(fmt.Errorf("%w: it lists other documents than the manifest", index.ErrInvalid))
		}
		return false, nil
	}
	if h.record.ID <= before {
		return false, h.of.explain(fmt.Errorf("%w: its documents are not in order", index.ErrInvalid))
	}
	h.sum.add(h.record.ID, h.record.Version)
	h.id = h.of.idOf(h.record.ID)
	return true, nil
}

// recordHeads is a heap with the first ID at the front.
type recordHeads []*recordHead

func (h recordHeads) Len() int           { return len(h) }
func (h recordHeads) Less(i, j int) bool { return h[i].before(h[j]) }
func (h recordHeads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *recordHeads) Push(x any)        { *h = append(*h, x.(*recordHead)) }
func (h *recordHeads) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// before orders documents by ID, then by input, so that clashes are always the same.
func (h *recordHead) before(other *recordHead) bool {
	return h.id < other.id || h.id == other.id && h.input < other.input
}

// clashes are the IDs that belong to several inputs.
type clashes struct {
	named []string // the first of them
	more  int
}

func (c *clashes) add(id document.ID, a, b *MergeInput) {
	const mostNamed = 10
	if len(c.named) == mostNamed {
		c.more++
		return
	}
	c.named = append(c.named, fmt.Sprintf("%s in %s and %s", id, a.Path, b.Path))
}

func (c *clashes) err() error {
	if len(c.named) == 0 {
		return nil
	}
	more := ""
	if c.more > 0 {
		more = fmt.Sprintf("; and %d more", c.more)
	}
	return fault.Errorf(fault.CacheInvalid, "%w: %s%s", ErrClash, strings.Join(c.named, "; "), more)
}
