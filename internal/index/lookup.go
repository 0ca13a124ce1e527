package index

import "slices"

// This file finds a term in the dictionary. It reads one node of each level, and
// of every text no more than a comparison needs, so a long term costs nothing when
// another one is asked for.

// A search compares the texts of a node, one after the other, with the one that is
// wanted. Texts rise, and the search ends at the first that is not less.
type search struct {
	wanted string
	shared int64 // bytes that wanted shares with the text before
	length int64 // of the text before
}

// compare returns a negative number if the text that c has just read is less than
// the wanted one, 0 if they are equal, and a positive number if it is greater.
func (s *search) compare(c *cursor, t codedText) int {
	if t.shared > s.length {
		c.fail(invalid("a term shares more bytes than the one before has"))
		return 1
	}
	s.length = t.shared + t.length
	switch {
	case t.shared < s.shared:
		return 1 // it is greater where the text before was equal
	case t.shared > s.shared:
		return -1 // it is like the text before, which was less
	}
	at, end := c.at, c.end
	c.seek(t.rest, t.rest+t.length)
	order := s.compareRest(c)
	if c.err == nil {
		c.seek(at, end)
	}
	return order
}

// compareRest compares the bytes ahead with the wanted text after the shared prefix,
// and extends that prefix.
func (s *search) compareRest(c *cursor) int {
	for c.more() {
		for _, b := range c.peek() {
			if s.shared == int64(len(s.wanted)) || b > s.wanted[s.shared] {
				return 1
			}
			if b < s.wanted[s.shared] {
				return -1
			}
			s.shared++
			c.at++
		}
	}
	if s.shared < int64(len(s.wanted)) {
		return -1
	}
	return 0
}

// A Lookup finds terms in an index, one after another. It keeps the block of each
// level that it read last, so it is fastest if terms come in order. Not safe for
// concurrent use.
type Lookup struct {
	index *Index
	inner []cursor // of the levels above the leaves, from the root
	leaf  leaf
	buf   []byte // of the blocks of a posting list
}

// NewLookup returns a Lookup in x.
func (x *Index) NewLookup() *Lookup {
	inner := make([]cursor, x.footer.height())
	for i := range inner {
		inner[i].blocks = &x.blocks
	}
	return &Lookup{index: x, inner: inner, leaf: leaf{cursor: cursor{blocks: &x.blocks}}}
}

// AppendPostings is [Lookup.AppendPostings] for a single term.
func (x *Index) AppendPostings(dst []Posting, term string) ([]Posting, error) {
	return x.NewLookup().AppendPostings(dst, term)
}

// AppendPostings appends the postings of a term to dst, in the order of ordinals.
// It appends none if the index does not have the term. A Lookup that has failed
// fails again.
func (l *Lookup) AppendPostings(dst []Posting, term string) ([]Posting, error) {
	if term == "" {
		return dst, nil
	}
	e, err := l.find(term)
	if err != nil || e.count == 0 {
		return dst, err
	}
	ordinals := l.index.footer.ordinals()
	if e.count > ordinals {
		return dst, invalid("a term has %d postings for %d documents or sections", e.count, ordinals)
	}
	b, buf, err := l.index.blocks.read(l.buf, e.postings, e.size)
	l.buf = buf
	if err != nil {
		return dst, err
	}
	return decodePostings(slices.Grow(dst, int(e.count)), b, e.count, ordinals)
}

// find returns the entry of a term that is not empty. The zero entry stands for
// none.
func (l *Lookup) find(term string) (entry, error) {
	f := &l.index.footer
	if f.terms == 0 {
		return entry{}, nil
	}
	dictionary, end := f.part(termsKind)
	start := dictionary + f.root
	for i := range l.inner {
		c := &l.inner[i]
		c.seek(start, end)
		if start, end = childOf(c, dictionary, term); c.err != nil {
			return entry{}, c.err
		}
	}
	l.leaf.begin(start, end)
	e := l.leaf.find(term)
	return e, l.leaf.err
}

// childOf returns where the child of the node ahead is that has the term if any
// has: the last whose separator is not greater. Children stand before their
// parents, so no node leads back to itself.
func childOf(c *cursor, dictionary int64, term string) (start, end int64) {
	node := c.at
	start = dictionary + c.length()
	end = start
	s := search{wanted: term}
	for next := start; c.more(); {
		separator, length := c.text(), c.length()
		if length < 1 || length > node-next {
			c.fail(invalid("a node of the dictionary does not stand before its parent"))
			break
		}
		order := s.compare(c, separator)
		if order <= 0 {
			start, end = next, next+length
		}
		if order >= 0 {
			break
		}
		next += length
	}
	if start == end {
		c.fail(invalid("a term is before all nodes of the dictionary"))
	}
	return start, end
}

// find returns the entry of a term, the zero entry if the leaf does not have it.
func (l *leaf) find(term string) entry {
	s := search{wanted: term}
	for l.more() {
		e := l.next()
		if l.err != nil {
			break
		}
		if order := s.compare(&l.cursor, e.text); order == 0 {
			return e
		} else if order > 0 {
			break
		}
	}
	return entry{}
}
