package ranking

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/caches/index"
)

// This file finds the words that can replace a misspelt word or the plural of an
// abbreviation.

// leastNear is how many letters a word must consist of to be replaced by similar words.
// Shorter words are an edit away from too many.
const leastNear = 5

// maxNearTerms is the most terms of a query whose unknown words can be replaced. A longer
// query contains enough known words, and each unknown word must be compared with many
// others.
const maxNearTerms = 64

// leastPlural is how many letters a word that ends in s must consist of to be replaced by
// its singular, even if it is too short for other words.
const leastPlural = 3

// CanBeNear reports whether similar words replace a term of a query with this number of
// terms if no section contains it. The term must consist of letters alone, and must be
// long enough.
func CanBeNear(term string, terms int) bool {
	if terms > maxNearTerms {
		return false
	}
	for _, r := range term {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	letters := utf8.RuneCountInString(term)
	return letters >= leastNear || letters >= leastPlural && strings.HasSuffix(term, "s")
}

// StandsFor reports whether a word replaces an unknown term that [CanBeNear]: the word
// must be similar or, if the term is short, its singular. The latter is needed because
// the stemmer keeps the s of gpus.
func StandsFor(term, word string) bool {
	if utf8.RuneCountInString(term) < leastNear {
		return term == word+"s"
	}
	return areNear(term, word)
}

// areNear reports whether two different words begin with the same letter and are a single
// edit apart: a letter more, a letter less, another letter, or two neighbours swapped.
func areNear(a, b string) bool {
	if len(a) == 0 || len(b) == 0 || a[0] != b[0] || max(len(a), len(b))-min(len(a), len(b)) > utf8.UTFMax {
		return false
	}
	long, short := []rune(a), []rune(b)
	if len(long) < len(short) {
		long, short = short, long
	}
	n := 0
	for n < len(short) && long[n] == short[n] {
		n++
	}
	long, short = long[n:], short[n:]
	switch len(long) - len(short) {
	case 0:
		return n > 0 && len(long) > 0 && (slices.Equal(long[1:], short[1:]) ||
			len(long) > 1 && long[0] == short[1] && long[1] == short[0] && slices.Equal(long[2:], short[2:]))
	case 1:
		return n > 0 && slices.Equal(long[1:], short)
	}
	return false
}

// addNear adds the i-th term of the query, which no section contains. All words near the term
// replace it together, at half its weight.
func (s *Scores) addNear(i int, from SectionIndex) error {
	t := &s.Query.Terms[i]
	words, err := from.Near(t.Text)
	if err != nil {
		return err
	}
	var postings, merged []index.Posting
	for _, word := range words {
		of, err := from.List(word)
		if err != nil {
			return err
		}
		postings = of.AppendTo(postings)
	}
	slices.SortFunc(postings, func(a, b index.Posting) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	for _, p := range postings {
		if n := len(merged); n > 0 && merged[n-1].Ordinal == p.Ordinal {
			merged[n-1].Count += p.Count
		} else {
			merged = append(merged, p)
		}
	}
	if t.Near = words; len(words) > 0 {
		t.Weight = max(1, t.Weight/2)
	}
	s.addList(i, s.listOf(index.ListOf(merged, math.MaxInt))) // never dense, so the highest ordinal doesn't matter
	return nil
}
