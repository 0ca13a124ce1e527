package ranking

import (
	"bytes"
	"iter"
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
		if !has(i) {
			lacks = append(lacks, i)
		}
	}
	return share, lacks
}

// coverage returns what Coverage returns, and a function that reports whether the text
// contains a term, which is valid until the next call.
func (s *Scores) coverage(text []byte) (share Score, has func(term int) bool) {
	if s.covers == nil {
		s.covers = s.newCoverer()
	}
	c := s.covers
	c.texts++
	var sum uint64
	add := func(terms []int) {
		for _, term := range terms {
			if c.lastText[term] != c.texts {
				c.lastText[term] = c.texts
				sum += s.maxGains[term]
			}
		}
	}
	for line := range linesOf(text) {
		add(c.termsIn(line))
	}
	if c.hasSymbols {
		analysis.EachSymbol(text, analysis.Heading, func(found analysis.Symbol) {
			add(c.numbers[string(analysis.AppendSymbol(nil, text[found.Start:found.End]))])
		})
	}
	if sum > 0 {
		share = scaled(sum, c.scale)
	}
	return share, func(term int) bool { return c.lastText[term] == c.texts }
}

// A coverer finds the terms of a query in texts. It remembers lines, because callers look
// for the best of many texts that share lines.
type coverer struct {
	numbers    map[string][]int // of terms, by word
	scale      uint64
	hasSymbols bool // whether the query has any
	analyzer   *analysis.Analyzer
	words      analysis.Terms
	lines      map[string][]int // the numbers of the terms of lines
	texts      int
	lastText   []int // by term: the last text with the term
}

// A coverer remembers up to mostLines lines of up to longestLine bytes, so they take 4 MiB at most.
const (
	mostLines   = 4096
	longestLine = 1 << 10
)

func (s *Scores) newCoverer() *coverer {
	return &coverer{
		numbers: s.Query.numbersByWord(), scale: scaleOf(s.mostOfWords()), hasSymbols: s.Query.hasSymbols(),
		analyzer: analyzers.Get().(*analysis.Analyzer), lines: map[string][]int{}, lastText: make([]int, len(s.Query.Terms)),
	}
}

// linesOf returns the lines of a text without the white space around them. A word cannot
// continue on the next line, so the terms of a text are those of its lines. Other white space
// than these bytes can decide how the word before it is split.
func linesOf(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(text) {
			if !yield(bytes.Trim(line, " \t\r\n")) {
				return
			}
		}
	}
}

// termsIn returns the numbers of the terms in a line, except symbols.
func (c *coverer) termsIn(line []byte) (terms []int) {
	terms, isKnown := c.lines[string(line)]
	if isKnown {
		return terms
	}
	c.words.Reset()
	c.analyzer.Append(&c.words, line)
	for i := range c.words.Len() {
		word, _ := c.words.At(i)
		terms = append(terms, c.numbers[string(word)]...)
	}
	if len(c.lines) < mostLines && len(line) <= longestLine {
		c.lines[string(line)] = terms
	}
	return terms
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
