package sections

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/analysis"
	"github.com/contextcompiler/context/internal/markdown"
	"github.com/contextcompiler/context/internal/pagename"
	"github.com/contextcompiler/context/internal/words"
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

// LongestHeading is the most bytes of a heading that counts as one: a longer one
// is text, and would count for every section under it.
const LongestHeading = 256

// A Weigher finds what terms sections have. Not safe for concurrent use.
type Weigher struct {
	analyzer *analysis.Analyzer
	terms    analysis.Terms // of a part of a body
	headings distinctTerms
	page     document.ID // whose terms path has
	path     distinctTerms
	body     []byte // memory for the words that a digest is of
	sketch   []byte // memory
	symbol   []byte // memory
}

// NewWeigher returns a Weigher.
func NewWeigher() *Weigher { return &Weigher{analyzer: analysis.New()} }

// A Weight is the weight of a section as a whole.
type Weight struct {
	Length uint32 // of all its terms together
	Digest uint64 // tells it from sections that say something else; 0 if all its words have digits, or it has none

	// Sketch contains a byte by [analysis.SketchOf] for each word but stop words, in
	// order, and a mark at the end of each sentence and before each heading.
	Sketch []byte
}

// Weigh calls add with the terms of a section of a page and with what that adds to
// a term's weight: once for each time that the body has the term, and once for
// each other field that has it. The keys of the section are terms, too, but they add
// nothing to its length. A term is only good for the call.
func (w *Weigher) Weigh(page document.ID, p Section, add func(words.TermWeight)) (total Weight) {
	w.body, w.sketch = w.body[:0], w.sketch[:0]
	w.weighTitle(p, add)
	for s := range markdown.Sentences(p.Text, p.Fence) {
		total.Length += w.weighSentence(s, add)
	}
	total.Digest, total.Sketch = digestOf(w.body), bytes.Clone(w.sketch)
	for _, t := range w.headingTerms(p.Headings) {
		add(t.weighing(HeadingWeight))
		total.Length += HeadingWeight
	}
	for _, t := range w.pathTerms(page) {
		add(t.weighing(PathWeight))
		total.Length += PathWeight
	}
	for _, h := range p.Headings[p.Above:] {
		w.addNames(add, markdown.WithoutAnchor(h), HeadingKey)
	}
	w.weighSymbols(p, add)
	return total
}

// weighSymbols weighs symbols, which add nothing to the length and to the sketch: prose
// ranks as if there were none.
func (w *Weigher) weighSymbols(p Section, add func(words.TermWeight)) {
	p.eachSymbol(func(symbol []byte) {
		w.symbol = append(append(w.symbol[:0], keyMark...), byte(SymbolKey))
		w.symbol = analysis.AppendSymbol(w.symbol, symbol)
		add(words.WeightOf(w.symbol, BodyWeight))
	})
	for _, symbol := range symbolsIn(p.Headings) {
		add(words.WeightOf([]byte(StoredTerm(symbol)), HeadingWeight))
	}
}

// symbolsIn returns the symbols of headings, each once.
func symbolsIn(headings []string) (all []string) {
	for _, h := range headings {
		symbols, _ := symbolsOf(h)
		all = append(all, symbols...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// eachSymbol calls visit with the symbols of a section's text.
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

// weighTitle adds the keys of the page's title to its first section. A title in front
// matter is not in the text, so the sketch begins with it.
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

// addNames adds the key of the terms of a heading and, if it has symbols, another one with
// these. The terms are those of its words afterwards.
func (w *Weigher) addNames(add func(words.TermWeight), heading string, kind KeyKind) {
	if symbols, rest := symbolsOf(heading); len(symbols) > 0 {
		w.analyze(string(rest))
		addKey(add, TermsKey(kind, &w.terms, symbols...))
	}
	w.analyze(heading)
	addKey(add, TermsKey(kind, &w.terms))
}

// symbolsOf is [SplitSymbols] for a heading, none if it is too long to be a name.
func symbolsOf(heading string) (terms []string, rest []byte) {
	if len(heading) > LongestHeading || !analysis.IsSymbol(heading) { // without a mark
		return nil, nil
	}
	var found []analysis.Symbol
	analysis.EachSymbol([]byte(heading), analysis.Heading, func(s analysis.Symbol) { found = append(found, s) })
	if len(found) == 0 {
		return nil, nil
	}
	return SplitSymbols([]byte(heading), found)
}

// analyze finds the terms of a heading, none if it is too long to be a name.
func (w *Weigher) analyze(heading string) {
	w.terms.Reset()
	if len(heading) <= LongestHeading {
		w.analyzer.Append(&w.terms, []byte(heading))
	}
}

// addKey adds a key, unless it is empty.
func addKey(add func(words.TermWeight), key string) {
	if key != "" {
		add(words.WeightOf([]byte(key), 1))
	}
}

// weighSentence weighs a sentence of a body and returns what it adds to the length.
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

// endSentence ends a sentence in the sketch. A sentence without words leaves nothing.
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

// sketchTerms adds the terms to the sketch.
func (w *Weigher) sketchTerms() {
	for i := range w.terms.Len() {
		if _, kind := w.terms.At(i); kind == 0 {
			w.sketch = append(w.sketch, w.terms.Sketch(i))
		}
	}
}

// weighBody weighs the terms of a part of a body.
func (w *Weigher) weighBody(add func(words.TermWeight)) {
	for i := range w.terms.Len() {
		term, kind := w.terms.At(i)
		add(words.TermWeight{Text: term, Hash: w.terms.Hash(i), Weight: BodyWeight})
		if kind&analysis.Whole == 0 && !w.terms.HasDigit(i) {
			w.body = append(append(w.body, term...), ' ')
		}
	}
	w.sketchTerms()
}

// someTerms is about how many terms of a body are in memory at once.
const someTerms = 1 << 10

// Fields calls visit with the terms of a section of a page and where they are, a
// term of the body as often as it has it. A term is only good for the call.
func (w *Weigher) Fields(page document.ID, p Section, visit func(term []byte, field Field)) {
	w.terms.Reset()
	w.analyzer.Append(&w.terms, p.Text)
	for i := range w.terms.Len() {
		term, _ := w.terms.At(i)
		visit(term, Body)
	}
	p.eachSymbol(func(symbol []byte) { visit(analysis.AppendSymbol(nil, symbol), Body) })
	for _, symbol := range symbolsIn(p.Headings) {
		visit([]byte(symbol), Heading)
	}
	for _, t := range w.headingTerms(p.Headings) {
		visit(t.text, Heading)
	}
	for _, t := range w.pathTerms(page) {
		visit(t.text, Path)
	}
}

// headingTerms returns the terms of headings, each once, until the next call.
func (w *Weigher) headingTerms(headings []string) []distinctTerm {
	w.headings.reset()
	for _, h := range headings {
		if len(h) <= LongestHeading {
			w.headings.append(w.analyzer, h)
		}
	}
	return w.headings.distinct()
}

// pathTerms returns the terms of a page's ID, each once, until the next call. Most
// sections are of the page of the one before.
func (w *Weigher) pathTerms(page document.ID) []distinctTerm {
	if page != w.page {
		w.page = page
		w.path.reset()
		w.path.append(w.analyzer, pagename.Stem(string(page)))
	}
	return w.path.distinct()
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
