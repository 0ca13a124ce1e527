package termindex

import (
	"bytes"
	"encoding/binary"
)

// This file writes the dictionary, a tree of blocks. A leaf has terms and their
// postings; a block above has, for each of its children, a text that no term
// before the child reaches and no term in it comes before. Blocks stand in the
// order in which they can be written, leaves first and the root last:
//
//	leaf leaf … leaf | block … block | root

// A dictionaryWriter is given the terms in order and writes the tree.
type dictionaryWriter struct {
	out   *pageWriter
	start int64 // of the section

	terms    int64
	last     []byte // term
	children []child

	// The leaf at hand.
	inLeaf    int // terms
	separator []byte
	entries   []byte
	postings  []byte
}

// A child is a block that was written, as its parent will know it.
type child struct {
	separator []byte
	length    int64
}

// add adds a term that so many documents have, and keeps nothing of what it is
// given.
func (w *dictionaryWriter) add(text []byte, documents int, postings []byte) {
	if w.inLeaf == blockTerms {
		w.endLeaf()
	}
	if w.inLeaf == 0 {
		if w.terms > 0 {
			w.separator = separatorOf(w.last, text)
		}
		w.last = w.last[:0] // a block can be read by itself
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

// close writes the blocks above the leaves and returns where in the section the
// root begins.
func (w *dictionaryWriter) close() (root int64) {
	if w.terms == 0 {
		return 0
	}
	w.endLeaf()
	for below := int64(0); len(w.children) > 1; {
		below = w.endLevel(below)
	}
	return w.out.at() - w.start - w.children[0].length
}

// endLevel writes the parents of the children that there are, which begin at an
// offset in the section, and returns where these parents begin.
func (w *dictionaryWriter) endLevel(below int64) (start int64) {
	start = w.out.at() - w.start
	var parents []child
	for children := w.children; len(children) > 0; {
		family := children[:min(blockTerms, len(children))]
		children = children[len(family):]
		block := encodeFamily(below, family)
		w.out.write(block)
		parents = append(parents, child{family[0].separator, int64(len(block))})
		for _, c := range family {
			below += c.length
		}
	}
	w.children = parents
	return start
}

// encodeFamily returns the block of children of which the first begins at an
// offset in the section and the others follow.
func encodeFamily(first int64, family []child) []byte {
	block := binary.AppendUvarint(nil, uint64(first))
	var last []byte
	for _, c := range family {
		block = appendFrontCoded(block, last, c.separator)
		block = binary.AppendUvarint(block, uint64(c.length))
		last = c.separator
	}
	return block
}

// separatorOf returns the shortest text that is greater than before and not
// greater than text, in memory of its own.
func separatorOf(before, text []byte) []byte {
	return bytes.Clone(text[:sharedPrefix(before, text)+1])
}

// appendFrontCoded appends a text, of which as much as it shares with the one
// before is only counted.
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
