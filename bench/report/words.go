package main

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
)

// queries are two queries of two words that every tool takes for the same.
type queries struct {
	middling []string // words in about a tenth of the documents
	common   []string // the words that stand in documents most often
}

// A usage is how often a word occurs, and in how many documents.
type usage struct{ documents, times int }

// sampled is how many documents are read to choose words.
const sampled = 2_000

// chooseQueries chooses by the frequencies in documents that are spread evenly
// over paths.
func chooseQueries(paths []string) (queries, error) {
	words := map[string]usage{}
	stride := max(1, len(paths)/sampled)
	read := 0
	for i := 0; i < len(paths); i += stride {
		text, err := os.ReadFile(paths[i])
		if err != nil {
			return queries{}, err
		}
		countDocument(words, string(text))
		read++
	}
	if len(words) < 2 {
		return queries{}, errors.New("too few words to choose queries from")
	}
	return queriesBy(words, read), nil
}

// countDocument adds what text uses to words.
func countDocument(words map[string]usage, text string) {
	seen := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		if !isPlain(word) {
			continue
		}
		u := words[word]
		u.times++
		if !seen[word] {
			seen[word] = true
			u.documents++
		}
		words[word] = u
	}
}

// isPlain reports whether word is of three or more lower-case letters of ASCII:
// for those, tools agree where a word ends.
func isPlain(word string) bool {
	for _, c := range []byte(word) {
		if c < 'a' || 'z' < c {
			return false
		}
	}
	return len(word) >= 3
}

func queriesBy(words map[string]usage, documents int) queries {
	return queries{
		middling: firstTwo(words, func(u usage) int { return abs(10*u.documents - documents) }),
		common:   firstTwo(words, func(u usage) int { return -u.times }),
	}
}

// firstTwo returns the two words with the lowest rank; of equal ones, the
// first by the alphabet.
func firstTwo(words map[string]usage, rank func(usage) int) []string {
	sorted := slices.SortedFunc(maps.Keys(words), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(words[a]), rank(words[b])), strings.Compare(a, b))
	})
	return sorted[:min(2, len(sorted))]
}

func abs(n int) int { return max(n, -n) }
