package words

// This file takes the terms to look for and prepares all that [Set.Count] needs
// to tell them from other words.

import "unicode/utf8"

// A Set is a set of terms to look for in texts. It never changes and is safe
// for concurrent use.
type Set struct {
	terms   map[string]struct{}
	longest int       // bytes of the longest term
	heads   headTable // what the terms begin with
	bytes   byteTable // what the bytes of a text can be
}

// SetOf returns the set of terms, which are words in lower case. What is no such
// word does no harm: it is never found.
func SetOf(terms []string) *Set {
	s := &Set{terms: make(map[string]struct{}), bytes: spaceBytes}
	for _, term := range terms {
		if term != "" && isLower(term) {
			s.terms[term] = struct{}{}
		}
	}
	s.heads = newHeadTable(len(s.terms))
	for term := range s.terms { // in whatever order: what follows has none
		s.longest = max(s.longest, len(term))
		s.bytes[term[0]] |= startsTerm
		s.heads.add([]byte(term))
	}
	for upper, lower := range uppers {
		s.bytes[firstByte(upper)] |= s.bytes[firstByte(lower)] & startsTerm
	}
	return s
}

// A byteTable says of every byte what it can be in a text. It is an array of
// flags, eight bits apart, so that the flags of eight bytes in a row, each
// shifted by its place, together make a mask of eight bits for each flag.
type byteTable [256]uint32

const (
	isSpace     uint32 = 1 << 0  // it is ASCII white space
	startsSpace uint32 = 1 << 8  // other white space begins so,
	goesOnSpace uint32 = 1 << 16 // and has this as its second byte
	startsTerm  uint32 = 1 << 24 // a term begins so, in lower case or not
)

// spaceBytes is the table without terms.
var spaceBytes = func() (table byteTable) {
	for r := range rune(0x3001) {
		if !IsSpace(r) {
			continue
		}
		if r < utf8.RuneSelf {
			table[r] |= isSpace
			continue
		}
		encoded := string(r)
		table[encoded[0]] |= startsSpace
		table[encoded[1]] |= goesOnSpace
	}
	return table
}()
