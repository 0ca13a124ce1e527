package termindex

import "slices"

// This file finds a term in the dictionary. It reads one block of each level
// and of every text no more than it takes to compare it, so that the length of
// a term costs nothing to those who do not ask for it.

// A comparison says how the texts of a block, one after the other, compare to
// one that is looked for. They are in order, and it ends with the first that is
// not less.
type comparison struct {
	wanted string
	shared int64 // bytes that wanted shares with the text before
	length int64 // of the text before
}

// next reads a text and returns a number less than 0 if it is less than what is
// wanted, 0 if it is that, and a number greater than 0 if it is greater.
func (t *comparison) next(c *cursor) int {
	kept, added := c.length(), c.length()
	if kept > t.length {
		c.fail(invalid("a term shares more than there is"))
		return 1
	}
	t.length = kept + added
	end := c.at + added
	if added > c.end-c.at {
		c.skip(added) // fails
		return 1
	}
	order := -1 // where it differs it is like the text before, which was less
	switch {
	case kept < t.shared:
		order = 1 // it has something greater where the text before had the same
	case kept == t.shared:
		order = t.compare(c, end)
	}
	c.skip(end - c.at)
	return order
}

// compare compares the bytes up to end with what is wanted behind the prefix
// that is shared, and extends that prefix.
func (t *comparison) compare(c *cursor, end int64) int {
	for c.at < end {
		ahead := c.window()
		if ahead == nil {
			return 1
		}
		for _, b := range ahead[:min(int64(len(ahead)), end-c.at)] {
			if t.shared == int64(len(t.wanted)) || b > t.wanted[t.shared] {
				return 1
			}
			if b < t.wanted[t.shared] {
				return -1
			}
			t.shared++
			c.at++
		}
	}
	if t.shared < int64(len(t.wanted)) {
		return -1
	}
	return 0
}

// A place is where the postings of a term are.
type place struct {
	documents   int64 // that have the term, 0 if none has
	start, size int64 // bytes in the file
}

// A Lookup finds terms in an index, one after another. It holds the page of each
// level of the dictionary that it has read last, so terms that are looked up in
// order cost much less than others. Not safe for concurrent use.
type Lookup struct {
	index    *InvertedIndex
	levels   []cursor // of the dictionary, from the root to the leaves
	postings []byte   // memory for the pages of a term's postings
}

// NewLookup returns a Lookup in x.
func (x *InvertedIndex) NewLookup() *Lookup {
	levels := make([]cursor, x.footer.height()+1)
	for i := range levels {
		levels[i].pages = &x.pages
	}
	return &Lookup{index: x, levels: levels}
}

// AppendPostings is [Lookup.AppendPostings] for a single term.
func (x *InvertedIndex) AppendPostings(dst []Posting, term string) ([]Posting, error) {
	return x.NewLookup().AppendPostings(dst, term)
}

// AppendPostings appends the postings of a term to dst, in the order of the
// ordinals. There are none if no document has the term, which is the case for
// whatever is no word in lower case. Once it has failed it fails for ever.
func (l *Lookup) AppendPostings(dst []Posting, term string) ([]Posting, error) {
	if term == "" {
		return dst, nil
	}
	p, err := l.find(term)
	if err != nil || p.documents == 0 {
		return dst, err
	}
	documents := l.index.footer.documents
	if p.documents > documents {
		return dst, invalid("a term is in %d documents of %d", p.documents, documents)
	}
	b, buf, err := l.index.pages.read(l.postings, p.start, p.size)
	l.postings = buf
	if err != nil {
		return dst, err
	}
	return decodePostings(slices.Grow(dst, int(p.documents)), b, p.documents, documents)
}

// find returns the place of a term, which is not empty.
func (l *Lookup) find(text string) (place, error) {
	f := l.index.footer
	if f.terms == 0 {
		return place{}, nil
	}
	section, end := f.section(termsKind)
	start := section + f.root
	leaves := len(l.levels) - 1
	for i := range l.levels[:leaves] {
		c := &l.levels[i]
		c.seek(start, end)
		if start, end = childOf(c, section, text); c.err != nil {
			return place{}, c.err
		}
	}
	c := &l.levels[leaves]
	c.seek(start, end)
	p := findInLeaf(c, text)
	return p, c.err
}

// childOf returns where the child of the block at hand is that has the term if
// any has: the last whose separator is not greater. Children stand before their
// parents in the section, so no block leads back to itself.
func childOf(c *cursor, section int64, text string) (start, end int64) {
	block := c.at
	start = section + c.length()
	end = start
	texts := comparison{wanted: text}
	for next := start; c.more(); {
		order := texts.next(c)
		length := c.length()
		if length < 1 || length > block-next {
			c.fail(invalid("a block of the dictionary is not before its parent"))
			break
		}
		if order <= 0 {
			start, end = next, next+length
		}
		if order >= 0 {
			break
		}
		next += length
	}
	if start == end {
		c.fail(invalid("a term is before all blocks of the dictionary"))
	}
	return start, end
}

// findInLeaf returns the place of a term if the leaf at hand has it.
func findInLeaf(c *cursor, text string) place {
	leafEnd := c.end
	entries := c.length()
	postings := c.at + entries
	if entries > leafEnd-c.at {
		c.fail(invalid("a leaf of the dictionary ends early"))
	}
	if c.err != nil {
		return place{}
	}
	c.end = postings
	texts := comparison{wanted: text}
	for c.more() {
		order := texts.next(c)
		p := place{c.length(), postings, c.length()}
		if p.size > leafEnd-postings || p.documents < 1 || p.size < p.documents || p.size/maxPosting > p.documents {
			c.fail(invalid("a term has postings of %d bytes for %d documents", p.size, p.documents))
		}
		switch {
		case c.err != nil || order > 0:
			return place{}
		case order == 0:
			return p
		}
		postings += p.size
	}
	return place{}
}
