package analysis

import "unicode/utf8"

// Find returns the words of a text containing a wanted term, in order, like
// [regexp.Regexp.FindAllIndex]. Adjacent words are a single match. In an identifier, a match is a
// part between joiners, or the whole identifier if only the whole is wanted. In scripts without
// spaces, it is the two characters of a bigram.
func (a *Analyzer) Find(text []byte, isWanted func(term []byte) bool) (found [][]int) {
	var terms Terms
	has := func(start, end int) bool {
		terms.Reset()
		a.Append(&terms, text[start:end])
		for i := range terms.Len() {
			if term, _ := terms.At(i); isWanted(term) {
				return true
			}
		}
		return false
	}
	for i := 0; i < len(text); {
		start, end, next := firstRun(text[i:])
		start, end, i = i+start, i+end, i+next
		if !has(start, end) { // the terms of a run don't depend on the text around it
			continue
		}
		before := len(found)
		for _, piece := range piecesOf(text[start:end]) {
			from, to := start+piece[0], start+piece[1]
			last := len(found) - 1
			switch {
			case !has(from, to):
			case last >= before && from <= found[last][1]:
				found[last][1] = to
			default:
				found = append(found, []int{from, to})
			}
		}
		if len(found) == before {
			found = append(found, []int{start, end})
		}
	}
	return found
}

// piecesOf returns the pieces of a run which can become terms of their own: the words between
// joiners and, in scripts without spaces, each character with the previous character.
func piecesOf(run []byte) (pieces [][2]int) {
	const none = -1
	word, previous := none, none // where a word began, and the previous character
	endWord := func(end int) {
		if word != none {
			pieces = append(pieces, [2]int{word, end})
		}
		word = none
	}
	for i := 0; i < len(run); {
		r, size := utf8.DecodeRune(run[i:])
		isWord := IsPartOfWord(r)
		isUnspaced := r >= utf8.RuneSelf && allCharacters().isUnspaced(r)
		if !isWord || isUnspaced {
			endWord(i)
		} else if word == none {
			word = i
		}
		if !isUnspaced {
			previous = none
		} else {
			if previous == none {
				previous = i
			}
			pieces = append(pieces, [2]int{previous, i + size})
			previous = i
		}
		i += size
	}
	endWord(len(run))
	return pieces
}
