package index

import (
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/contextcompiler/context/internal/base/words"
)

// A Merger writes the index of the documents of other indexes, its inputs. It parses
// nothing. For each section, it keeps a few bytes in memory, and otherwise streams what it
// reads and writes:
//
//	Take, Take, Take … → Write → Close
//
// The inputs must have the same selection.
type Merger struct {
	inputs []joinedIndex
	order  []uint16 // the input of each document
	added  Builder  // the terms passed to Take
}

// MaxInputs is the largest number of inputs of a [Merger].
const MaxInputs = 1 << 10

type joinedIndex struct {
	index  *Index
	firsts []uint32 // what Firsts returns, for selection 1
	places []int32  // the final ordinals of documents or sections
	taken  int      // documents so far
	longer []uint32 // how much longer the sections of each document become
}

// NewMerger returns a merger of at most [MaxInputs] indexes, which must stay open until it
// is closed. scratch and memory are like [Builder.Scratch] and [Builder.Memory], for the
// terms passed to Take.
func NewMerger(indexes []*Index, scratch func() (SpillFile, error), memory int) (*Merger, error) {
	if len(indexes) > MaxInputs {
		return nil, errors.New("index: too many inputs")
	}
	m := &Merger{inputs: make([]joinedIndex, len(indexes)), added: Builder{Scratch: scratch, Memory: memory}}
	for i, x := range indexes {
		m.inputs[i] = joinedIndex{index: x, places: make([]int32, 0, x.ordinals())}
		if x.Header().Selection == 0 {
			continue
		}
		var err error
		if m.inputs[i].firsts, err = x.Firsts(); err != nil {
			return nil, &InputError{i, err}
		}
	}
	return m, nil
}

// An InputError is an error about an input.
type InputError struct {
	Input int // its position
	Err   error
}

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// Close frees the memory and removes the temporary files.
func (m *Merger) Close() { m.added.Close() }

// Ahead returns how many bytes readers of n parts should read at once, so that the readers
// of all inputs need little memory together.
func (m *Merger) Ahead(n int) int64 {
	const memory = 32 << 20
	return max(blockSize, min(readAhead, memory/int64(n*max(1, len(m.inputs)))))
}

// Take adds the next document of an input. Each of its sections gets the terms in addition
// to its own. Documents must be taken in the order of their IDs.
func (m *Merger) Take(i int, terms []words.TermWeight) error {
	p := &m.inputs[i]
	if p.taken == p.index.Documents() {
		panic("index: an input contains no more documents")
	}
	n := 1
	if p.firsts != nil {
		n = int(p.firsts[p.taken+1] - p.firsts[p.taken])
	}
	collector, first := m.added.begin(n)
	longer := uint32(0)
	for _, t := range terms {
		longer += t.Weight
	}
	for k := range n {
		p.places = append(p.places, int32(first+k))
		for _, t := range terms {
			collector.AddTerm(first+k, t)
		}
	}
	m.added.end(collector)
	m.order = append(m.order, uint16(i))
	p.longer = append(p.longer, longer)
	p.taken++
	return m.added.Err()
}

// Order yields the input of each document that was taken.
func (m *Merger) Order(yield func(input int) bool) {
	for _, i := range m.order {
		if !yield(int(i)) {
			return
		}
	}
}

// Write writes the index of the documents that were taken, which must be all documents of
// all inputs. It ranges over records more than once. They must be in the order of Take,
// with their new IDs, names and files. It fails like the function [Write], or with
// [ErrScratch].
func (m *Merger) Write(out io.Writer, h Header, records iter.Seq2[*Record, error]) error {
	for i := range m.inputs {
		if p := &m.inputs[i]; p.taken < p.index.Documents() {
			return errors.New("index: not all documents of an input were taken")
		}
	}
	if err := m.added.finish(); err != nil {
		return err
	}
	t := Table{records: (func(func(*Record, error) bool))(records)}
	if h.Selection > 0 {
		t.pages = pages(m.pages).spans
	}
	return Write(out, h, t, TermSources{merge: m})
}

// wrongTotal returns the error for an ordinal whose counts add up to another total than the
// input of the ordinal says.
func (m *Merger) wrongTotal(ordinal, total, want uint32) error {
	for i, p := range m.inputs {
		if at, found := slices.BinarySearch(p.places, int32(ordinal)); found {
			return &InputError{i, invalid("its terms count %d words of ordinal %d instead of %d", total, at, want)}
		}
	}
	panic("index: no input contains the ordinal")
}

// pages yields the sections of each document.
func (m *Merger) pages(yield func([]SectionRecord, error) bool) {
	readers := make([]*sectionReader, len(m.inputs))
	next := make([]int, len(m.inputs)) // document
	for i := range readers {
		readers[i] = m.inputs[i].index.readSections(m.Ahead(4))
	}
	for _, i := range m.order {
		p, k := &m.inputs[i], next[i]
		next[i]++
		page, err := readers[i].read(int(p.firsts[k]), int(p.firsts[k+1]-p.firsts[k]))
		if err != nil {
			err = &InputError{int(i), err}
		}
		for s := range page {
			page[s].Length += p.longer[k]
		}
		if !yield(page, err) || err != nil {
			return
		}
	}
}
