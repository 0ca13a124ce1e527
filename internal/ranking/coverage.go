package ranking

import (
	"slices"

	"github.com/contextcompiler/context/internal/analysis"
)

// Coverage returns the share of the query that a text covers: the worth of its terms,
// divided by the worth of all terms and pairs. A term counts once, and pairs of the text
// don't count.
func (s *Scores) Coverage(text []byte) Score {
	share, _ := s.coverage(text)
	return share
}

// Covered is like Coverage, but also returns the numbers of the terms missing from the
// text, in order.
func (s *Scores) Covered(text []byte) (share Score, lacks []int) {
	share, has := s.coverage(text)
	for i := range s.Query.Terms {
		if !has[i] {
			lacks = append(lacks, i)
		}
	}
	return share, lacks
}

func (s *Scores) coverage(text []byte) (share Score, has map[int]bool) {
	if s.termsOf == nil {
		s.termsOf, s.coverageScale = s.Query.numbersByWord(), scaleOf(s.mostOfWords())
		s.analyzer, s.hasSymbols = analyzers.Get().(*analysis.Analyzer), s.Query.hasSymbols()
	}
	var words analysis.Terms
	s.analyzer.Append(&words, text)
	var sum uint64
	has = map[int]bool{}
	add := func(word []byte) {
		for _, term := range s.termsOf[string(word)] {
			if !has[term] {
				has[term] = true
				sum += s.maxGains[term]
			}
		}
	}
	for i := range words.Len() {
		word, _ := words.At(i)
		add(word)
	}
	if s.hasSymbols {
		analysis.EachSymbol(text, analysis.Heading, func(found analysis.Symbol) {
			add(analysis.AppendSymbol(nil, text[found.Start:found.End]))
		})
	}
	if sum == 0 {
		return 0, has
	}
	return scaled(sum, s.coverageScale), has
}

// mostOfWords returns the most that terms and pairs can add to a sum.
func (s *Scores) mostOfWords() (most uint64) {
	for _, gain := range slices.Concat(s.maxGains, s.pairGains) {
		most += gain
	}
	return most
}

func (q TermQuery) hasSymbols() bool {
	return slices.ContainsFunc(q.Terms, func(t Term) bool { return t.IsSymbol })
}

func (q TermQuery) numbersByWord() map[string][]int {
	numbers := map[string][]int{}
	for i, term := range q.Terms {
		for _, word := range term.Words() {
			numbers[word] = append(numbers[word], i)
		}
	}
	return numbers
}
