package index

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/contextcompiler/context/document"
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

// storedWithHash returns the stored form of a term, and its hash.
func storedWithHash(t words.TermWeight) (text []byte, hash uint64) {
	if len(t.Text) < maxTerm {
		return t.Text, t.Hash
	}
	text = stored(t.Text)
	return text, words.Hash(text)
}

// eachWord calls visit with the term of each word of a content, and with its hash: the word
// in lower case, in its stored form. A term is only valid during the call. It returns the
// number of words. The content must not exceed [document.MaxSize] bytes.
func eachWord(content []byte, visit func(term []byte, hash uint64)) (total int) {
	if len(content) > document.MaxSize {
		panic(fmt.Sprintf("index: a document of %d bytes is out of bounds", len(content)))
	}
	var room [maxTerm + 1]byte
	lower := room[:0]
	for w := range words.Of(content) {
		total++
		term := content[w.Start:w.End]
		if w.IsOdd || len(term) >= maxTerm { // few words
			lower = words.AppendLower(lower[:0], term)
			term = stored(lower)
		}
		visit(term, words.Hash(term))
	}
	return total
}
