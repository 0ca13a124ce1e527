package index

import (
	"fmt"
	"hash/maphash"
	"math/bits"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/words"
)

// An Audit compares the postings of an index with the contents of its documents,
// in a few passes over both and without making an index.
//
// It adds up, for each document, a 64-bit hash of every word of it, in lower
// case, and the same for what the index says that the document has; the hashes
// are seeded anew by each process. The sums have 128 bits and are as good as
// the sums of the integers. So if the two sides have a term in unlike numbers,
// there is at most one value of the term's hash that makes the sums alike, be
// the numbers what they may: modulo 2^64, numbers that differ by a multiple of
// 2^k would leave 2^k such values. A document that differs goes unnoticed with a
// probability of about 2^-64, and nobody can choose one that does without
// knowing the seed.
type Audit struct {
	sums []sum // by ordinal
}

// NewAudit returns an audit of an index of that number of documents. It takes 16
// bytes for each, and Compare takes 16 more.
func NewAudit(documents int) *Audit { return &Audit{make([]sum, documents)} }

// Add takes the content of the document at an ordinal, and returns how many
// words it has. A content has at most [document.MaxSize] bytes and is not kept.
// A document without a call of Add must have no words in the index. Add is safe for
// concurrent use for different ordinals.
func (a *Audit) Add(ordinal int, content []byte) (count int) {
	if len(content) > document.MaxSize {
		panic(fmt.Sprintf("index: document %d of %d bytes is out of bounds", ordinal, len(content)))
	}
	var total sum
	var room [256]byte
	buf := room[:0]
	split := words.NewSplitter(content)
	for ended, more := split.Next(); more; ended, more = split.Next() {
		count += len(ended)
		for _, w := range ended {
			term := content[w.Start:w.End]
			if w.IsOdd {
				buf = words.AppendLower(buf[:0], term)
				term = buf
			}
			total.add(maphash.Bytes(hashSeed, stored(term)), 1)
		}
	}
	a.sums[ordinal] = total
	return count
}

// AddTerm adds count occurrences of a term to the document at an ordinal. It is safe
// for concurrent use as Add is.
func (a *Audit) AddTerm(ordinal int, term []byte, count uint32) {
	a.sums[ordinal].add(maphash.Bytes(hashSeed, stored(term)), count)
}

// Compare reads all postings of x and returns the first ordinal at which x says
// of a document that it has other terms than its content, or has them in other
// numbers, and -1 if there is none. If x has more documents than the audit, or
// fewer, those beyond count as differing. Compare fails with [ErrInvalid] if x
// is damaged.
//
// It does not read the nodes above the leaves of the dictionary and does not check
// the encoding. To check both, write x anew from itself (see [Sources]) and compare.
func (a *Audit) Compare(x *Index) (ordinal int, err error) {
	found := make([]sum, x.ordinals())
	for terms := x.newTermReader(); ; {
		text, postings, err := terms.next()
		if err != nil {
			return -1, err
		}
		if len(text) == 0 {
			break
		}
		hash := maphash.Bytes(hashSeed, text)
		for _, p := range postings {
			found[p.Ordinal].add(hash, p.Count)
		}
	}
	return firstDifference(a.sums, found), nil
}

// firstDifference returns the first index at which a and b differ or only one
// of them goes on, -1 if they are the same.
func firstDifference(a, b []sum) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) != len(b) {
		return n
	}
	return -1
}

// A sum adds up hashes, each times its count.
type sum struct{ high, low uint64 }

func (s *sum) add(hash uint64, count uint32) {
	high, low := bits.Mul64(hash, uint64(count))
	var carry uint64
	s.low, carry = bits.Add64(s.low, low, 0)
	s.high += high + carry
}
