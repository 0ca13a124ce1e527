package answers

import (
	"context"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

// streamStats are the stats of a cache without a suitable index. Every document is read and
// checked for a query, but only a few numbers of each stay in memory.
type streamStats struct {
	from      home
	entries   []cache.Entry
	pageSizes []uint32                   // sizes of the contents
	postings  map[string][]index.Posting // of the terms and fields of the query, and of the words near terms

	words []uint32 // selection 0
	hits  []wordHit

	firsts  []uint32 // selection 1
	lengths []uint32
	traits  []sections.Traits
	parts   []streamSection

	reader *cache.Reader
	texts  map[uint32][]index.SectionRecord // by page, only for pages whose texts are needed
}

// A streamSection is a section without its text.
type streamSection struct {
	start, end uint32
	lead, tail [2]uint32 // start and end
	digest     uint64
}

// A streamPage contains the numbers of a document.
type streamPage struct {
	size    int
	match   wordMatch       // selection 0
	parts   []streamSection // selection 1
	lengths []uint32
	traits  []sections.Traits
	weights []wantedWeight
}

// A wantedWeight is the weight of a wanted term in a document or a section.
type wantedWeight struct {
	ordinal int // of the section in the page; 0 for a document
	term    string
	weight  uint32
}

// A streamAdder keeps the parts of a document that a query may ask for. Because it is an
// [index.Adder], package stages decides which terms a stream finds in a document, just as
// for an index.
type streamAdder struct {
	wanted wantedTerms
	page   streamPage
}

// AddWords implements [index.Adder].
func (a *streamAdder) AddWords(content []byte, fields []string) index.PageTerms {
	matches, total := a.wanted.set.Count(content)
	a.page.match = wordMatch{matches, total}
	for _, f := range fields {
		a.add(0, words.TermWeight{Text: []byte(f), Weight: 1})
	}
	return index.PageTerms{}
}

// AddSections implements [index.Adder].
func (a *streamAdder) AddSections(n int, weigh func(i int, add func(words.TermWeight)) index.SectionRecord) index.PageTerms {
	for i := range n {
		s := weigh(i, func(t words.TermWeight) { a.add(i, t) })
		a.page.parts = append(a.page.parts, streamSection{
			uint32(s.Start), uint32(s.End), rangeOf(s.Lead), rangeOf(s.Tail), s.Digest,
		})
		a.page.lengths = append(a.page.lengths, s.Length)
		a.page.traits = append(a.page.traits, s.Traits)
	}
	return index.PageTerms{}
}

func (a *streamAdder) add(ordinal int, t words.TermWeight) {
	if text, isWanted := a.wanted.find(t.Text); isWanted {
		a.page.weights = append(a.page.weights, wantedWeight{ordinal, text, t.Weight})
	}
}

func rangeOf(r document.Range) [2]uint32 { return [2]uint32{uint32(r.Start), uint32(r.End)} }

// A textAdder keeps the sections of a document with their texts, but without terms.
type textAdder struct{ sections []index.SectionRecord }

// AddWords implements [index.Adder].
func (a *textAdder) AddWords([]byte, []string) index.PageTerms { return index.PageTerms{} }

// AddSections implements [index.Adder].
func (a *textAdder) AddSections(n int, weigh func(i int, add func(words.TermWeight)) index.SectionRecord) index.PageTerms {
	for i := range n {
		a.sections = append(a.sections, weigh(i, func(words.TermWeight) {}))
	}
	return index.PageTerms{}
}

// wantedTerms are the terms that a query can ask for.
type wantedTerms struct {
	words []string            // terms of the query that are words
	set   *words.TermSet      // of the same, for selection 0
	terms map[string]string   // words, keys and fields; each maps to itself, which saves a copy per occurrence
	near  map[string][]string // by first letter: terms that similar words can replace
}

func wantedBy(request selection.Request, terms []string, keys []ranking.Key) wantedTerms {
	w := wantedTerms{terms, nil, map[string]string{}, map[string][]string{}}
	for _, key := range keys {
		w.terms[key.Text] = key.Text
	}
	for _, where := range request.Filter.Where {
		field, _ := cutField(where)
		term := index.FieldTerm(field)
		w.terms[term] = term
	}
	for _, term := range terms {
		stored := sections.StoredTerm(term)
		w.terms[stored] = stored
		if ranking.CanBeNear(term, len(terms)) {
			_, first := utf8.DecodeRuneInString(term)
			w.near[term[:first]] = append(w.near[term[:first]], term)
		}
	}
	return w
}

func (w wantedTerms) find(term []byte) (text string, found bool) {
	if text, found = w.terms[string(term)]; found {
		return text, true
	}
	_, first := utf8.DecodeRune(term)
	for _, other := range w.near[string(term[:first])] {
		if ranking.StandsFor(other, string(term)) {
			return string(term), true
		}
	}
	return "", false
}

// stream reads every document for a selection.
func stream(ctx context.Context, c *cache.Files, by selection.Spec, entries []cache.Entry, jobs int, wanted wantedTerms) (*streamStats, error) {
	if by == selection.Spec0 {
		wanted.set = words.TermSetOf(wanted.words)
	}
	pages, err := cache.ReadEach(ctx, c, jobs, entries, func(_, i int, reader *cache.Reader) (page streamPage, err error) {
		doc, err := reader.Read(entries[i])
		if err != nil {
			return page, err
		}
		adder := streamAdder{wanted: wanted, page: streamPage{size: len(doc.Content)}}
		err = stages.IndexSplit(ctx, &adder, by.Number(), doc)
		return adder.page, err
	})
	if err != nil {
		return nil, err
	}
	all := &streamStats{
		entries: entries, firsts: []uint32{0},
		postings: map[string][]index.Posting{},
		reader:   c.NewReader(), texts: map[uint32][]index.SectionRecord{},
	}
	for _, page := range pages {
		all.add(page, by)
	}
	return all, nil
}

func cut(doc document.Document) ([]sections.Section, error) {
	found, err := stages.SplitOf(context.Background(), doc)
	return found.Sections, err
}

func (x *streamStats) add(page streamPage, by selection.Spec) {
	first := uint32(len(x.parts))
	if by == selection.Spec0 {
		first = uint32(len(x.pageSizes))
		x.words = append(x.words, uint32(page.match.TotalWords))
		if n := page.match.TermMatches; n > 0 {
			x.hits = append(x.hits, wordHit{Position: first, Matches: uint32(n)})
		}
	}
	for _, w := range page.weights {
		x.addWeight(w.term, first+uint32(w.ordinal), w.weight)
	}
	x.pageSizes = append(x.pageSizes, uint32(page.size))
	x.parts = append(x.parts, page.parts...)
	x.lengths = append(x.lengths, page.lengths...)
	x.traits = append(x.traits, page.traits...)
	x.firsts = append(x.firsts, uint32(len(x.parts)))
}

// addWeight adds to the weight of a term in a document or section. Calls for the same term
// must come in the order of ordinals.
func (x *streamStats) addWeight(term string, ordinal, weight uint32) {
	postings := x.postings[term]
	if n := len(postings); n > 0 && postings[n-1].Ordinal == ordinal {
		postings[n-1].Count += weight
		return
	}
	x.postings[term] = append(postings, index.Posting{Ordinal: ordinal, Count: weight})
}

func (x *streamStats) entry(page uint32) (cache.Entry, error) { return x.entries[page], nil }

func (x *streamStats) ids() ([]document.ID, error) { return idsOf(x.entries), nil }

func (x *streamStats) pageCount() int { return len(x.entries) }

func (x *streamStats) sizes() ([]uint32, error) { return x.pageSizes, nil }

func (x *streamStats) place(ordinal uint32) (page, first uint32, _ error) {
	page = ranking.PageOf(x.firsts, ordinal)
	return page, x.firsts[page], nil
}

func (x *streamStats) starts() ([]uint32, error) { return x.firsts, nil }

func (x *streamStats) wordHits(context.Context) (words []uint32, hits []wordHit, err error) {
	return x.words, x.hits, nil
}

func (x *streamStats) columns() (sectionColumns, error) {
	// Skipping sections would save nothing after reading all of them, and tests compare
	// streams with indexes.
	return sectionColumns{ranking.NewColumns(index.NewSectionNumbers(x.lengths, x.traits)), true}, nil
}

func (x *streamStats) appendPostings(dst []index.Posting, term string) ([]index.Posting, error) {
	return append(dst, x.postings[term]...), nil
}

func (x *streamStats) list(term string) (index.List, error) {
	return index.ListOf(x.postings[term], len(x.lengths)), nil
}

func (x *streamStats) count(term string) (int, error) { return len(x.postings[term]), nil }

func (x *streamStats) near(term string) (words []string, err error) {
	for _, word := range slices.Sorted(maps.Keys(x.postings)) {
		if ranking.StandsFor(term, word) {
			words = append(words, word)
		}
	}
	return words, nil
}

func (x *streamStats) section(ordinal uint32) (index.SectionRecord, error) {
	p := x.parts[ordinal]
	return index.SectionRecord{
		Start: int(p.start), End: int(p.end), Digest: p.digest,
		Lead: document.Range{Start: int(p.lead[0]), End: int(p.lead[1])},
		Tail: document.Range{Start: int(p.tail[0]), End: int(p.tail[1])},
	}, nil
}

// textOf returns a section with its texts. It reads the page again, because a query needs the
// texts of few pages while the texts of all pages would take too much memory.
func (x *streamStats) textOf(ordinal uint32) (index.SectionRecord, error) {
	page, first, _ := x.place(ordinal)
	if _, isKnown := x.texts[page]; !isKnown {
		doc, err := x.reader.Read(x.entries[page])
		if err != nil {
			return index.SectionRecord{}, err
		}
		var adder textAdder
		if err := stages.IndexSplit(context.Background(), &adder, selection.Spec1.Number(), doc); err != nil {
			return index.SectionRecord{}, err
		}
		x.texts[page] = adder.sections
	}
	return x.texts[page][ordinal-first], nil
}

func (x *streamStats) sketch(ordinal uint32) ([]byte, error) {
	found, err := x.textOf(ordinal)
	return found.Sketch, err
}

func (x *streamStats) slug(ordinal uint32) (string, error) {
	found, err := x.textOf(ordinal)
	return found.Slug, err
}

func (x *streamStats) home(page uint32) (*home, uint32) { return &x.from, page }

// changed is the mismatch of streamStats: they have seen another document.
func changed(format string, args ...any) error {
	return fault.Errorf(fault.Internal, "a document changed between two reads: "+format, args...)
}
