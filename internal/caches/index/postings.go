package index

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/contextcompiler/context/document"
)

// maxPosting is the most bytes of a posting.
const maxPosting = 5 + 5

// appendPosting appends a posting to dst as one or two varints: twice the step from the
// previous ordinal to this ordinal, plus 1 if the count is 1. Any other count follows,
// less 2.
func appendPosting(dst []byte, step, count uint32) []byte {
	if count == 1 {
		return binary.AppendUvarint(dst, uint64(step)<<1|1)
	}
	dst = binary.AppendUvarint(dst, uint64(step)<<1)
	return binary.AppendUvarint(dst, uint64(count-2))
}

// decodePosting decodes a posting of n bytes. n is 0 if b doesn't begin with the encoding
// of a posting.
func decodePosting(b []byte) (step, count uint32, n int) {
	first, n := uvarint(b)
	if n == 0 || first>>1 > math.MaxUint32 {
		return 0, 0, 0
	}
	step = uint32(first >> 1)
	if first&1 == 1 {
		return step, 1, n
	}
	second, m := uvarint(b[n:])
	if m == 0 || second > document.MaxSize {
		return 0, 0, 0
	}
	return step, uint32(second) + 2, n + m
}

// uvarint decodes a varint of n bytes in its shortest form. n is 0 if b doesn't begin
// with such a varint.
func uvarint(b []byte) (v uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	v, n = binary.Uvarint(b)
	if n <= 0 || b[n-1] == 0 {
		return 0, 0
	}
	return v, n
}

// appendPostings appends the posting list of sorted postings to dst. Their ordinals must
// be below a limit, which decides with their number whether the list is dense. Otherwise,
// a step is the number of ordinals without a posting.
func appendPostings(dst []byte, postings []Posting, limit int64) []byte {
	if isDense(int64(len(postings)), limit) {
		return appendDense(dst, postings, limit)
	}
	next := uint32(0)
	for _, p := range postings {
		dst = appendPosting(dst, p.Ordinal-next, p.Count)
		next = p.Ordinal + 1
	}
	return dst
}

// decodePostings appends the n postings of a posting list to dst, or nothing if it fails.
// Their ordinals must be below a limit.
func decodePostings(dst []Posting, b []byte, n, limit int64) ([]Posting, error) {
	if n > int64(len(b)) {
		return dst, invalid("a term claims more postings than its list contains")
	}
	if isDense(n, limit) {
		l, err := decodeDense(b, n, limit)
		if err == nil {
			err = l.check()
		}
		if err != nil {
			return dst, err
		}
		return l.Dense.appendTo(dst), nil
	}
	all := slices.Grow(dst, int(n))[:len(dst)+int(n)]
	next := uint64(0)
	for i := len(dst); i < len(all); i++ {
		step, count, size := decodeShort(b)
		if size == 0 {
			step, count, size = decodePosting(b)
		}
		if size == 0 {
			return dst, invalid("the postings of a term are malformed")
		}
		next += uint64(step) + 1
		all[i] = Posting{uint32(next - 1), count}
		b = b[size:]
	}
	if len(b) > 0 || next > uint64(limit) { // checking the last is enough because ordinals only grow
		return dst, invalid("the postings of a term end early or exceed the documents")
	}
	return all, nil
}

// decodeShort is like decodePosting, but only for bytes below 0x80 that are followed by
// another byte, such as most postings of frequent terms. For others, n is 0. It doesn't
// branch on the count, because processors would often mispredict it.
func decodeShort(b []byte) (step, count uint32, n int) {
	if len(b) < 2 {
		return 0, 0, 0
	}
	first, second := uint32(b[0]), uint32(b[1])
	isOther := first&1 ^ 1 // whether the count is not 1, so the second byte contains it
	if (first | second*isOther) >= 0x80 {
		return 0, 0, 0
	}
	return first >> 1, 1 + (second+1)*isOther, 1 + int(isOther)
}
