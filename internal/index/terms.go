package index

import "bytes"

// A termReader goes through all terms of an index in order, to copy or to compare
// them. It reads the leaves of the dictionary, which follow
// each other.
type termReader struct {
	ordinals int64 // that postings can name
	left     int64 // terms still to come
	inLeaf   int   // terms that were read of the current leaf
	end      int64 // of the dictionary
	leaf     leaf
	lists    cursor // of posting lists

	text    []byte // the current term
	rest    []byte // scratch space
	encoded []byte // its posting list
	decoded []Posting
}

// readAhead is how many bytes a termReader reads at once.
const readAhead = 256 << 10

func (x *Index) newTermReader() *termReader {
	start, end := x.footer.part(termsKind)
	r := &termReader{
		ordinals: x.footer.ordinals(), left: x.footer.terms, end: end,
		leaf:  leaf{cursor: cursor{blocks: &x.blocks, ahead: readAhead}, postings: start},
		lists: cursor{blocks: &x.blocks, ahead: readAhead},
	}
	r.inLeaf = nodeTerms // of the leaf before the first
	return r
}

// next returns the next term and its postings, at least one. Both are valid until
// the next call. After the last term, the text is empty.
func (r *termReader) next() (text []byte, postings []Posting, err error) {
	if r.left == 0 {
		return nil, nil, r.leaf.err
	}
	if !r.leaf.more() {
		if r.beginLeaf(); r.leaf.err != nil {
			return nil, nil, r.leaf.err
		}
	}
	e := r.leaf.next()
	if err := r.readText(e.text); err != nil {
		return nil, nil, err
	}
	r.left--
	r.inLeaf++
	r.lists.seek(e.postings, e.postings+e.size)
	r.encoded = r.lists.appendTo(r.encoded[:0], e.size)
	if r.lists.err != nil {
		return nil, nil, r.lists.err
	}
	r.decoded, err = decodePostings(r.decoded[:0], r.encoded, e.count, r.ordinals)
	return r.text, r.decoded, err
}

// beginLeaf goes on to the leaf after the current one, which must be full.
func (r *termReader) beginLeaf() {
	if r.inLeaf != nodeTerms {
		r.leaf.fail(invalid("a leaf of the dictionary has %d terms", r.inLeaf))
		return
	}
	r.leaf.begin(r.leaf.postings, r.end)
	r.inLeaf = 0
	if !r.leaf.more() {
		r.leaf.fail(invalid("a leaf of the dictionary is empty"))
	}
}

// readText makes the text of an entry the current term.
func (r *termReader) readText(t codedText) error {
	c := &r.leaf.cursor
	at, end := c.at, c.end
	c.seek(t.rest, t.rest+t.length)
	r.rest = c.appendTo(r.rest[:0], t.length)
	if c.err != nil {
		return c.err
	}
	c.seek(at, end)
	if t.shared > int64(len(r.text)) || r.inLeaf == 0 && t.shared > 0 || bytes.Compare(r.text[t.shared:], r.rest) >= 0 {
		return invalid("its terms are not in order")
	}
	r.text = append(r.text[:t.shared], r.rest...)
	return nil
}
