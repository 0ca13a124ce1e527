package words

// A TermSet is a set of terms to look for in texts. It never changes and is safe for
// concurrent use.
type TermSet struct {
	terms   map[string]struct{}
	longest int       // bytes of the longest term
	firsts  [256]bool // the first bytes of the terms
}

// TermSetOf returns a set of terms. Count never finds a term unless it is a word in lower
// case.
func TermSetOf(terms []string) *TermSet {
	s := &TermSet{terms: make(map[string]struct{})}
	for _, term := range terms {
		if term != "" && isLower(term) {
			s.terms[term] = struct{}{}
			s.longest = max(s.longest, len(term))
			s.firsts[term[0]] = true
		}
	}
	return s
}

// Count returns how many words text contains, and how many of these are in the set in lower
// case. It doesn't allocate, except for lower-casing long words.
func (s *TermSet) Count(text []byte) (matches, total int) {
	var room [512]byte
	lower := room[:0]
	for w := range Of(text) {
		total++
		word := text[w.Start:w.End]
		switch {
		case len(word) > 3*s.longest: // a lower-case word takes at least a third of the bytes
			continue
		case w.IsOdd:
			lower = AppendLower(lower[:0], word)
			word = lower
		case !s.firsts[word[0]]:
			continue
		}
		if _, found := s.terms[string(word)]; found {
			matches++
		}
	}
	return matches, total
}
