package index

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"sync"

	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/words"
)

// An Adder accepts the terms of documents, either to write an index of them or to compare
// them with an existing index.
type Adder interface {
	// AddWords adds a document whose terms are the words of its content, and fields: other
	// unique terms, which count once.
	AddWords(content []byte, fields []string) PageTerms

	// AddSections adds a document of n sections. It calls weigh with the position of each
	// section in the document. weigh must call add with the terms of that section and
	// return the section. If a term is added several times, its weights add up.
	AddSections(n int, weigh func(i int, add func(words.TermWeight)) SectionRecord) PageTerms
}

// PageTerms identifies the entries of a document's content. An Adder returns it.
type PageTerms struct {
	Words int // for selection 0

	added    int   // ordinal, in the Builder, of the page or of its first section
	sections int   // for selection 1
	address  int64 // of the sections in the Builder's store
	size     int   // of these sections, in bytes

	kept, from int // the same as in Line, for the terms that AddKept doesn't add
}

// A Builder accepts the terms of documents in any order and writes their index. The zero
// Builder is ready for use. It is safe for concurrent use.
type Builder struct {
	// Scratch creates a file for terms that don't fit into Memory. If it is nil, all terms
	// stay in memory. It must be safe for concurrent use.
	Scratch func() (files.Scratch, error)

	// Memory is the approximate number of bytes of terms to keep in memory. A third of it
	// is available for sections, in addition. 0 means 48 MiB.
	Memory int

	mu struct {
		sync.Mutex
		idle  []*Collector // not used by any call of AddWords or AddSections
		all   []*Collector
		runs  []*run
		pages pageStore // the sections
		lines pageStore // what Store takes
		added int       // documents or sections
		err   error     // the first error of a scratch file
	}
}

// The memory for sections and for lines, as fractions of Memory and in addition to it.
const (
	defaultMemory = 48 << 20
	pagesShare    = 3
	linesShare    = 12
)

// begin reserves n ordinals and a collector.
func (b *Builder) begin(n int) (collector *Collector, first int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first = b.mu.added
	b.mu.added += n
	if last := len(b.mu.idle) - 1; last >= 0 {
		collector, b.mu.idle = b.mu.idle[last], b.mu.idle[:last]
		return collector, first
	}
	collector = new(Collector)
	b.mu.all = append(b.mu.all, collector)
	return collector, first
}

func (b *Builder) end(collector *Collector) {
	if b.isFull(collector) {
		b.spill(collector)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mu.idle = append(b.mu.idle, collector)
}

// isFull reports whether a collector needs more than its share of the memory.
func (b *Builder) isFull(collector *Collector) bool {
	if b.Scratch == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return collector.size() > cmp.Or(b.Memory, defaultMemory)/len(b.mu.all)
}

// spill moves the terms of a collector to a scratch file. If that fails, the terms are
// lost, so Write must fail.
func (b *Builder) spill(collector *Collector) {
	written, err := b.writeRun(collector)
	collector.reset()
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.mu.err = cmp.Or(b.mu.err, err)
		return
	}
	b.mu.runs = append(b.mu.runs, written)
}

func (b *Builder) writeRun(collector *Collector) (*run, error) {
	file, err := b.Scratch()
	if err != nil {
		return nil, scratchError(nil, err)
	}
	written, err := writeRun(file, collector)
	if err != nil {
		file.Close()
	}
	return written, err
}

// Err returns the first [ErrScratch]. After such an error, every call of Write fails.
func (b *Builder) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mu.err
}

// Close removes the scratch files and frees the memory. The Builder must not be used
// afterwards.
func (b *Builder) Close() {
	for _, r := range b.mu.runs {
		r.file.Close()
	}
	b.mu.pages.blocks.close()
	b.mu.lines.blocks.close()
	b.mu.runs, b.mu.all, b.mu.idle = nil, nil, nil
}

// AddWords implements [Adder].
func (b *Builder) AddWords(content []byte, fields []string) PageTerms {
	collector, ordinal := b.begin(1)
	defer b.end(collector)
	for _, f := range fields {
		collector.AddTerm(ordinal, words.WeightOf([]byte(f), 1))
	}
	return PageTerms{added: ordinal, Words: collector.Add(ordinal, content)}
}

// AddSections implements [Adder].
func (b *Builder) AddSections(n int, weigh func(i int, add func(words.TermWeight)) SectionRecord) PageTerms {
	collector, first := b.begin(n)
	defer b.end(collector)
	sections := make([]SectionRecord, n)
	for i := range sections {
		sections[i] = weigh(i, func(t words.TermWeight) { collector.AddTerm(first+i, t) })
	}
	page := appendPage(nil, sections)
	return PageTerms{added: first, sections: n, size: len(page), address: b.keep(page)}
}

// AddKept adds a document of a previous index, at a position among those of Write, whose sections
// gain terms. It isn't ok for selection 0, and for a page with a section without terms, which may
// gain none.
func (b *Builder) AddKept(previous *Whole, from, ordinal int, gained []words.TermWeight) (page PageTerms, ok bool, err error) {
	if previous.Header().Selection == 0 {
		return page, false, nil
	}
	sections, err := previous.readSections(0).read(previous.sectionsOf(ordinal))
	if err != nil || slices.ContainsFunc(sections, func(s SectionRecord) bool { return s.Length == 0 }) {
		return page, false, err
	}
	page = b.AddSections(len(sections), func(i int, add func(words.TermWeight)) SectionRecord {
		for _, t := range gained {
			add(t)
			sections[i].Length += t.Weight
		}
		return sections[i]
	})
	page.kept, page.from = ordinal+1, from
	return page, true, nil
}

func (b *Builder) keep(page []byte) (address int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	address = b.mu.pages.add(page)
	b.spillStore(&b.mu.pages, pagesShare)
	return address
}

// spillStore moves what a store contains to a scratch file if it needs more than its share
// of the memory. b.mu must be locked.
func (b *Builder) spillStore(s *pageStore, share int) {
	if b.Scratch != nil && b.mu.err == nil && s.blocks.memory.size() > cmp.Or(b.Memory, defaultMemory)/share {
		b.mu.err = s.blocks.spill(b.Scratch)
	}
}

func (b *Builder) finish() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mu.pages.finish()
	b.mu.lines.finish()
	b.spillStore(&b.mu.pages, pagesShare)
	b.spillStore(&b.mu.lines, linesShare)
	return b.mu.err
}

// Write writes the index of lines, which must be in the order of their IDs, and which it
// ranges over more than once. Documents without a line are left out. The lines can keep
// documents of the previous indexes. All calls of AddWords and AddSections must have
// returned. It fails like the function [Write], or with [ErrScratch].
func (b *Builder) Write(out io.Writer, h Header, lines iter.Seq[Line], previous []*Whole, jobs int) error {
	if err := b.finish(); err != nil {
		return err
	}
	s := TermSources{Collectors: b.mu.all, runs: b.mu.runs, Ordinals: dropped(b.mu.added), Jobs: jobs}
	for _, p := range previous {
		s.Kept = append(s.Kept, Kept{p.Index, dropped(p.ordinals())})
	}
	all := storedLines{b, lines, previous}
	next := 0 // ordinal of the line, or of its first section
	for line, err := range all.each {
		if err != nil {
			return err
		}
		first, n, places := line.Terms.added, line.Terms.sections, s.Ordinals
		if line.Kept > 0 {
			first, n = previous[line.From].sectionsOf(line.Kept - 1)
			places = s.Kept[line.From].Places
		}
		if h.Selection == 0 {
			n = 1
		}
		place(places[first:], n, next)
		if p := line.Terms; p.kept > 0 {
			first, _ = previous[p.from].sectionsOf(p.kept - 1)
			place(s.Kept[p.from].Places[first:], n, next)
			s.gain = true
		}
		next += n
	}
	t := Table{records: all.records}
	if h.Selection > 0 {
		t.pages = all.pages
	}
	return Write(out, h, t, s)
}

// readPage reads the sections of a page into buf.
func (b *Builder) readPage(buf []SectionRecord, page PageTerms) ([]SectionRecord, error) {
	encoded, err := b.mu.pages.read(page.address, page.size)
	if err != nil {
		return nil, err
	}
	return decodePage(buf[:0], encoded, page.sections), nil
}

// place sets the final ordinals of n consecutive documents or sections.
func place(places []int32, n, first int) {
	for k := range n {
		places[k] = int32(first + k)
	}
}

// dropped returns n times -1, which means that a document or section is left out.
func dropped(n int) []int32 {
	places := make([]int32, n)
	for i := range places {
		places[i] = -1
	}
	return places
}
