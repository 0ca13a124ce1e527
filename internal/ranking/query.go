// Package ranking decides which sections answer a query within a budget:
// selection 1. It is pure; finding postings and reading pages is for others.
//
//	ParseQuery → ScoreSections → Pack
//
// # Determinism
//
// All of it is integers: scores are fixed point, logarithms are computed bit by
// bit, and ties are broken by the place of a section among all. So the same
// sections, query and budget give the same selection on every platform. Every
// constant is a part of selection 1 and never changes; docs/selection.md says
// what each was measured to gain.
package ranking

import (
	"bytes"
	"slices"
	"sync"

	"github.com/contextcompiler/context/internal/analysis"
	"github.com/contextcompiler/context/internal/sections"
	"github.com/contextcompiler/context/selection"
)

// A TermQuery is a query as terms. Safe for concurrent use.
type TermQuery struct {
	Terms []Term // none twice, in the order of the query
	Pairs []Pair // none twice, in the order of the query
	Keys  []Key  // of the titles, headings and definitions that the query can name
}

// A Key finds the sections that are about what a query names and don't just mention it.
type Key struct {
	Kind sections.KeyKind
	Text string
}

// A Term is a term of a query.
type Term struct {
	Text         string
	Weight       uint64 // factor of its idf, in units of 1/256
	IsInSketches bool   // it is neither a whole, a stop word nor a symbol
	IsSymbol     bool   // it is a symbol of code, see [analysis.EachSymbol]

	// Near are the words that the term stands for, in order, if no section has the
	// term itself.
	Near []string
}

// Words returns the words that the term stands for: itself, unless it has others.
func (t Term) Words() []string {
	if len(t.Near) > 0 {
		return t.Near
	}
	return []string{t.Text}
}

// Weights of terms.
const (
	one         = 256     // the unit of weights and of the constants of BM25
	wholeWeight = one / 2 // of an identifier or a symbol whose parts are terms, too
	weakWeight  = one / 4 // of weakTerm
)

// weakTerm is the term of use, used, uses and using. Every third question asks how to use
// something, and so many sections contain the word by chance. It is no stop word, because
// pairs such as "memory use" say a lot.
const weakTerm = "use"

// ParseQuery finds the terms and pairs of a query. It drops stop words. A query of
// stop words alone keeps them and has no pairs.
func ParseQuery(query selection.Query) TermQuery {
	analyzer := analyzers.Get().(*analysis.Analyzer)
	defer analyzers.Put(analyzer)
	var found analysis.Terms
	text := []byte(query.Text())
	var symbols []string
	if places := analysis.QuerySymbols(text); len(places) > 0 {
		symbols, text = sections.SplitSymbols(text, places)
	}
	analyzer.Append(&found, text)
	q := TermQuery{Terms: termsOf(&found, analysis.Stop), Keys: keysOf(query.Text(), &found, symbols)}
	if len(q.Terms)+len(symbols) == 0 {
		q.Terms = termsOf(&found, 0)
		return q
	}
	q.Pairs = pairsOf(&found, q.Terms)
	q.Terms = append(q.Terms, symbolTerms(symbols)...)
	return q
}

// symbolTerms returns the terms of symbols. Words find most of the symbols that contain
// words, so these weigh as the whole of an identifier does.
func symbolTerms(symbols []string) (terms []Term) {
	for _, symbol := range symbols {
		term := Term{Text: symbol, Weight: one, IsSymbol: true}
		if analysis.HasWord(symbol) {
			term.Weight = wholeWeight
		}
		terms = append(terms, term)
	}
	return terms
}

// keysOf returns the keys of a query with these terms and symbols. A long query is no name,
// and the subjects of definitions have no symbols.
func keysOf(text string, terms *analysis.Terms, symbols []string) (keys []Key) {
	if len(text) > sections.LongestHeading {
		return nil
	}
	add := func(kind sections.KeyKind, key string) {
		if key != "" {
			keys = append(keys, Key{kind, key})
		}
	}
	add(sections.TitleKey, sections.TextKey(text))
	for _, kind := range []sections.KeyKind{sections.TitleTermsKey, sections.HeadingKey} {
		add(kind, sections.TermsKey(kind, terms, symbols...))
	}
	if len(symbols) == 0 {
		add(sections.SubjectKey, sections.TermsKey(sections.SubjectKey, terms))
	}
	return keys
}

// A Pair is two different words that follow each other in a query, stop words
// left out.
type Pair struct {
	First, Second int     // of the terms
	Sketch        [2]byte // of the words, see [analysis.SketchOf]
}

// maxPairs is the most pairs of a query: enough for any that people type.
const maxPairs = 64

// pairsOf returns the pairs of the words found, the first maxPairs of them. All
// words but stop words are among the terms.
func pairsOf(found *analysis.Terms, terms []Term) (pairs []Pair) {
	numbers := make(map[string]int, len(terms))
	for i, t := range terms {
		numbers[t.Text] = i
	}
	last := -1
	for i := range found.Len() {
		word, kind := found.At(i)
		if kind != 0 {
			continue
		}
		next := numbers[string(word)]
		if last >= 0 && last != next {
			pair := Pair{last, next, [2]byte{analysis.SketchOf([]byte(terms[last].Text)), analysis.SketchOf(word)}}
			if len(pairs) < maxPairs && !slices.Contains(pairs, pair) {
				pairs = append(pairs, pair)
			}
		}
		last = next
	}
	return pairs
}

// Count returns how often a sketch has the pair.
func (p Pair) Count(sketch []byte) (n int) {
	for len(sketch) > 1 {
		i := bytes.IndexByte(sketch[:len(sketch)-1], p.Sketch[0])
		if i < 0 {
			return n
		}
		if sketch[i+1] == p.Sketch[1] {
			n++
		}
		sketch = sketch[i+1:]
	}
	return n
}

// analyzers are kept because they are large and remember stems.
var analyzers = sync.Pool{New: func() any { return analysis.New() }}

// longQuery is the number of words above which a query is long. A long query repeats
// its subject. A question repeats words for its grammar.
const longQuery = 40

// isLong reports whether a query counts a word as often as it has it.
func isLong(found *analysis.Terms) bool {
	words := 0
	for i := range found.Len() {
		if _, kind := found.At(i); kind&analysis.Whole == 0 {
			words++
		}
	}
	return words > longQuery
}

// termsOf returns the terms found, each once, and drops one kind. A long query
// weighs a term for each time that it has it.
func termsOf(found *analysis.Terms, without analysis.TermKind) (terms []Term) {
	numbers := map[string]int{}
	countAgain := isLong(found)
	for i := range found.Len() {
		text, kind := found.At(i)
		if kind&without != 0 {
			continue
		}
		weight := uint64(one)
		switch {
		case kind&analysis.Whole != 0:
			weight = wholeWeight
		case string(text) == weakTerm:
			weight = weakWeight
		}
		n, isKnown := numbers[string(text)]
		switch {
		case !isKnown:
			numbers[string(text)] = len(terms)
			terms = append(terms, Term{Text: string(text), Weight: weight, IsInSketches: kind == 0})
			continue
		case countAgain:
			terms[n].Weight += weight
		}
		terms[n].IsInSketches = terms[n].IsInSketches || kind == 0
	}
	return terms
}

// A Matcher counts the words of contents. Not safe for concurrent use.
type Matcher struct {
	words analysis.Terms
	terms map[string]bool
}

// NewMatcher returns a Matcher for a query.
func NewMatcher(query TermQuery) *Matcher {
	m := &Matcher{terms: map[string]bool{}}
	for _, t := range query.Terms {
		for _, word := range t.Words() {
			m.terms[word] = true
		}
	}
	return m
}

// Match counts the words of content, and the words that are a term of the query.
// The parts of an identifier are words, the whole is none.
func (m *Matcher) Match(content []byte) (matches, total int) {
	analyzer := analyzers.Get().(*analysis.Analyzer)
	defer analyzers.Put(analyzer)
	m.words.Reset()
	analyzer.Append(&m.words, content)
	for i := range m.words.Len() {
		word, kind := m.words.At(i)
		if kind&analysis.Whole != 0 {
			continue
		}
		total++
		if m.terms[string(word)] {
			matches++
		}
	}
	return matches, total
}

// Texts returns the texts of the terms in their order, each once. The words that a term
// stands for follow it.
func (q TermQuery) Texts() []string {
	texts := make([]string, 0, len(q.Terms))
	seen := map[string]bool{}
	for _, t := range q.Terms {
		for _, text := range append([]string{t.Text}, t.Near...) {
			if !seen[text] {
				seen[text] = true
				texts = append(texts, text)
			}
		}
	}
	return texts
}
