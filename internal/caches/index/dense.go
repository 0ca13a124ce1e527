package index

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/contextcompiler/context/document"
)

// This file contains the posting lists of frequent terms. Answers read them without
// decoding them, because decoding all postings of a frequent term takes longer than the
// rest of an answer.

const (
	// leastDense is the least number of postings of a dense list.
	leastDense = 128

	// denseShare is the number of ordinals for each posting of a dense list, at most. A
	// higher share would make the index larger, because each ordinal needs a bit.
	denseShare = 16

	// largeCount is the least count that doesn't fit into a byte.
	largeCount = 256

	// highestCount is the highest count of a posting.
	highestCount = document.MaxSize + 2
)

// isDense reports whether a list of n postings is dense.
func isDense(n, ordinals int64) bool { return n >= leastDense && n >= ordinals/denseShare }

func wordsOf(ordinals int64) int64 { return (ordinals + 63) / 64 }

// appendDense appends a dense list: the sum of the counts, the highest count, a bit for each
// ordinal, a byte for each count, and the counts that don't fit into a byte, which are 0 there.
func appendDense(dst []byte, postings []Posting, ordinals int64) []byte {
	sum, most := uint64(0), uint32(0)
	set, counts := make([]byte, wordsOf(ordinals)*8), make([]byte, len(postings))
	var large []byte
	for i, p := range postings {
		sum += uint64(p.Count)
		most = max(most, p.Count)
		set[p.Ordinal/8] |= 1 << (p.Ordinal % 8)
		if p.Count < largeCount {
			counts[i] = byte(p.Count)
		} else {
			large = binary.AppendUvarint(large, uint64(p.Count-largeCount))
		}
	}
	dst = slices.Grow(dst, 2*binary.MaxVarintLen64+len(set)+len(counts)+len(large))
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, sum), uint64(most))
	return append(append(append(dst, set...), counts...), large...)
}

var errMalformedDense = invalid("the dense postings of a term are malformed")

// A List is the posting list of a term. Only the postings of rare terms are decoded; the
// list of a frequent term is dense instead. It never changes, so it is safe for
// concurrent use.
type List struct {
	Len  int    // postings
	Sum  uint64 // of their counts
	Most uint32 // highest count

	Postings []Posting // sorted by ordinal; nil if the list is dense
	Dense    *Dense    // nil if Postings contains the list
}

// ListOf returns a list of postings, which must be sorted by ordinal. The ordinals must
// be below a limit. The list shares the memory of postings, unless it becomes dense.
func ListOf(postings []Posting, limit int) List {
	if isDense(int64(len(postings)), int64(limit)) {
		if l, err := decodeDense(appendDense(nil, postings, int64(limit)), int64(len(postings)), int64(limit)); err == nil {
			return l
		}
	}
	l := List{Len: len(postings), Postings: postings}
	for _, p := range postings {
		l.Sum += uint64(p.Count)
		l.Most = max(l.Most, p.Count)
	}
	return l
}

// A Dense contains the postings of a frequent term.
type Dense struct {
	set    []byte   // a bit for each ordinal, lowest first
	ranks  []uint32 // for each rankWords words: the number of bits before them
	counts []byte   // of the postings in order; 0 if the count is large
	large  []Posting
}

// rankWords is how many words share a rank.
const rankWords = 8

// decodeDense decodes a dense list of n postings. It shares the memory of b. It checks
// everything except the sum and the highest count, because these would take much longer;
// see [Dense.check].
func decodeDense(b []byte, n, ordinals int64) (l List, err error) {
	sum, size := uvarint(b)
	most, more := uvarint(b[size:])
	b = b[size+more:]
	words := int(wordsOf(ordinals))
	end := 8*int64(words) + n // of the counts
	if size == 0 || more == 0 || most < 1 || most > highestCount || int64(len(b)) < end {
		return l, errMalformedDense
	}
	d := &Dense{set: b[:8*words], ranks: make([]uint32, 0, words/rankWords+1), counts: b[8*words : end : end]}
	count := 0
	for i := range words {
		if i%rankWords == 0 {
			d.ranks = append(d.ranks, uint32(count))
		}
		count += bits.OnesCount64(d.Word(i))
	}
	if beyond := ordinals % 64; int64(count) != n || beyond > 0 && d.Word(words-1)>>beyond > 0 {
		return l, errMalformedDense
	}
	if err := d.readLarge(b[end:]); err != nil {
		return l, err
	}
	return List{Len: int(n), Sum: sum, Most: uint32(most), Dense: d}, nil
}

// readLarge reads the counts that don't fit into a byte.
func (d *Dense) readLarge(b []byte) error {
	large := bytes.Count(d.counts, []byte{0})
	if large > len(b) {
		return invalid("the large counts of a term end early")
	}
	d.large = make([]Posting, 0, large)
	if large > 0 {
		d.Each(0, d.Words(), func(ordinal, count uint32) {
			if count == 0 {
				d.large = append(d.large, Posting{Ordinal: ordinal})
			}
		})
	}
	for i := range d.large {
		more, size := uvarint(b)
		if size == 0 || more > highestCount-largeCount {
			return invalid("a large count of a term is malformed")
		}
		d.large[i].Count, b = uint32(more)+largeCount, b[size:]
	}
	if len(b) > 0 {
		return invalid("the postings of a term end early")
	}
	return nil
}

// check fails unless the sum and the highest count are right.
func (l *List) check() error {
	sum, most := uint64(0), uint32(0)
	l.Dense.Each(0, l.Dense.Words(), func(_, count uint32) {
		sum += uint64(count)
		most = max(most, count)
	})
	if sum != l.Sum || most != l.Most {
		return invalid("the counts of a term add up to %d instead of %d, and reach %d instead of %d", sum, l.Sum, most, l.Most)
	}
	return nil
}

// Words returns the number of words of the set of ordinals.
func (d *Dense) Words() int { return len(d.set) / 8 }

// Word returns a word of the set of ordinals: a bit for each, lowest first.
func (d *Dense) Word(i int) uint64 { return binary.LittleEndian.Uint64(d.set[8*i:]) }

// AddTo adds a bit for each ordinal to a set of as many words.
func (d *Dense) AddTo(set []uint64) {
	rest := d.set
	for i := range set {
		if len(rest) < 8 {
			return
		}
		set[i] |= binary.LittleEndian.Uint64(rest)
		rest = rest[8:]
	}
}

// Contains reports whether the list contains an ordinal, which must be below the limit.
func (d *Dense) Contains(ordinal uint32) bool { return d.set[ordinal/8]>>(ordinal%8)&1 == 1 }

// Count returns the count of an ordinal, or 0 if the list doesn't contain it.
func (d *Dense) Count(ordinal uint32) uint32 {
	if !d.Contains(ordinal) {
		return 0
	}
	word := int(ordinal / 64)
	count := d.counts[d.rank(word)+bits.OnesCount64(d.Word(word)&(1<<(ordinal%64)-1))]
	if count == 0 {
		return d.largeAt(ordinal)
	}
	return uint32(count)
}

// largeAt returns the count of an ordinal whose count doesn't fit into a byte.
func (d *Dense) largeAt(ordinal uint32) uint32 {
	at, isKnown := slices.BinarySearchFunc(d.large, ordinal, func(p Posting, ordinal uint32) int { return int(int64(p.Ordinal) - int64(ordinal)) })
	if !isKnown { // only while readLarge finds the ordinals
		return 0
	}
	return d.large[at].Count
}

// rank returns the number of postings before a word.
func (d *Dense) rank(word int) int {
	first := word / rankWords * rankWords
	rank := int(d.ranks[word/rankWords])
	for i := first; i < word; i++ {
		rank += bits.OnesCount64(d.Word(i))
	}
	return rank
}

// Each calls visit with the postings of some words, in order.
func (d *Dense) Each(first, end int, visit func(ordinal, count uint32)) {
	if first >= end {
		return
	}
	counts := d.counts[d.rank(first):]
	n := 0
	for i := first; i < end; i++ {
		for word := d.Word(i); word != 0; word &= word - 1 {
			ordinal, count := uint32(i*64+bits.TrailingZeros64(word)), uint32(counts[n])
			if count == 0 {
				count = d.largeAt(ordinal)
			}
			visit(ordinal, count)
			n++
		}
	}
}

// appendTo appends all postings to dst.
func (d *Dense) appendTo(dst []Posting) []Posting {
	dst = slices.Grow(dst, len(d.counts))
	d.Each(0, d.Words(), func(ordinal, count uint32) { dst = append(dst, Posting{ordinal, count}) })
	return dst
}

// AppendTo appends all postings to dst.
func (l *List) AppendTo(dst []Posting) []Posting {
	if l.Dense != nil {
		return l.Dense.appendTo(dst)
	}
	return append(dst, l.Postings...)
}

// Size returns the approximate size of a list in memory, in bytes.
func (l *List) Size() int {
	if l.Dense != nil {
		return len(l.Dense.set) + 4*len(l.Dense.ranks) + len(l.Dense.counts) + 8*len(l.Dense.large)
	}
	return 8 * len(l.Postings)
}
