package index

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/contextcompiler/context/internal/base/files"
)

// ErrScratch is wrapped by every error about a [files.Scratch].
var ErrScratch = errors.New("temporary file")

// scratchError returns err with the name of the scratch file, unless it is an error of
// the system, which already contains the name.
func scratchError(file files.Scratch, err error) error {
	if errors.Is(err, ErrInvalid) { // ErrInvalid would blame the previous index
		return fmt.Errorf("%w: %s doesn't contain what was written to it", ErrScratch, file.Name())
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e // without the prefix that a reader of an index adds
	}
	return fmt.Errorf("%w: %w", ErrScratch, err)
}

// A run contains the terms of some documents in a scratch file, in order. Its blocks
// contain the leaves of a dictionary, and its ordinals are the ordinals used in Add.
type run struct {
	file   files.Scratch
	blocks blockReader
	length int64 // terms
}

// unboundedOrdinals is the limit of the ordinals used in Add, because their number isn't
// known yet. No list is dense below it.
const unboundedOrdinals = math.MaxUint32 + 1

func writeRun(file files.Scratch, c *Collector) (*run, error) {
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
		list = appendPostings(list[:0], postings, unboundedOrdinals)
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

func (r *run) terms(p placement) termSource {
	return &runTerms{r.file, p, termReader{
		ordinals: unboundedOrdinals, left: r.length, end: r.blocks.end,
		window: window{blocks: &r.blocks, ahead: readAhead},
		inLeaf: nodeTerms, // pretends a full leaf, so that next begins the first
	}}
}

// runTerms contains the terms of a run. It is a termSource.
type runTerms struct {
	file      files.Scratch
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
