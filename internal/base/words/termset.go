package words

// A TermSet is a set of terms to look for in texts. It never changes and is safe for
// concurrent use.
type TermSet struct {
	terms   map[string]struct{}
	longest int       // bytes of the longest term
	heads   headTable // of the terms
	bytes   byteTable // marks the first bytes of the terms in either case
}

// TermSetOf returns a set of terms. Count never finds a term unless it is a word in lower
// case.
func TermSetOf(terms []string) *TermSet {
	s := &TermSet{terms: make(map[string]struct{}), bytes: spaceBytes}
	for _, term := range terms {
		if term != "" && isLower(term) {
			s.terms[term] = struct{}{}
		}
	}
	s.heads = newHeadTable(len(s.terms))
	for term := range s.terms { // in any order
		s.longest = max(s.longest, len(term))
		s.bytes[term[0]] |= isMarked
		s.heads.add([]byte(term))
	}
	for upper, lower := range uppers {
		s.bytes[firstByte(upper)] |= s.bytes[firstByte(lower)] & isMarked
	}
	return s
}
