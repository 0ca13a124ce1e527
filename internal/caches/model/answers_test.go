package model

// This file turns sources, a query and a budget into the output of `context resolve`. Sources must
// not share an ID.

import (
	"sort"
	"strconv"
)

// A candidate is a document with what selection computes about it.
type candidate struct {
	document
	score       float32
	tokens      uint64
	termMatches uint64
	totalWords  uint64
}

// Resolve returns what `context resolve` prints for query on the cache of sources,
// including the final newline: JSON in the two-space form if pretty is set,
// otherwise compact.
//
// sources maps paths to contents, as in [Build]. Resolve panics if Build would
// return an error.
func Resolve(sources map[string]string, query string, budget uint64, pretty bool) string {
	documents, err := documentsOf(sources)
	if err != nil {
		panic("model: " + err.Error())
	}
	terms := Words(query)
	ranked := rank(documents, terms)
	selected := fill(ranked, budget)

	var tokensUsed uint64
	bundle := array{}
	for _, c := range selected {
		tokensUsed += c.tokens
		bundle = append(bundle, resultDocument(c, terms))
	}
	result := object{
		{"documents", bundle},
		{"selection", object{
			{"query", query},
			{"budget", count(budget)},
			{"tokens_used", count(tokensUsed)},
			{"documents_considered", count(uint64(len(ranked)))},
			{"documents_selected", count(uint64(len(selected)))},
			{"documents_excluded_by_budget", count(uint64(len(ranked) - len(selected)))},
		}},
	}
	if pretty {
		return prettyJSON(result, "") + "\n"
	}
	return compactJSON(result) + "\n"
}

func resultDocument(c candidate, terms []string) object {
	queryTerms := array{}
	for _, term := range terms {
		queryTerms = append(queryTerms, term)
	}
	return object{
		{"id", c.id},
		{"version", c.version},
		{"content", c.content},
		{"score", number(PrintScore(c.score))},
		{"tokens", count(c.tokens)},
		{"why", object{
			{"query_terms", queryTerms},
			{"term_matches", count(c.termMatches)},
			{"total_words", count(c.totalWords)},
		}},
	}
}

func count(n uint64) number {
	return number(strconv.FormatUint(n, 10))
}

func contains(terms []string, word string) bool {
	for _, term := range terms {
		if term == word {
			return true
		}
	}
	return false
}

// rank returns all documents as candidates, in the order they are tried in.
func rank(documents []document, terms []string) []candidate {
	var ranked []candidate
	for _, d := range documents {
		ranked = append(ranked, examine(d, terms))
	}
	sort.Slice(ranked, func(i, j int) bool {
		if ranked[i].score != ranked[j].score {
			return ranked[i].score > ranked[j].score
		}
		return ranked[i].id < ranked[j].id
	})
	return ranked
}

func examine(d document, terms []string) candidate {
	c := candidate{document: d, tokens: Tokens(len(d.content))}
	for _, word := range Words(d.content) {
		c.totalWords++
		if contains(terms, word) {
			c.termMatches++
		}
	}
	c.score = Score(c.termMatches, c.totalWords)
	return c
}

// fill takes every candidate that still fits, in order. With a budget of 0, it takes nothing, not
// even a candidate of 0 tokens.
func fill(ranked []candidate, budget uint64) []candidate {
	if budget == 0 {
		return nil
	}
	var selected []candidate
	left := budget
	for _, c := range ranked {
		if c.tokens <= left {
			left -= c.tokens
			selected = append(selected, c)
		}
	}
	return selected
}

// Tokens returns the tokens of a content of n bytes: a quarter, rounded up.
func Tokens(n int) uint64 {
	tokens := uint64(n / 4)
	if n%4 != 0 {
		tokens++
	}
	return tokens
}
