package cache

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/markdown"
	"github.com/contextcompiler/context/passage"
	"github.com/contextcompiler/context/termindex"
)

// A PassageIndex is the index of passages of an open cache that was built for
// selection 1. Safe for concurrent use.
type PassageIndex struct {
	*termindex.PassageIndex
	path string // of the cache
	file *os.File

	columns struct { // once they are read
		sync.Mutex
		firsts, lengths []uint32
	}
}

// openPassages opens the index of passages, which is nil if there is none. One
// that is damaged or belongs to another manifest is a [fault.CacheInvalid].
func (c *Cache) openPassages() (*PassageIndex, error) {
	f, found, err := openRegular(c.root, passagesName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, readError(passagesName, err)
	}
	opened, err := termindex.OpenPassages(f, found.Size())
	if err == nil {
		_, err = c.bind(opened.Header(), passagesName)
	}
	if err != nil {
		f.Close()
		return nil, indexError(passagesName, err)
	}
	return &PassageIndex{PassageIndex: opened, path: c.path, file: f}, nil
}

func (x *PassageIndex) close() {
	if x != nil {
		x.file.Close()
	}
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
	lookup := x.NewLookup()
	var postings []termindex.Posting
	for i, term := range terms {
		var err error
		if postings, err = lookup.AppendPostings(postings[:0], term); err != nil {
			return x.explain(err)
		}
		if err := visit(i, postings); err != nil {
			return err
		}
	}
	return nil
}

// Disproved returns the error of an index that what is in the cache disproves.
func (x *PassageIndex) Disproved(format string, args ...any) error {
	return x.explain(fmt.Errorf("%w: %s", termindex.ErrInvalid, fmt.Sprintf(format, args...)))
}

func (x *PassageIndex) explain(err error) error {
	if err == nil {
		return nil
	}
	return openError(x.path, indexError(passagesName, err))
}

// A passageIndexer gathers what the index of passages says of documents, as they
// come. Which order they come in does not show in the index. Safe for concurrent
// use.
type passageIndexer struct {
	mu struct {
		sync.Mutex
		idle  []*passageCollector // those that nobody is adding to
		all   []*termindex.Collector
		pages []addedPage // in the order of their coming
		added int         // passages
	}
}

// A passageCollector is what one job adds passages to.
type passageCollector struct {
	terms   *termindex.Collector
	weigher *passage.Weigher
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
		passages[i] = weigh(collector.weigher, doc, p, func(term []byte, weight uint32) {
			collector.terms.AddTerm(ordinal, term, weight)
		})
		collector.terms.EndTerms(ordinal)
	}
	x.end(collector, page, passages)
}

// weigh weighs a passage and returns what the index says of it.
func weigh(w *passage.Weigher, doc document.Document, p passage.Passage, add func(term []byte, weight uint32)) termindex.Passage {
	total := w.Weigh(doc.ID, doc.Content, p, add)
	return termindex.Passage{Start: p.Start, End: p.End, Length: total.Length, Digest: total.Digest, Slug: p.Slug, Sketch: total.Sketch}
}

func (x *passageIndexer) begin(id document.ID, passages int) (collector passageCollector, page, first int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	page, first = len(x.mu.pages), x.mu.added
	x.mu.pages = append(x.mu.pages, addedPage{id: id, first: first})
	x.mu.added += passages
	if n := len(x.mu.idle); n > 0 {
		collector, x.mu.idle = *x.mu.idle[n-1], x.mu.idle[:n-1]
		return collector, page, first
	}
	collector = passageCollector{new(termindex.Collector), passage.NewWeigher()}
	x.mu.all = append(x.mu.all, collector.terms)
	return collector, page, first
}

func (x *passageIndexer) end(collector passageCollector, page int, passages []termindex.Passage) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mu.pages[page].passages = passages
	x.mu.idle = append(x.mu.idle, &collector)
}

// write writes the index of a settled cache, as indexer.write does.
func (x *passageIndexer) write(out io.Writer, s settled, previous *Previous, jobs int) error {
	positions := make(map[document.ID]int, len(s.items))
	for i, item := range s.items {
		positions[item.ID] = i
	}
	pages := make([][]termindex.Passage, len(s.items))
	for _, page := range x.mu.pages {
		if position, listed := positions[page.id]; listed {
			pages[position] = page.passages
		}
	}
	sources := termindex.Sources{Collectors: x.mu.all, Ordinals: make([]int, x.mu.added), Jobs: jobs}
	if previous.isReusable() {
		sources.Previous = &previous.reuse.passages.index.Inverted
		sources.Kept = previous.keepPassages(pages, s.items)
	}
	firsts := firstsOf(pages)
	for _, page := range x.mu.pages {
		position, listed := positions[page.id]
		for i := range page.passages {
			sources.Ordinals[page.first+i] = -1
			if listed {
				sources.Ordinals[page.first+i] = int(firsts[position]) + i
			}
		}
	}
	for i, item := range s.items {
		if item.IsKept() {
			previous.reuse.passages.place(sources.Kept, item.kept-1, int(firsts[i]))
		}
	}
	all := make([]termindex.Passage, 0, firsts[len(pages)])
	for _, page := range pages {
		all = append(all, page...)
	}
	header := termindex.Header{CacheVersion: s.manifest.Version, ManifestSize: int64(len(s.encoded))}
	return termindex.WritePassages(out, header, firsts, all, sources)
}

// firstsOf returns the ordinal of the first passage of each page, and behind
// these how many passages there are.
func firstsOf(pages [][]termindex.Passage) []uint32 {
	firsts := make([]uint32, 1, len(pages)+1)
	total := 0
	for _, page := range pages {
		total += len(page)
		firsts = append(firsts, uint32(min(total, math.MaxUint32)))
	}
	return firsts
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

// keepPassages sets the passages of the pages that are kept, and returns a place
// for each passage of the previous cache, -1 for nowhere.
func (p *Previous) keepPassages(pages [][]termindex.Passage, items []Item) []int {
	r := p.reuse.passages
	kept := make([]int, len(r.all))
	for i := range kept {
		kept[i] = -1
	}
	for i, item := range items {
		if item.IsKept() {
			pages[i] = r.all[r.firsts[item.kept-1]:r.firsts[item.kept]]
		}
	}
	return kept
}

// place says where the passages of a page are now: from first on.
func (r *reusablePassages) place(kept []int, page, first int) {
	start, end := r.firsts[page], r.firsts[page+1]
	for i := range kept[start:end] {
		kept[int(start)+i] = first + i
	}
}

// A passageCheck compares the index of passages with the documents, as an
// [IndexCheck] does with the index of documents. Safe for concurrent use.
type passageCheck struct {
	index    *PassageIndex
	firsts   []uint32
	audit    *termindex.Audit
	passages []termindex.Passage // as the documents have them
	weighers sync.Pool

	mu struct {
		sync.Mutex
		err error // the first that was found
	}
}

// newPassageCheck returns a check of the index of passages of c, nil if there is
// none.
func (c *Cache) newPassageCheck() (*passageCheck, error) {
	index, err := c.openPassages()
	if err != nil || index == nil {
		return nil, err
	}
	k := &passageCheck{index: index}
	k.weighers.New = func() any { return passage.NewWeigher() }
	// Not index.Columns, whose errors name the cache and say what to do with it.
	if k.firsts, _, err = index.PassageIndex.Columns(); err != nil {
		err = indexError(passagesName, err)
	} else if n := len(c.Manifest.Documents); len(k.firsts) != n+1 {
		err = fmt.Errorf("%w: it is of %d documents, not of %d", errDiffers, len(k.firsts)-1, n)
	}
	if err != nil {
		index.close()
		return nil, err
	}
	k.audit = termindex.NewAudit(index.Len())
	k.passages = make([]termindex.Passage, index.Len())
	return k, nil
}

// add takes the document at a position of the manifest.
func (k *passageCheck) add(position int, doc document.Document) {
	cut := passage.Cut(doc.Content, markdown.Parse(doc.Content).Blocks)
	first, end := int(k.firsts[position]), int(k.firsts[position+1])
	if len(cut) != end-first {
		k.fail(fmt.Errorf("%w: %q has %d passages, not %d", errDiffers, doc.ID, len(cut), end-first))
		return
	}
	weigher := k.weighers.Get().(*passage.Weigher)
	defer k.weighers.Put(weigher)
	for i, p := range cut {
		k.passages[first+i] = weigh(weigher, doc, p, func(term []byte, weight uint32) {
			k.audit.AddTerm(first+i, term, weight)
		})
	}
}

func (k *passageCheck) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.mu.err = cmp.Or(k.mu.err, err)
}

// compareWords compares the terms of the passages with those in the index.
func (k *passageCheck) compareWords() error {
	ordinal, err := k.audit.Compare(&k.index.Inverted)
	if err == nil && ordinal >= 0 {
		err = fmt.Errorf("%w: passage %d has other words", errDiffers, ordinal)
	}
	return cmp.Or(k.mu.err, err)
}

// rewrite writes the index anew, with the terms that it has, and compares.
func (k *passageCheck) rewrite() error {
	out := &comparer{with: io.NewSectionReader(k.index.file, 0, math.MaxInt64)}
	sources := termindex.Sources{Previous: &k.index.Inverted, Kept: countTo(len(k.passages))}
	err := termindex.WritePassages(out, k.index.Header(), k.firsts, k.passages, sources)
	return cmp.Or(k.mu.err, err, out.end())
}

// countTo returns the integers from 0 up to n, which is not among them.
func countTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// passagesFinding returns the finding for an error of the index of passages that
// is about the cache, nil if it is about something else.
func passagesFinding(err error) *Finding {
	message := strings.TrimPrefix(err.Error(), passagesName+": ")
	switch {
	case errors.Is(err, errDiffers):
		return &Finding{SelectionMismatch, passagesName, message}
	case errors.Is(err, termindex.ErrInvalid) || fault.CodeOf(err) == fault.CacheInvalid:
		return &Finding{SelectionInvalid, passagesName, message}
	}
	return nil
}
