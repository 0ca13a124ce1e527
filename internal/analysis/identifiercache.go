package analysis

import "github.com/contextcompiler/context/internal/words"

// An identifierCache keeps runs that have several terms, as a cache keeps words. It takes
// some 350 KiB.
type identifierCache [1 << 11]identifierEntry

const (
	longestIdentifier = 32 // most bytes of a run in the cache
	longestTerms      = 48 // most bytes of its terms
	mostTerms         = 5
)

// An identifierEntry is a run with its terms.
type identifierEntry struct {
	run   [longestIdentifier]byte
	size  uint8 // of the run; 0 if there is none
	count uint8 // of the terms
	text  [longestTerms]byte
	terms [mostTerms]termPlace // in text
}

// slot returns the slot of a run.
func (c *identifierCache) slot(run []byte) *identifierEntry {
	return &c[words.Hash(run)%uint64(len(c))]
}

func (e *identifierEntry) isOf(run []byte) bool { return string(e.run[:e.size]) == string(run) }

// set makes e the entry of a run whose terms are those of found from the n-th on, unless
// they are too many or too long.
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
