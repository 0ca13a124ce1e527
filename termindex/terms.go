package termindex

import (
	"bytes"
	"encoding/binary"
)

// This file goes through all terms of an index, for those who take them over or
// compare them with something. It reads the leaves of the dictionary, which lie
// one after the other and say themselves how long they are.

// A termReader yields the terms of an index in order.
type termReader struct {
	documents int64 // of the index
	terms     int64 // in the leaves that are still to be read
	leaves    stream

	// The leaf at hand, which is what the stream has ahead.
	leaf     []byte
	entries  []leafEntry // still to come
	postings []byte      // theirs

	text    []byte    // the term at hand
	decoded []Posting // its postings
	room    [blockTerms]leafEntry
}

// A leafEntry is what a leaf says of a term.
type leafEntry struct {
	shared     int64 // bytes of the term before it that the term begins with
	start, end int64 // where in the leaf the rest of it stands
	documents  int64 // that have the term, at least 1
	size       int64 // bytes of the postings
}

func (x *InvertedIndex) newTermReader() *termReader {
	start, end := x.footer.section(termsKind)
	return &termReader{
		documents: x.footer.documents,
		terms:     x.footer.terms,
		leaves:    stream{pages: &x.pages, at: start, end: end},
	}
}

// next returns the next term and its postings, of which there is at least one.
// Both are good until the next call. After the last term, the text is empty.
func (r *termReader) next() (text []byte, postings []Posting, err error) {
	if len(r.entries) == 0 {
		if r.terms == 0 {
			return nil, nil, nil
		}
		if err := r.readLeaf(); err != nil {
			return nil, nil, err
		}
	}
	e := r.entries[0]
	r.entries = r.entries[1:]
	rest := r.leaf[e.start:e.end]
	if e.shared > int64(len(r.text)) || bytes.Compare(r.text[e.shared:], rest) >= 0 {
		return nil, nil, invalid("its terms are not in order")
	}
	r.text = append(r.text[:e.shared], rest...)
	encoded := r.postings[:e.size]
	r.postings = r.postings[e.size:]
	r.decoded, err = decodePostings(r.decoded[:0], encoded, e.documents, r.documents)
	return r.text, r.decoded, err
}

// readLeaf makes the leaf after the one at hand the one at hand.
func (r *termReader) readLeaf() error {
	r.leaves.skip(int64(len(r.leaf)))
	r.leaf = nil
	b, err := r.leaves.peek(min(binary.MaxVarintLen64, r.leaves.left()))
	if err != nil {
		return err
	}
	length, n := uvarint(b)
	if n == 0 || length > uint64(r.leaves.left()) {
		return invalid("a leaf of the dictionary makes no sense")
	}
	start, end := int64(n), int64(n)+int64(length)
	if b, err = r.leaves.peek(end); err != nil {
		return err
	}
	size, err := r.readEntries(b[:end], start)
	if err != nil {
		return err
	}
	if b, err = r.leaves.peek(end + size); err != nil {
		return err
	}
	r.leaf, r.postings = b[:end+size], b[end:end+size]
	return nil
}

// readEntries decodes the entries of a leaf, which are all of b from at on. It
// returns how many bytes their postings have.
func (r *termReader) readEntries(b []byte, at int64) (size int64, err error) {
	r.entries = r.room[:min(r.terms, blockTerms)]
	r.terms -= int64(len(r.entries))
	d := lengthReader{b: b, at: at, most: r.leaves.left()}
	for i := range r.entries {
		e := leafEntry{shared: d.next(), end: d.next()}
		e.start = d.at
		e.end += e.start
		d.skip(e.end - e.start)
		e.documents, e.size = d.next(), d.next()
		size += e.size
		if e.documents < 1 || size > d.most || i == 0 && e.shared > 0 {
			d.failed = true
		}
		r.entries[i] = e
	}
	if d.failed || d.at != int64(len(b)) {
		return 0, invalid("the entries of a leaf of the dictionary make no sense")
	}
	return size, nil
}

// A lengthReader takes varints off bytes. One that is missing, that makes no
// sense or is greater than allowed is 0, and failed is set.
type lengthReader struct {
	b      []byte
	at     int64
	most   int64
	failed bool
}

func (r *lengthReader) next() int64 {
	v, n := uvarint(r.b[r.at:])
	if n == 0 || v > uint64(r.most) {
		r.failed = true
		return 0
	}
	r.at += int64(n)
	return int64(v)
}

// skip passes over n bytes.
func (r *lengthReader) skip(n int64) {
	if n > int64(len(r.b))-r.at {
		r.failed, n = true, 0
	}
	r.at += n
}
