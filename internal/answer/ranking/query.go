// Package ranking decides which sections answer a query within a budget, by the rules of
// selection 1. It is pure: callers must find the postings and read the pages.
//
//	ParseQuery → ScoreSections → Pack
//
// # Determinism
//
// All arithmetic uses integers: scores are fixed point, logarithms are computed bit by
// bit, and ties are broken by the ordinals of sections. So the same sections, query and
// budget return the same selection on every platform. All constants belong to selection 1
// and must never change; docs/selection.md lists what each of them gains.
package ranking

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/contextcompiler/context/internal/pages/analysis"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

// A TermQuery is a query as terms. It is safe for concurrent use.
type TermQuery struct {
	Terms []Term // without duplicates, in the order of the query
	Pairs []Pair // without duplicates, in the order of the query
	Keys  []Key  // of the titles, headings and definitions that the query may name
}

// A Key finds the sections about the subject of a query, not every section with a mention
// of it.
type Key struct {
	Kind sections.KeyKind
	Text string
}

// A Term is a term of a query.
type Term struct {
	Text         string
	Weight       uint64 // factor of its idf, in units of 1/256
	IsInSketches bool   // whether it is neither a whole, a stop word nor a symbol
	IsSymbol     bool   // whether it is a symbol of code, see [analysis.EachSymbol]

	// Near lists the words that replace the term if no section contains it, in order.
	Near []string
}

// Words returns Near or, if Near is empty, the term itself.
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

// weakTerm is the term of use, used, uses and using. Since every third question asks how
// to use something, many sections contain the word by chance. However, it must not become
// a stop word, because pairs such as "memory use" say a lot.
const weakTerm = "use"

// ParseQuery finds the terms and pairs of a query. It drops stop words, unless the query
// contains nothing else. Such a query keeps them and has no pairs.
func ParseQuery(query selection.Query) TermQuery { return parse(query.Text()) }

func parse(query string) TermQuery {
	analyzer := analyzers.Get().(*analysis.Analyzer)
	defer analyzers.Put(analyzer)
	var found analysis.Terms
	text := []byte(query)
	var symbols []string
	if places := analysis.QuerySymbols(text); len(places) > 0 {
		symbols, text = sections.SplitSymbols(text, places)
	}
	analyzer.Append(&found, text)
	q := TermQuery{Terms: termsOf(&found, analysis.Stop), Keys: keysOf(query, &found, symbols)}
	if len(q.Terms)+len(symbols) == 0 {
		q.Terms = termsOf(&found, 0)
		return q
	}
	q.Pairs = pairsOf(&found, q.Terms)
	q.Terms = append(q.Terms, symbolTerms(symbols)...)
	return q
}

// Typed maps the terms of a query, which are stems, to the words that the user typed.
func Typed(ctx context.Context, query selection.Query) (typed map[string]string, err error) {
	typed = map[string]string{}
	isTyped := map[string]bool{}
	for word := range strings.FieldsSeq(query.Text()) {
		if isTyped[word] {
			continue
		}
		isTyped[word] = true
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		for _, term := range parse(word).Terms {
			typed[term.Text] = strings.TrimFunc(word, unicode.IsPunct)
		}
		for _, s := range analysis.QuerySymbols([]byte(word)) {
			symbol := word[s.Start:s.End]
			typed[string(analysis.AppendSymbol(nil, []byte(symbol)))] = symbol
		}
	}
	return typed, nil
}

// symbolTerms returns the terms of symbols. If a symbol contains words, these words
// usually find it, so it weighs only as much as the whole of an identifier.
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

// keysOf returns the keys of a query with these terms and symbols. A long query cannot be
// a name, and the subjects of definitions contain no symbols.
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

// A Pair consists of two different words that follow each other in a query, apart from
// stop words.
type Pair struct {
	First, Second int     // of the terms
	Sketch        [2]byte // of the words, see [analysis.SketchOf]
}

// maxPairs is the most pairs of a query, which is enough for any query that people type.
const maxPairs = 64

// pairsOf returns the first maxPairs pairs of the words found. All words except stop
// words must be among the terms.
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

// Count returns how often the pair occurs in a sketch.
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

// analyzers are reused because they are large and remember stems.
var analyzers = sync.Pool{New: func() any { return analysis.New() }}

// longQuery is the number of words above which a query is long. A long query repeats its
// subject, whereas a question repeats words for its grammar.
const longQuery = 40

// isLong reports whether each occurrence of a word in the query should count.
func isLong(found *analysis.Terms) bool {
	words := 0
	for i := range found.Len() {
		if _, kind := found.At(i); kind&analysis.Whole == 0 {
			words++
		}
	}
	return words > longQuery
}

// termsOf returns the terms found without duplicates, and drops one kind. In a long
// query, each occurrence adds to the weight of a term.
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

// Matcher returns a function that counts the words of a content, and those among them that match a
// term of the query. The parts of an identifier count as words, but the whole doesn't. It is not
// safe for concurrent use.
func (q TermQuery) Matcher() func(content []byte) (matches, total int) {
	var words analysis.Terms
	terms := q.numbersByWord()
	return func(content []byte) (matches, total int) {
		analyzer := analyzers.Get().(*analysis.Analyzer)
		defer analyzers.Put(analyzer)
		words.Reset()
		analyzer.Append(&words, content)
		for i := range words.Len() {
			if word, kind := words.At(i); kind&analysis.Whole == 0 {
				total++
				matches += min(1, len(terms[string(word)]))
			}
		}
		return matches, total
	}
}

// Texts returns the texts of the terms in their order, without duplicates. If other words
// replace a term, they follow it.
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
