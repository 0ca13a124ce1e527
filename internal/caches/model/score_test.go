package model

// This file computes the score of a document and prints it.

import (
	"strconv"
	"strings"
)

// Score returns the float32 quotient of termMatches and totalWords, or 0 without words.
func Score(termMatches, totalWords uint64) float32 {
	if totalWords == 0 {
		return 0
	}
	return float32(termMatches) / float32(totalWords)
}

// PrintScore returns score, which lies in [0,1], as the shortest decimal that
// reads back as the same float32. It always has a fraction or an exponent, and
// an exponent only from 1e-7 downwards.
func PrintScore(score float32) string {
	if score != 0 && score < 1e-6 {
		text := strconv.FormatFloat(float64(score), 'e', -1, 32)
		// strconv pads exponents to two digits.
		return strings.Replace(text, "e-0", "e-", 1)
	}
	text := strconv.FormatFloat(float64(score), 'f', -1, 32)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
