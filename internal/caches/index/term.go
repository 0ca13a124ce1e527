package index

import (
	"crypto/sha256"
	"slices"

	"github.com/contextcompiler/context/internal/base/words"
)

// This file defines the terms of a document, both for the Collector that writes an index
// and for the Audit that compares an index.

// maxTerm is the most bytes of a term in the dictionary.
const maxTerm = 255

// stored returns the form of a term in the dictionary: the term itself or, if it is
// maxTerm bytes or longer, its first bytes and its SHA-256.
func stored(term []byte) []byte {
	if len(term) < maxTerm {
		return term
	}
	sum := sha256.Sum256(term)
	return append(slices.Clip(term[:maxTerm-len(sum)]), sum[:]...)
}

// termOf returns the term of a word: the word in lower case, in its stored form. It uses
// buf as scratch space and returns it, grown if needed.
func termOf(content []byte, w words.Word, buf []byte) (term, grown []byte) {
	term = content[w.Start:w.End]
	if !w.IsOdd && len(term) < maxTerm { // most words
		return term, buf
	}
	return storedLower(term, buf)
}

func storedLower(word, buf []byte) (term, grown []byte) {
	buf = words.AppendLower(buf[:0], word)
	return stored(buf), buf
}
