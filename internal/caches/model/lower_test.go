package model

// This file converts text to lower case and splits it into words, by the tables of
// Unicode 17 in testdata. Text must be valid UTF-8.

import (
	_ "embed" // for the tables
	"strconv"
	"strings"
	"sync"
)

//go:embed testdata/lowercase.tsv
var lowercaseTable string

//go:embed testdata/final_sigma.tsv
var finalSigmaTable string

//go:embed testdata/white_space.txt
var whiteSpaceTable string

const (
	capitalSigma = 'Σ'
	finalSigma   = 'ς'
)

// lowercase maps code points to a different lower case.
var lowercase = sync.OnceValue(func() map[rune]string {
	mapping := map[rune]string{}
	for _, fields := range rows(lowercaseTable) {
		lower := ""
		for _, field := range fields[1:] {
			lower += string(codePoint(field))
		}
		mapping[codePoint(fields[0])] = lower
	}
	return mapping
})

// sigmaClass contains the effect of a code point on a sigma next to it: "C" if it
// is cased, "I" if a sigma ignores it, and "" otherwise.
var sigmaClass = sync.OnceValue(func() map[rune]string {
	classes := map[rune]string{}
	for _, fields := range rows(finalSigmaTable) {
		classes[codePoint(fields[0])] = fields[1]
	}
	return classes
})

// whiteSpace contains the code points between words.
var whiteSpace = sync.OnceValue(func() map[rune]bool {
	set := map[rune]bool{}
	for _, fields := range rows(whiteSpaceTable) {
		set[codePoint(fields[0])] = true
	}
	return set
})

// Lower returns s in lower case: each code point by the table, except that a Σ
// at the end of a word becomes ς.
func Lower(s string) string {
	codePoints := []rune(s)
	var out strings.Builder
	for i, c := range codePoints {
		lower, changes := lowercase()[c]
		switch {
		case c == capitalSigma && isFinal(codePoints, i):
			out.WriteRune(finalSigma)
		case changes:
			out.WriteString(lower)
		default:
			out.WriteRune(c)
		}
	}
	return out.String()
}

// isFinal reports whether the sigma at codePoints[i] ends a word: apart from
// ignored code points, something cased comes before it and nothing cased after it.
func isFinal(codePoints []rune, i int) bool {
	before := i - 1
	for before >= 0 && sigmaClass()[codePoints[before]] == "I" {
		before--
	}
	after := i + 1
	for after < len(codePoints) && sigmaClass()[codePoints[after]] == "I" {
		after++
	}
	casedBefore := before >= 0 && sigmaClass()[codePoints[before]] == "C"
	casedAfter := after < len(codePoints) && sigmaClass()[codePoints[after]] == "C"
	return casedBefore && !casedAfter
}

// Words returns the words of s in lower case and in order.
func Words(s string) []string {
	lower := Lower(s)
	var words []string
	start := 0 // of the word possibly ending with c
	for i, c := range lower {
		if !whiteSpace()[c] {
			continue
		}
		if start < i {
			words = append(words, lower[start:i])
		}
		start = i + len(string(c))
	}
	if start < len(lower) {
		words = append(words, lower[start:])
	}
	return words
}

// rows returns the fields of each line of table.
func rows(table string) [][]string {
	var all [][]string
	for _, line := range strings.Split(table, "\n") {
		fields := strings.Fields(line)
		if len(fields) > 0 {
			all = append(all, fields)
		}
	}
	return all
}

// codePoint returns the code point for hex.
func codePoint(hex string) rune {
	n, err := strconv.ParseInt(hex, 16, 32)
	if err != nil {
		panic("model: table: " + err.Error())
	}
	return rune(n)
}
