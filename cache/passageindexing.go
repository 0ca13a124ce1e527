package cache

import (
	"io"
	"io/fs"
	"math"
	"slices"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/markdown"
	"github.com/contextcompiler/context/passage"
	"github.com/contextcompiler/context/termindex"
)

// A passageIndexer gathers what the index of passages says of documents, as they
// come. Which order they come in does not show in the index. Safe for concurrent
// use.
type passageIndexer struct {
	mu struct {
		sync.Mutex
		collectors
		pages []addedPage // in the order of their coming
		added int         // passages
	}
}

// An addedPage is a document that was added. Its passages were added by ordinals
// from the first on.
type addedPage struct {
	id       document.ID
	first    int
	passages []termindex.Passage
}

// add takes a document, which has these blocks, into the index.
func (x *passageIndexer) add(doc document.Document, blocks []markdown.Block) {
	cut := passage.Cut(doc.Content, blocks)
	collector, page, first := x.begin(doc.ID, len(cut))
	passages := make([]termindex.Passage, len(cut))
	for i, p := range cut {
		ordinal := first + i
		passages[i] = weigh(doc, p, func(term []byte, weight uint32) {
			collector.AddTerm(ordinal, term, weight)
		})
		collector.EndTerms(ordinal)
	}
	x.end(collector, page, passages)
}

var weighers = sync.Pool{New: func() any { return passage.NewWeigher() }}

// weigh weighs a passage and returns what the index says of it.
func weigh(doc document.Document, p passage.Passage, add func(term []byte, weight uint32)) termindex.Passage {
	w := weighers.Get().(*passage.Weigher)
	defer weighers.Put(w)
	total := w.Weigh(doc.ID, doc.Content, p, add)
	return termindex.Passage{Start: p.Start, End: p.End, Length: total.Length, Digest: total.Digest, Slug: p.Slug, Sketch: total.Sketch}
}

func (x *passageIndexer) begin(id document.ID, passages int) (collector *termindex.Collector, page, first int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	page, first = len(x.mu.pages), x.mu.added
	x.mu.pages = append(x.mu.pages, addedPage{id: id, first: first})
	x.mu.added += passages
	return x.mu.take(), page, first
}

func (x *passageIndexer) end(collector *termindex.Collector, page int, passages []termindex.Passage) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mu.pages[page].passages = passages
	x.mu.put(collector)
}

// write writes the index of a settled cache, as indexer.write does.
func (x *passageIndexer) write(out io.Writer, s settled, previous *Previous, jobs int) error {
	positions := s.positions()
	pages := make([][]termindex.Passage, len(s.items))
	for _, page := range x.mu.pages {
		if position, listed := positions[page.id]; listed {
			pages[position] = page.passages
		}
	}
	for i, item := range s.items {
		if item.IsKept() {
			pages[i] = previous.reuse.passages.page(item.kept - 1)
		}
	}
	firsts := firstsOf(pages)
	sources := termindex.Sources{Collectors: x.mu.all, Ordinals: x.places(positions, firsts), Jobs: jobs}
	if previous.isReusable() {
		old := previous.reuse.passages
		sources.Previous, sources.Kept = &old.index.InvertedIndex, old.places(s.items, firsts)
	}
	return termindex.WritePassages(out, s.header(), firsts, slices.Concat(pages...), sources)
}

// firstsOf returns the ordinal of the first passage of each page, and behind
// these how many passages there are.
func firstsOf(pages [][]termindex.Passage) []uint32 {
	firsts := make([]uint32, 1, len(pages)+1)
	total := uint64(0)
	for _, page := range pages {
		total += uint64(len(page))
		firsts = append(firsts, uint32(min(total, math.MaxUint32)))
	}
	return firsts
}

// places returns where each passage that was added is in an index with these
// first passages, -1 for nowhere. positions say where the documents are.
func (x *passageIndexer) places(positions map[document.ID]int, firsts []uint32) []int {
	places := nowhere(x.mu.added)
	for _, page := range x.mu.pages {
		if position, listed := positions[page.id]; listed {
			for i := range page.passages {
				places[page.first+i] = int(firsts[position]) + i
			}
		}
	}
	return places
}

// reusablePassages are the passages of a previous cache.
type reusablePassages struct {
	index  *PassageIndex
	firsts []uint32
	all    []termindex.Passage
}

// openReusablePassages opens all of the index of passages, as openReusable does.
func (c *Cache) openReusablePassages(pages int) (*reusablePassages, error) {
	index, err := c.openPassages()
	if err != nil {
		return nil, err
	}
	if index == nil {
		return nil, fs.ErrNotExist
	}
	c.Passages = index // to be closed with the cache
	r := &reusablePassages{index: index}
	if err := index.Check(); err != nil {
		return nil, err
	}
	if r.firsts, r.all, err = index.Passages(); err != nil {
		return nil, err
	}
	if len(r.firsts) != pages+1 {
		return nil, index.Disproved("it is of %d documents", len(r.firsts)-1)
	}
	return r, nil
}

// page returns the passages of the document of an ordinal.
func (r *reusablePassages) page(ordinal int) []termindex.Passage {
	return r.all[r.firsts[ordinal]:r.firsts[ordinal+1]]
}

// places returns where each passage is, by the items that are kept, in an index
// with these first passages, -1 for nowhere.
func (r *reusablePassages) places(items []Item, firsts []uint32) []int {
	places := nowhere(len(r.all))
	for i, item := range items {
		if item.IsKept() {
			old := r.firsts[item.kept-1]
			for k := range firsts[i+1] - firsts[i] {
				places[old+k] = int(firsts[i] + k)
			}
		}
	}
	return places
}
