package index

import (
	"bytes"
)

// A termReader iterates over all terms of an index in order.
type termReader struct {
	ordinals int64 // limit of the ordinals in postings
	left     int64 // terms still to come
	inLeaf   int   // terms of the current leaf so far
	end      int64 // of the dictionary
	window   window
	leaf     leaf

	text    []byte // the current term
	decoded []Posting
}

// readAhead is the number of bytes that a termReader reads at once.
const readAhead = 256 << 10

func (x *Index) newTermReader() *termReader { return x.readTerms(readAhead) }

func (x *Index) readTerms(ahead int64) *termReader {
	start, end := x.footer.part(termsKind)
	return &termReader{
		ordinals: x.footer.ordinals(), left: x.footer.terms, end: end,
		window: window{blocks: &x.blocks, ahead: ahead},
		leaf:   leaf{postings: start},
		inLeaf: nodeTerms, // pretends a full leaf, so that next begins the first
	}
}

// next returns the next term and its postings, which are never empty. Both are valid
// until the next call. After the last term, the text is empty.
func (r *termReader) next() (text []byte, postings []Posting, err error) {
	text, list, n, err := r.nextList()
	if err != nil || len(text) == 0 {
		return nil, nil, err
	}
	r.decoded, err = decodePostings(r.decoded[:0], list, n, r.ordinals)
	return text, r.decoded, err
}

// nextList is next, but returns the posting list of n postings without decoding it.
func (r *termReader) nextList() (text, list []byte, n int64, err error) {
	if r.left == 0 {
		return nil, nil, 0, nil
	}
	if len(r.leaf.rest) == 0 {
		if err := r.beginLeaf(); err != nil {
			return nil, nil, 0, err
		}
	}
	e := r.leaf.next()
	if r.leaf.err != nil {
		return nil, nil, 0, r.leaf.err
	}
	if bytes.Compare(r.text, r.leaf.text) >= 0 {
		return nil, nil, 0, invalid("its terms are not in order")
	}
	r.text = append(r.text[:0], r.leaf.text...)
	r.left--
	r.inLeaf++
	list, err = r.window.read(e.postings, e.size)
	return r.text, list, e.count, err
}

// beginLeaf moves to the leaf after the current leaf, which must be full.
func (r *termReader) beginLeaf() error {
	if r.inLeaf != nodeTerms {
		return invalid("a leaf of the dictionary contains only %d terms", r.inLeaf)
	}
	r.inLeaf = 0
	return r.leaf.begin(&r.window, r.leaf.postings, r.end)
}
