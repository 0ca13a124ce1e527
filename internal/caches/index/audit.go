package index

import (
	"fmt"
	"math/bits"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/words"
)

// An Audit compares the postings of an index with the terms of its documents. It needs a
// single pass over both, and doesn't write an index.
//
// For each ordinal, it adds up a 64-bit hash of every term times its count, and does the
// same for the postings. Each process uses its own seed. The sums are 128 bits wide, so
// they are as good as sums of integers: if the two sides differ in the count of a term,
// at most one value of its hash makes the sums equal. Modulo 2^64, however, counts that
// differ by a multiple of 2^k would leave 2^k such values. A difference remains unnoticed
// with a probability of about 2^-64, and because of the seed, nobody can construct it.
type Audit struct {
	sums []sum // by ordinal
}

// NewAudit returns an audit of an index of n ordinals. It needs 16 bytes for each
// ordinal.
func NewAudit(n int) *Audit { return &Audit{make([]sum, n)} }

// Add adds the words of the content of an ordinal and returns their number. The content
// must not exceed [document.MaxSize] bytes; Add doesn't keep it. An ordinal without a
// call of Add must not occur in the postings. Add is safe for concurrent use for
// different ordinals.
func (a *Audit) Add(ordinal int, content []byte) (count int) {
	if len(content) > document.MaxSize {
		panic(fmt.Sprintf("index: document %d of %d bytes is out of bounds", ordinal, len(content)))
	}
	var total sum
	var room [256]byte
	buf := room[:0]
	for w := range words.Of(content) {
		count++
		var term []byte
		term, buf = termOf(content, w, buf)
		total.add(words.Hash(term), 1)
	}
	a.sums[ordinal] = total
	return count
}

// AddTerm adds a term to the document at an ordinal. Its weight is the number of
// occurrences. Like Add, it is safe for concurrent use for different ordinals.
func (a *Audit) AddTerm(ordinal int, t words.TermWeight) {
	hash := t.Hash
	if len(t.Text) >= maxTerm {
		hash = words.Hash(stored(t.Text))
	}
	a.sums[ordinal].add(hash, t.Weight)
}

// Compare reads all postings of x and returns the first ordinal whose terms or counts
// differ, or -1. If x contains a different number of ordinals, the surplus ordinals
// differ. Call Compare only once, because it subtracts the postings from the sums. It
// fails with [ErrInvalid] if x is damaged.
//
// It doesn't read the nodes above the leaves of the dictionary and doesn't check the
// encoding. To check both, write x again from its own contents (see [TermSources]) and
// compare the bytes.
func (a *Audit) Compare(x *Index) (ordinal int, err error) {
	err = x.EachTerm(func(text []byte, postings []Posting) error {
		hash := words.Hash(text)
		for _, p := range postings {
			if int(p.Ordinal) < len(a.sums) {
				a.sums[p.Ordinal].subtract(hash, p.Count)
			}
		}
		return nil
	})
	if err != nil {
		return -1, err
	}
	n := min(len(a.sums), x.ordinals())
	for i, rest := range a.sums[:n] {
		if rest != (sum{}) {
			return i, nil
		}
	}
	if len(a.sums) != x.ordinals() {
		return n, nil
	}
	return -1, nil
}

// A sum adds up hashes, each multiplied by its count.
type sum struct{ high, low uint64 }

func (s *sum) add(hash uint64, count uint32) {
	high, low := bits.Mul64(hash, uint64(count))
	var carry uint64
	s.low, carry = bits.Add64(s.low, low, 0)
	s.high += high + carry
}

func (s *sum) subtract(hash uint64, count uint32) {
	high, low := bits.Mul64(hash, uint64(count))
	var borrow uint64
	s.low, borrow = bits.Sub64(s.low, low, 0)
	s.high -= high + borrow
}
