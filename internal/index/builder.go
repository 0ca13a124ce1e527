package index

import (
	"cmp"
	"io"
	"sync"
)

// An Adder takes the terms of one document after another: to write an index of them,
// or to compare them with one.
type Adder interface {
	// AddWords adds a document whose terms are the words of its content, and fields:
	// other unique terms, which it has once.
	AddWords(content []byte, fields []string) PageTerms

	// AddSections adds a document of n sections. It calls weigh with the position
	// of each section in the document. weigh calls add with each term of that
	// section and its weight, and returns the section.
	AddSections(n int, weigh func(i int, add func(term []byte, weight uint32)) SectionRecord) PageTerms
}

// PageTerms has what an Adder returns for a document: the entries of its content in an index.
type PageTerms struct {
	Words    int             // for selection 0
	Sections []SectionRecord // for selection 1

	added int // ordinal, in the Builder, of the page or of its first section
}

// A Builder takes the terms of documents in any order and writes their index. The
// zero Builder is ready for use. It is safe for concurrent use.
type Builder struct {
	// Scratch makes a file for terms beyond the bound of memory. If it is nil, all
	// terms stay in memory. It must be safe for concurrent use.
	Scratch func() (Scratch, error)

	// Memory is about how many bytes of terms stay in memory; 0 means 48 MiB.
	Memory int

	mu struct {
		sync.Mutex
		idle  []*Collector // that no call of AddWords or AddSections uses
		all   []*Collector
		runs  []*run
		added int   // documents or sections
		err   error // the first of a scratch file
	}
}

const defaultMemory = 48 << 20

// begin lends a collector and reserves n ordinals.
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

// isFull reports whether a collector takes more than its share of the memory.
func (b *Builder) isFull(collector *Collector) bool {
	if b.Scratch == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return collector.size() > cmp.Or(b.Memory, defaultMemory)/len(b.mu.all)
}

// spill moves the terms of a collector to a scratch file. If that fails, the terms are
// lost and Write fails.
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

// Err returns the first [ErrScratch]. Then no call of Write succeeds.
func (b *Builder) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mu.err
}

// Close removes the scratch files and frees the memory. The Builder is of no use then.
func (b *Builder) Close() {
	for _, r := range b.mu.runs {
		r.file.Close()
	}
	b.mu.runs, b.mu.all, b.mu.idle = nil, nil, nil
}

// AddWords implements [Adder].
func (b *Builder) AddWords(content []byte, fields []string) PageTerms {
	collector, ordinal := b.begin(1)
	defer b.end(collector)
	for _, f := range fields {
		collector.AddTerm(ordinal, []byte(f), 1)
	}
	return PageTerms{added: ordinal, Words: collector.Add(ordinal, content)}
}

// AddSections implements [Adder].
func (b *Builder) AddSections(n int, weigh func(i int, add func(term []byte, weight uint32)) SectionRecord) PageTerms {
	collector, first := b.begin(n)
	defer b.end(collector)
	page := PageTerms{added: first, Sections: make([]SectionRecord, n)}
	for i := range page.Sections {
		page.Sections[i] = weigh(i, func(term []byte, weight uint32) { collector.AddTerm(first+i, term, weight) })
		collector.EndTerms(first + i)
	}
	return page
}

// A Line is a document of an index that a Builder writes.
type Line struct {
	Record Record    // without its words
	Terms  PageTerms // that AddWords or AddSections returned
	Kept   int       // ordinal in the previous index plus 1; 0 if the document was added
}

// Write writes the index of lines, which are in the order of their IDs. It leaves
// out documents that are in no line. previous may be nil if no line is kept. All
// calls of AddWords and AddSections must have returned. It fails as the function
// [Write] does, and with [ErrScratch].
func (b *Builder) Write(out io.Writer, h Header, lines []Line, previous *Whole, jobs int) error {
	if err := b.Err(); err != nil {
		return err
	}
	t := Table{Documents: make([]Record, 0, len(lines))}
	s := TermSources{Collectors: b.mu.all, runs: b.mu.runs, Ordinals: dropped(b.mu.added), Jobs: jobs}
	if previous != nil {
		s.Previous, s.Kept = previous.Index, dropped(previous.ordinals())
	}
	next := 0 // ordinal of the line, or of its first section
	for _, line := range lines {
		doc, page, places := line.Record, line.Terms, s.Ordinals
		doc.Words = page.Words
		if line.Kept > 0 {
			doc, page, places = previous.All[line.Kept-1], previous.page(line.Kept-1), s.Kept
			doc.Name = line.Record.Name
		}
		t.Documents = append(t.Documents, doc)
		n := 1
		if h.Selection > 0 {
			t.Sections = append(t.Sections, page.Sections)
			n = len(page.Sections)
		}
		for k := range n {
			places[page.added+k] = next + k
		}
		next += n
	}
	return Write(out, h, t, s)
}

// dropped returns n times -1, which stands for a document or section that is left
// out.
func dropped(n int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = -1
	}
	return places
}

// A Whole is an index whose tables are in memory.
type Whole struct {
	*Index
	All []Record // by ordinal

	firsts   []uint32
	sections [][]SectionRecord
}

// Read reads and verifies all of x. It fails with [ErrInvalid] if anything of it
// is damaged.
func Read(x *Index) (*Whole, error) {
	w := &Whole{Index: x}
	err := x.Check()
	if err != nil {
		return nil, err
	}
	if w.All, err = x.AllDocuments(); err != nil || x.Header().Selection == 0 {
		return w, err
	}
	if w.firsts, err = x.Firsts(); err != nil {
		return nil, err
	}
	w.sections, err = x.AllSections()
	return w, err
}

// page returns the page of a document. Its ordinal is the one in w.
func (w *Whole) page(ordinal int) PageTerms {
	if w.Header().Selection == 0 {
		return PageTerms{added: ordinal}
	}
	return PageTerms{added: int(w.firsts[ordinal]), Sections: w.sections[ordinal]}
}
