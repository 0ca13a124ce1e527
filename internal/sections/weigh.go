package sections

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/analysis"
)

// Weights of a term of a section. They are constants of selection 1.
const (
	BodyWeight    = 1 // for each time that the section has it
	HeadingWeight = 2 // if a heading has it that the section has or stands under
	PathWeight    = 2 // if the page's ID has it
)

// A Field is where in a section a term is.
type Field int

// The fields that a section has.
const (
	Body    Field = iota // its own text with its headings
	Heading              // the headings that it has or stands under
	Path                 // the page's ID
)

// longestHeading is the most bytes of a heading that counts as one: a longer one
// is text, and would count for every section under it.
const longestHeading = 256

// A Weigher finds what terms sections have. Not safe for concurrent use.
type Weigher struct {
	analyzer *analysis.Analyzer
	terms    analysis.Terms
	distinct [][]byte // memory for terms, each once
	body     []byte   // memory for the words that a digest is of
}

// NewWeigher returns a Weigher.
func NewWeigher() *Weigher { return &Weigher{analyzer: analysis.New()} }

// A Weight is the weight of a section as a whole.
type Weight struct {
	Length uint32 // of all its terms together
	Digest uint64 // tells it from sections that say something else; 0 if all its words have digits, or it has none
	Sketch []byte // a byte by SketchOf for each of its words but stop words, in order
}

// Weigh calls add with the terms of a section of a page and with what that adds to
// a term's weight: once for each time that the body has the term, and once for
// each other field that has it. A term is only good for the call.
func (w *Weigher) Weigh(page document.ID, p Section, add func(term []byte, weight uint32)) (total Weight) {
	count := func(term []byte, weight uint32) {
		total.Length += weight
		add(term, weight)
	}
	w.terms.Reset()
	w.analyzer.Append(&w.terms, p.Text)
	w.body, total.Sketch = w.body[:0], make([]byte, 0, w.terms.Len())
	for i := range w.terms.Len() {
		term, kind := w.terms.At(i)
		count(term, BodyWeight)
		if kind&analysis.Whole == 0 && !hasDigit(term) {
			w.body = append(append(w.body, term...), ' ')
		}
		if kind == 0 {
			total.Sketch = append(total.Sketch, SketchOf(term))
		}
	}
	total.Sketch = slices.Clip(total.Sketch)
	total.Digest = digestOf(w.body)
	for _, term := range w.headingTerms(p.Headings) {
		count(term, HeadingWeight)
	}
	for _, term := range w.pathTerms(page) {
		count(term, PathWeight)
	}
	return total
}

// Fields calls visit with the terms of a section of a page and where they are, a
// term of the body as often as it has it. A term is only good for the call.
func (w *Weigher) Fields(page document.ID, p Section, visit func(term []byte, field Field)) {
	w.terms.Reset()
	w.analyzer.Append(&w.terms, p.Text)
	for i := range w.terms.Len() {
		term, _ := w.terms.At(i)
		visit(term, Body)
	}
	for _, term := range w.headingTerms(p.Headings) {
		visit(term, Heading)
	}
	for _, term := range w.pathTerms(page) {
		visit(term, Path)
	}
}

// headingTerms returns the terms of headings, each once, until the next call.
func (w *Weigher) headingTerms(headings []string) [][]byte {
	w.terms.Reset()
	for _, h := range headings {
		if len(h) <= longestHeading {
			w.analyzer.Append(&w.terms, []byte(h))
		}
	}
	return w.distinctTerms()
}

// pathTerms returns the terms of a page's ID, each once, until the next call.
func (w *Weigher) pathTerms(page document.ID) [][]byte {
	w.terms.Reset()
	w.analyzer.Append(&w.terms, []byte(document.Stem(string(page))))
	return w.distinctTerms()
}

func (w *Weigher) distinctTerms() [][]byte {
	w.distinct = w.distinct[:0]
	for i := range w.terms.Len() {
		term, _ := w.terms.At(i)
		w.distinct = append(w.distinct, term)
	}
	slices.SortFunc(w.distinct, bytes.Compare)
	w.distinct = slices.CompactFunc(w.distinct, bytes.Equal)
	return w.distinct
}

// digestOf returns 64 bits of the SHA-256 of words, each with a space behind it.
// Sections with one digest say the same: case, markup, punctuation and words with
// digits, such as versions, do not count. 0 is the digest of no words.
func digestOf(words []byte) uint64 {
	if len(words) == 0 {
		return 0
	}
	sum := sha256.Sum256(words)
	return binary.LittleEndian.Uint64(sum[:])
}

// SketchOf returns the byte that stands for a word: the four bytes of its 32-bit
// FNV-1a hash, combined by exclusive or. Two words that follow each other are told
// from other two by 16 bits, so that one section in a few hundred seems to have a
// phrase that it has not.
func SketchOf(word []byte) byte {
	const offset, prime = 2166136261, 16777619
	hash := uint32(offset)
	for _, b := range word {
		hash = (hash ^ uint32(b)) * prime
	}
	return byte(hash ^ hash>>8 ^ hash>>16 ^ hash>>24)
}

func hasDigit(term []byte) bool {
	return slices.ContainsFunc(term, func(b byte) bool { return '0' <= b && b <= '9' })
}
