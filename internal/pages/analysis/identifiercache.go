package analysis

import "github.com/contextcompiler/context/internal/base/words"

// An identifierCache maps runs with several terms to these terms, like a wordCache for
// words. It takes about 350 KiB.
type identifierCache [1 << 11]identifierEntry

const (
	longestIdentifier = 32 // most bytes of a cached run
	longestTerms      = 48 // most bytes of its terms
	mostTerms         = 5
)

// An identifierEntry is a run with its terms.
type identifierEntry struct {
	run   [longestIdentifier]byte
	size  uint8 // of the run; 0 without a run
	count uint8 // of the terms
	text  [longestTerms]byte
	terms [mostTerms]termPlace // in text
}

func (c *identifierCache) slot(run []byte) *identifierEntry {
	return &c[words.Hash(run)%uint64(len(c))]
}

func (e *identifierEntry) isOf(run []byte) bool { return string(e.run[:e.size]) == string(run) }

// set stores a run and its terms, which are those in found from the n-th on. It stores
// nothing if they are too many or too long.
func (e *identifierEntry) set(run []byte, found *Terms, n int) {
	terms := found.terms[n:]
	start := terms[0].end - uint32(terms[0].size)
	if len(terms) > mostTerms || len(found.text)-int(start) > longestTerms {
		return
	}
	e.size, e.count = uint8(copy(e.run[:], run)), uint8(len(terms))
	copy(e.text[:], found.text[start:])
	for i, p := range terms {
		p.end -= start
		e.terms[i] = p
	}
}
