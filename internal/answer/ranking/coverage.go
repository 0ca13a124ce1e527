package ranking

import (
	"bytes"
	"iter"
	"math/bits"
	"slices"
	"sync"

	"github.com/contextcompiler/context/internal/pages/analysis"
)

// Worth returns the worth of the terms in a text, divided by the worth of all terms and pairs of
// the query. A term counts once, and pairs of the text don't count. Use it to compare texts; to
// judge a single text, use Covered instead.
func (s *Scores) Worth(text []byte) Score {
	sum := s.worthIn(text, s.maxGains)
	if sum == 0 {
		return 0
	}
	return scaled(sum, s.covers.scale)
}

// mostWorthy is how many terms of a query are enough to cover it. A long question contains
// many more, and no text contains most of them.
const mostWorthy = 8

// Covered returns the share of the query that a text covers: the worth of its terms, divided
// by the worth of the [mostWorthy] worthiest terms of the query, but at most 1. It also
// returns the numbers of the terms missing from the text, in order.
func (s *Scores) Covered(text []byte) (_ Score, lacks []int) {
	c := s.coverer()
	most := uint64(0)
	ascending := slices.Sorted(slices.Values(c.worths))
	for _, worth := range ascending[max(0, len(ascending)-mostWorthy):] {
		most += worth
	}
	high, low := bits.Mul64(min(s.worthIn(text, c.worths), most), 1<<scoreBits)
	quotient, _ := bits.Div64(high, low, max(1, most))
	for i, lastText := range c.lastText {
		if lastText != c.texts {
			lacks = append(lacks, i)
		}
	}
	return Score(quotient), lacks
}

// worthIn adds up the worths of the terms in a text. Until the next call, s.covers knows which
// terms these are.
func (s *Scores) worthIn(text []byte, worths []uint64) (sum uint64) {
	c := s.coverer()
	c.texts++
	add := func(terms []int) {
		for _, term := range terms {
			if c.lastText[term] != c.texts {
				c.lastText[term] = c.texts
				sum += worths[term]
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
	return sum
}

// A coverer finds the terms of a query in texts. It remembers lines, because callers look
// for the best of many texts that share lines.
type coverer struct {
	numbers    map[string][]int // of terms, by word
	scale      uint64           // of all terms and pairs
	worths     []uint64         // by term, for Covered
	hasSymbols bool             // whether the query has any
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

func (s *Scores) coverer() *coverer {
	if s.covers != nil {
		return s.covers
	}
	most := uint64(0)
	for _, gain := range slices.Concat(s.maxGains, s.pairGains) {
		most += gain
	}
	c := &coverer{
		numbers: s.Query.numbersByWord(), scale: scaleOf(most), worths: slices.Clone(s.maxGains),
		hasSymbols: s.Query.hasSymbols(),
		lines:      map[string][]int{}, lastText: make([]int, len(s.Query.Terms)),
	}
	for i, term := range s.Query.Terms {
		if chatTerms()[term.Text] {
			c.worths[i] = max(1, c.worths[i]/4)
		}
	}
	s.covers = c
	return c
}

// chatTerms are the terms of words that greet, thank, or ask for something without saying what.
var chatTerms = sync.OnceValue(func() map[string]bool {
	analyzer := analyzers.Get().(*analysis.Analyzer)
	defer analyzers.Put(analyzer)
	var found analysis.Terms
	analyzer.Append(&found, []byte(`actually advance advice advise anybody anyone apparently appreciate
		basically bit cheers clue colleague confused confusing dear desperate dumb everybody everyone
		folks frustrated frustrating glad great greetings guess guys hello help hey hi honestly hope
		idea kindly lol lot love maybe newbie nice please really recommend recommendation regards seem
		somebody somehow someone sorry struggle stuck stupid suggest suggestion thanks trouble try
		unfortunately weird well wonder`))
	terms := map[string]bool{}
	for i := range found.Len() {
		term, _ := found.At(i)
		terms[string(term)] = true
	}
	return terms
})

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
	analyzer := analyzers.Get().(*analysis.Analyzer)
	defer analyzers.Put(analyzer)
	c.words.Reset()
	analyzer.Append(&c.words, line)
	for i := range c.words.Len() {
		word, _ := c.words.At(i)
		terms = append(terms, c.numbers[string(word)]...)
	}
	if len(c.lines) < mostLines && len(line) <= longestLine {
		c.lines[string(line)] = terms
	}
	return terms
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
