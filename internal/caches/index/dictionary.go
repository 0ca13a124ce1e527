package index

import (
	"bytes"
	"encoding/binary"
)

// This file writes the dictionary, a tree of nodes. A leaf contains terms and their
// posting lists. A node above the leaves contains a separator for each of its children:
// it is greater than every term of the previous child, but not greater than any term of
// this child. Leaves come first and the root last:
//
//	leaf leaf … leaf | node … node | root

// A dictionaryWriter gets the terms in order and writes the tree.
type dictionaryWriter struct {
	out   *blockWriter
	start int64 // of the dictionary

	terms    int64
	last     []byte // term
	children []child

	// The current leaf.
	inLeaf    int // terms
	separator []byte
	entries   []byte
	postings  []byte
}

// A child is a written node, as its parent refers to it.
type child struct {
	separator []byte
	length    int64
}

// add adds a term with the number of its postings and their posting list. It doesn't keep
// its arguments.
func (w *dictionaryWriter) add(text []byte, documents int, postings []byte) {
	if w.inLeaf == nodeTerms {
		w.endLeaf()
	}
	if w.inLeaf == 0 {
		if w.terms > 0 {
			w.separator = separatorOf(w.last, text)
		}
		w.last = w.last[:0] // because a leaf must be readable by itself
	}
	w.entries = appendFrontCoded(w.entries, w.last, text)
	w.entries = binary.AppendUvarint(w.entries, uint64(documents))
	w.entries = binary.AppendUvarint(w.entries, uint64(len(postings)))
	w.postings = append(w.postings, postings...)
	w.last = append(w.last[:0], text...)
	w.inLeaf++
	w.terms++
}

func (w *dictionaryWriter) endLeaf() {
	start := w.out.at()
	w.out.write(binary.AppendUvarint(nil, uint64(len(w.entries))))
	w.out.write(w.entries)
	w.out.write(w.postings)
	w.children = append(w.children, child{w.separator, w.out.at() - start})
	w.inLeaf, w.entries, w.postings = 0, w.entries[:0], w.postings[:0]
}

// close writes the nodes above the leaves and returns the offset of the root in the
// dictionary.
func (w *dictionaryWriter) close() (root int64) {
	if w.terms == 0 {
		return 0
	}
	w.endLeaf()
	return w.endLevels()
}

// endLevels writes the nodes above the children and returns the offset of the root.
func (w *dictionaryWriter) endLevels() (root int64) {
	for below := int64(0); len(w.children) > 1; {
		below = w.endLevel(below)
	}
	return w.out.at() - w.start - w.children[0].length
}

// endLevel writes the parents of the children, which begin at offset below, and returns
// the offset at which the parents begin.
func (w *dictionaryWriter) endLevel(below int64) (start int64) {
	start = w.out.at() - w.start
	var parents []child
	for children := w.children; len(children) > 0; {
		family := children[:min(nodeTerms, len(children))]
		children = children[len(family):]
		node := encodeFamily(below, family)
		w.out.write(node)
		parents = append(parents, child{family[0].separator, int64(len(node))})
		for _, c := range family {
			below += c.length
		}
	}
	w.children = parents
	return start
}

// encodeFamily returns the node of consecutive children, which begin at offset first.
func encodeFamily(first int64, family []child) []byte {
	node := binary.AppendUvarint(nil, uint64(first))
	var last []byte
	for _, c := range family {
		node = appendFrontCoded(node, last, c.separator)
		node = binary.AppendUvarint(node, uint64(c.length))
		last = c.separator
	}
	return node
}

// separatorOf returns a copy of the shortest text that is greater than before, but not
// greater than text.
func separatorOf(before, text []byte) []byte {
	return bytes.Clone(text[:sharedPrefix(before, text)+1])
}

// appendFrontCoded appends a text. Instead of the bytes shared with the previous text, it
// only writes their number.
func appendFrontCoded(dst, before, text []byte) []byte {
	shared := sharedPrefix(before, text)
	dst = binary.AppendUvarint(dst, uint64(shared))
	dst = binary.AppendUvarint(dst, uint64(len(text)-shared))
	return append(dst, text[shared:]...)
}

func sharedPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	if bytes.Equal(a[:n], b[:n]) {
		return n
	}
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// checkDictionary fails with [ErrInvalid] unless the terms are in order and the nodes above the
// leaves are those that a dictionaryWriter writes. It doesn't decode posting lists.
func (x *Index) checkDictionary() error {
	if x.footer.terms == 0 {
		return nil
	}
	first, end := x.footer.part(termsKind)
	var children []child
	r := x.newTermReader()
	for r.left > 0 {
		isNewLeaf, start, last := len(r.leaf.rest) == 0, r.leaf.postings, r.text
		if isNewLeaf {
			last = bytes.Clone(last) // because the next term overwrites it
		}
		text, _, _, err := r.nextList()
		if err != nil {
			return err
		}
		if !isNewLeaf {
			continue
		}
		leaf := child{length: -start} // until its end is known
		if n := len(children); n > 0 {
			children[n-1].length += start
			leaf.separator = separatorOf(last, text)
		}
		children = append(children, leaf)
	}
	leavesEnd := r.leaf.postings
	children[len(children)-1].length += leavesEnd
	var nodes bytes.Buffer
	w := dictionaryWriter{out: &blockWriter{out: &nodes}, start: first - leavesEnd, children: children}
	root := w.endLevels()
	w.out.endBlock()
	written, _, err := x.blocks.read(nil, leavesEnd, end-leavesEnd)
	if err == nil && (len(r.leaf.rest) > 0 || root != x.footer.root || !bytes.Equal(written, nodes.Bytes())) {
		err = invalid("the nodes of its dictionary don't match its leaves")
	}
	return err
}
