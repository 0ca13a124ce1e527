package index

import (
	"bytes"
	"encoding/binary"
	"math"
)

// A node iterates over the entries of a node of the dictionary.
type node struct {
	rest []byte // entries still to come
	text []byte // of the current entry
	err  error  // the first error
}

func (n *node) fail() { n.rest, n.err = nil, invalid("a node of the dictionary is malformed") }

// number reads a length or an offset, which must be far below 2^56.
func (n *node) number() int64 {
	v, size := uvarint(n.rest)
	if size == 0 || v >= 1<<56 {
		n.fail()
		return 0
	}
	n.rest = n.rest[size:]
	return int64(v)
}

func (n *node) next() {
	shared, length := n.number(), n.number()
	if shared > int64(len(n.text)) || length > int64(len(n.rest)) || shared+length > maxTerm {
		n.fail()
		return
	}
	n.text = append(n.text[:shared], n.rest[:length]...)
	n.rest = n.rest[length:]
}

// A leaf iterates over the terms of a leaf.
type leaf struct {
	node
	postings int64 // offset of the next posting list
	limit    int64 // end of the posting lists

	entries []byte // all entries
}

// A leafEntry is a term of a leaf, without its text.
type leafEntry struct {
	count    int64 // of its postings, at least 1
	postings int64 // offset of its posting list
	size     int64 // bytes of that list
}

// begin moves to the leaf at start, which must end at limit at the latest.
func (l *leaf) begin(w *window, start, limit int64) error {
	head, err := w.read(start, min(binary.MaxVarintLen64, limit-start))
	if err != nil {
		return err
	}
	l.node = node{rest: head, text: l.text[:0]}
	size := l.number()
	start += int64(len(head) - len(l.rest))
	if l.err != nil || size < 1 || size > limit-start {
		return invalid("a leaf of the dictionary is empty or ends early")
	}
	entries, err := w.read(start, size)
	l.entries = append(l.entries[:0], entries...)
	l.rest, l.postings, l.limit = l.entries, start+size, limit
	return err
}

// next returns the next entry. Its text is valid until the next call.
func (l *leaf) next() leafEntry {
	l.node.next()
	e := leafEntry{count: l.number(), size: l.number(), postings: l.postings}
	if e.size > l.limit-l.postings || e.count < 1 || e.size < e.count || e.size/maxPosting > e.count {
		l.fail()
	}
	l.postings += e.size
	return e
}

// A Lookup finds terms in an index, one after another. It keeps the blocks of each level
// that it read last, so it is fastest if terms come in order. It is not safe for
// concurrent use.
type Lookup struct {
	index  *Index
	levels []window // from the root to the leaves
	inner  node
	leaf   leaf
	buf    []byte // of posting lists
}

// NewLookup returns a Lookup in x.
func (x *Index) NewLookup() *Lookup {
	levels := make([]window, x.footer.height()+1)
	for i := range levels {
		levels[i].blocks = &x.blocks
	}
	return &Lookup{index: x, levels: levels}
}

// List returns the posting list of a term, which is empty if the index doesn't contain
// the term. It doesn't decode the postings of a frequent term.
func (l *Lookup) List(term string) (List, error) {
	e, err := l.find(stored([]byte(term)))
	if err != nil || e.count == 0 {
		return List{}, err
	}
	limit := l.index.footer.ordinals()
	if !isDense(e.count, limit) {
		var b []byte
		if b, l.buf, err = l.index.blocks.read(l.buf, e.postings, e.size); err != nil {
			return List{}, err
		}
		postings, err := decodePostings(nil, b, e.count, limit)
		return ListOf(postings, math.MaxInt), err
	}
	b, _, err := l.index.blocks.read(nil, e.postings, e.size) // the list keeps b
	if err != nil {
		return List{}, err
	}
	return decodeDense(b, e.count, limit)
}

// find returns the entry of a term, or the zero entry if the index doesn't contain it.
func (l *Lookup) find(term []byte) (leafEntry, error) {
	if len(term) == 0 || l.index.footer.terms == 0 {
		return leafEntry{}, nil
	}
	start, end, err := l.leafOf(term)
	if err == nil {
		err = l.leaf.begin(&l.levels[len(l.levels)-1], start, end)
	}
	if err != nil {
		return leafEntry{}, err
	}
	for len(l.leaf.rest) > 0 {
		e := l.leaf.next()
		order := bytes.Compare(l.leaf.text, term)
		if l.leaf.err == nil && order == 0 {
			return e, nil
		}
		if order > 0 {
			break
		}
	}
	return leafEntry{}, l.leaf.err
}

// leafOf returns the beginning and the end of the only leaf that may contain a term.
func (l *Lookup) leafOf(term []byte) (start, end int64, err error) {
	f := &l.index.footer
	dictionary, end := f.part(termsKind)
	start = dictionary + f.root
	for i := range l.levels[:len(l.levels)-1] {
		b, err := l.levels[i].read(start, end-start)
		if err != nil {
			return 0, 0, err
		}
		l.inner = node{rest: b, text: l.inner.text[:0]}
		if start, end, err = l.inner.child(start-dictionary, term); err != nil {
			return 0, 0, err
		}
		start, end = dictionary+start, dictionary+end
	}
	return start, end, nil
}

// child returns the offsets of the last child of n whose separator is not greater than
// term. n is at offset at. Children must come before their parents, so no node can lead
// back to itself.
func (n *node) child(at int64, term []byte) (start, end int64, err error) {
	for next := n.number(); len(n.rest) > 0; {
		n.next()
		length := n.number()
		if length < 1 || length > at-next {
			n.fail()
		}
		if n.err != nil || bytes.Compare(n.text, term) > 0 {
			break
		}
		start, end = next, next+length
		next = end
	}
	if start == end && n.err == nil {
		n.fail()
	}
	return start, end, n.err
}
