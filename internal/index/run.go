package index

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
)

// A SpillFile is a temporary file: written once from its start, then read. Close removes
// it.
type SpillFile interface {
	io.Writer
	io.ReaderAt
	Name() string
	Close() error
}

// ErrScratch is wrapped by every error about a [SpillFile].
var ErrScratch = errors.New("temporary file")

// scratchError returns err, which is about a scratch file. Errors of the system name
// the file themselves.
func scratchError(file SpillFile, err error) error {
	if errors.Is(err, ErrInvalid) { // which would mean the previous index
		return fmt.Errorf("%w: %s does not hold what was written to it", ErrScratch, file.Name())
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e // without what a reader of an index adds
	}
	return fmt.Errorf("%w: %w", ErrScratch, err)
}

// A run holds the terms of some documents in a scratch file, in order: the leaves of a
// dictionary, in blocks. Its ordinals are those used in Add.
type run struct {
	file   SpillFile
	blocks blockReader
	length int64 // terms
}

// writeRun writes the terms of a collector to a file.
func writeRun(file SpillFile, c *Collector) (*run, error) {
	buffered := bufio.NewWriterSize(file, 64<<10)
	out := &blockWriter{out: buffered}
	dictionary := &dictionaryWriter{out: out}
	collected := newCollectedTerms([]*Collector{c}, placement{nil, math.MaxInt})
	var list []byte
	for out.err == nil {
		text, postings, err := collected.next()
		if err != nil {
			return nil, err
		}
		if len(text) == 0 {
			break
		}
		list = appendPostings(list[:0], postings)
		dictionary.add(text, len(postings), list)
	}
	dictionary.endLeaf()
	out.endBlock()
	if out.err == nil {
		out.err = buffered.Flush()
	}
	if out.err != nil {
		return nil, scratchError(file, out.err)
	}
	return &run{file, blockReader{in: file, end: out.at(), sums: out.sums}, dictionary.terms}, nil
}

// terms returns the terms of a run with final ordinals.
func (r *run) terms(p placement) termSource {
	return &runTerms{r.file, p, termReader{
		ordinals: math.MaxUint32 + 1, left: r.length, end: r.blocks.end,
		window: window{blocks: &r.blocks, ahead: readAhead},
		inLeaf: nodeTerms, // of the leaf before the first
	}}
}

// runTerms are the terms of a run. They are a termSource.
type runTerms struct {
	file      SpillFile
	placement placement
	reader    termReader
}

func (t *runTerms) next() (text []byte, postings []Posting, err error) {
	for {
		text, postings, err = t.reader.next()
		if err != nil {
			return nil, nil, scratchError(t.file, err)
		}
		if len(text) == 0 {
			return nil, nil, nil
		}
		if postings, err = t.placement.place(postings); len(postings) > 0 || err != nil {
			return text, postings, err
		}
	}
}
