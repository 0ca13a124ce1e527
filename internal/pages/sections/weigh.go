package sections

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/pagename"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/analysis"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// The weights of a term in a section. They are constants of selection 1.
const (
	BodyWeight    = 1 // for each occurrence in the section
	HeadingWeight = 2 // if the section's headings or the headings above it contain it
	PathWeight    = 2 // if the page's ID contains it
)

// The fields of a section, which say where a term was found. A key has none.
const (
	Body    uint8 = 1 + iota // its text, including its headings
	Heading                  // its headings and the headings above it
	Path                     // the page's ID
)

// LongestHeading is the maximum size in bytes of a heading. A longer heading is text, and its terms
// would count for every section below it.
const LongestHeading = 256

// A Weigher weighs the terms of sections. It is not safe for concurrent use.
type Weigher struct {
	analyzer *analysis.Analyzer
	terms    analysis.Terms // of a part of the text
	headings distinctTerms
	page     document.ID // whose terms are in path
	path     distinctTerms
	body     []byte // reused memory for the words to hash
	sketch   []byte // reused memory
	symbol   []byte // reused memory
}

func NewWeigher() *Weigher { return &Weigher{analyzer: analysis.New()} }

// A Weight describes a section as a whole.
type Weight struct {
	Length uint32 // the sum of the weights of its terms
	Digest uint64 // differs between sections with different texts; 0 without words, not counting words with digits

	// Sketch contains a byte ([analysis.SketchOf]) for each word except stop words, in
	// order. Marks stand at the end of each sentence and before each heading.
	Sketch []byte
}

// Weigh calls add with the terms of a section and their contributions to the weights: once for each
// occurrence in the text, and once for each other field containing them. The keys of the section
// are terms, too, but don't add to its length. A page of front matter alone has no terms. A term is
// valid only during the call.
func (w *Weigher) Weigh(page document.ID, p Section, add func(words.TermWeight)) (total Weight) {
	if p.IsMetadata {
		return total
	}
	w.body, w.sketch = w.body[:0], w.sketch[:0]
	w.weighTitle(p, add)
	for s := range markdown.Sentences(p.Text, p.Fence) {
		total.Length += w.weighSentence(s, add)
	}
	total.Digest, total.Sketch = digestOf(w.body), bytes.Clone(w.sketch)
	for _, t := range w.headingTerms(p.Headings) {
		add(t)
		total.Length += HeadingWeight
	}
	for _, t := range w.pathTerms(page) {
		add(t)
		total.Length += PathWeight
	}
	for _, h := range p.Headings[p.Above:] {
		w.addNames(add, markdown.WithoutAnchor(h), HeadingKey)
	}
	w.weighSymbols(p, add)
	return total
}

// weighSymbols adds symbols without their lengths and sketches, so prose ranks as if they weren't
// there.
func (w *Weigher) weighSymbols(p Section, add func(words.TermWeight)) {
	p.eachSymbol(func(symbol []byte) {
		w.symbol = append(append(w.symbol[:0], keyMark...), byte(SymbolKey))
		w.symbol = analysis.AppendSymbol(w.symbol, symbol)
		add(words.TermWeight{Text: w.symbol, Hash: words.Hash(w.symbol), Weight: BodyWeight, Field: Body})
	})
	for _, symbol := range symbolsIn(p.Headings) {
		term := []byte(StoredTerm(symbol))
		add(words.TermWeight{Text: term, Hash: words.Hash(term), Weight: HeadingWeight, Field: Heading})
	}
}

// symbolsIn returns the distinct symbols of headings.
func symbolsIn(headings []string) (all []string) {
	for _, h := range headings {
		symbols, _ := symbolsOf(h)
		all = append(all, symbols...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (s Section) eachSymbol(visit func(symbol []byte)) {
	at := 0
	read := func(end int, as analysis.Reading) {
		text := s.Text[at:end]
		analysis.EachSymbol(text, as, func(found analysis.Symbol) { visit(text[found.Start:found.End]) })
		at = end
	}
	for _, code := range s.Code {
		read(code.Start, analysis.Prose)
		read(code.End, analysis.Code)
	}
	read(len(s.Text), analysis.Prose)
}

// weighTitle adds the keys of the page's title to its first section. The sketch begins with
// a title in front matter, because the text doesn't contain it.
func (w *Weigher) weighTitle(p Section, add func(words.TermWeight)) {
	if p.Traits&First == 0 {
		return
	}
	for i, title := range p.Headings[:min(len(p.Headings), p.Above+1)] {
		title = markdown.WithoutAnchor(title)
		addKey(add, TextKey(title))
		w.addNames(add, title, TitleTermsKey)
		if i < p.Above {
			w.sketch = append(w.sketch, analysis.HeadingSentence)
			w.sketchTerms()
			w.endSentence()
		}
	}
}

// addNames adds the key of a heading's terms. If the heading contains symbols, it also adds
// a key with these. Afterwards, w.terms are the terms of the heading's words.
func (w *Weigher) addNames(add func(words.TermWeight), heading string, kind KeyKind) {
	if symbols, rest := symbolsOf(heading); len(symbols) > 0 {
		w.analyze(string(rest))
		addKey(add, TermsKey(kind, &w.terms, symbols...))
	}
	w.analyze(heading)
	addKey(add, TermsKey(kind, &w.terms))
}

// symbolsOf is [SplitSymbols] for a heading. It returns nothing if the heading is too long
// to be a name.
func symbolsOf(heading string) (terms []string, rest []byte) {
	if len(heading) > LongestHeading || !analysis.IsSymbol(heading) { // it contains no mark
		return nil, nil
	}
	var found []analysis.Symbol
	analysis.EachSymbol([]byte(heading), analysis.Heading, func(s analysis.Symbol) { found = append(found, s) })
	if len(found) == 0 {
		return nil, nil
	}
	return SplitSymbols([]byte(heading), found)
}

// analyze finds the terms of a heading, or none if it is too long to be a name.
func (w *Weigher) analyze(heading string) {
	w.terms.Reset()
	if len(heading) <= LongestHeading {
		w.analyzer.Append(&w.terms, []byte(heading))
	}
}

func addKey(add func(words.TermWeight), key string) {
	if key != "" {
		add(words.WeightOf([]byte(key), 1))
	}
}

// weighSentence weighs a sentence and returns how much it adds to the length.
func (w *Weigher) weighSentence(s markdown.Sentence, add func(words.TermWeight)) (length uint32) {
	if s.IsHeading {
		w.sketch = append(w.sketch, analysis.HeadingSentence)
	}
	for rest := s.Text; len(rest) > 0; {
		w.terms.Reset()
		rest = w.analyzer.AppendSome(&w.terms, rest, someTerms)
		if length == 0 && !s.IsHeading {
			addKey(add, subjectKey(&w.terms))
		}
		w.weighBody(add)
		length += BodyWeight * uint32(w.terms.Len())
	}
	w.endSentence()
	return length
}

// endSentence ends a sentence in the sketch, unless it contains no words.
func (w *Weigher) endSentence() {
	n := len(w.sketch)
	switch {
	case n == 0 || w.sketch[n-1] == analysis.EndOfSentence:
	case w.sketch[n-1] == analysis.HeadingSentence:
		w.sketch = w.sketch[:n-1]
	default:
		w.sketch = append(w.sketch, analysis.EndOfSentence)
	}
}

func (w *Weigher) sketchTerms() {
	for i := range w.terms.Len() {
		if _, kind := w.terms.At(i); kind == 0 {
			w.sketch = append(w.sketch, w.terms.Sketch(i))
		}
	}
}

// weighBody weighs the terms of a part of the text.
func (w *Weigher) weighBody(add func(words.TermWeight)) {
	for i := range w.terms.Len() {
		term, kind := w.terms.At(i)
		add(words.TermWeight{Text: term, Hash: w.terms.Hash(i), Weight: BodyWeight, Field: Body})
		if kind&analysis.Whole == 0 && !w.terms.HasDigit(i) {
			w.body = w.terms.AppendTo(w.body, i)
		}
	}
	w.sketchTerms()
}

// someTerms limits how many terms of a text are in memory at the same time, roughly.
const someTerms = 1 << 10

// headingTerms returns the distinct terms of headings. They are valid until the next call.
func (w *Weigher) headingTerms(headings []string) []words.TermWeight {
	isLong := func(heading string) bool { return len(heading) > LongestHeading }
	if slices.ContainsFunc(headings, isLong) {
		headings = slices.DeleteFunc(slices.Clone(headings), isLong)
	}
	return w.headings.of(w.analyzer, HeadingWeight, Heading, headings...)
}

// pathTerms returns the distinct terms of a page's ID. They are valid until the next call, and
// reused for the same page, because most sections follow another section of their page.
func (w *Weigher) pathTerms(page document.ID) []words.TermWeight {
	if page != w.page {
		w.page = page
		w.path.of(w.analyzer, PathWeight, Path, pagename.Stem(string(page)))
	}
	return w.path.found
}

// GainedTerms returns the terms that each section of a page with any terms gains if the page moves
// below a prefix. They are valid until the next call.
func (w *Weigher) GainedTerms(before, after document.ID) (gained []words.TermWeight) {
	known := w.headings.of(w.analyzer, PathWeight, Path, pagename.Stem(string(before)))
	for _, t := range w.pathTerms(after) {
		if !slices.ContainsFunc(known, func(k words.TermWeight) bool { return bytes.Equal(k.Text, t.Text) }) {
			gained = append(gained, t)
		}
	}
	return gained
}

// digestOf returns 64 bits of the SHA-256 of words, each followed by a space. Sections with the
// same digest say the same, regardless of case, markup, punctuation and words with digits, such as
// versions. The digest of no words is 0.
func digestOf(words []byte) uint64 {
	if len(words) == 0 {
		return 0
	}
	sum := sha256.Sum256(words)
	return binary.LittleEndian.Uint64(sum[:])
}
