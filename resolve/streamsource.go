package resolve

import (
	"context"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/internal/sections"
	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

// streamSource is a source that has read and checked every document. It keeps a few numbers
// of each.
type streamSource struct {
	from      owner
	entries   []cache.Entry
	pageSizes []uint32            // sizes of the contents
	fields    map[string][]uint32 // pages that have a field of the query

	words []uint32 // selection 0
	hits  []selection.WordHit

	firsts   []uint32 // selection 1
	lengths  []uint32
	traits   []sections.Traits
	parts    []streamPart
	postings map[string][]index.Posting // of the terms of the query and the words near them

	reader  *cache.Reader
	weigher *sections.Weigher
	texts   map[uint32][]partTexts // by page, once one of its texts is asked for
}

// partTexts are the texts of a section.
type partTexts struct {
	slug   string
	sketch []byte
}

// A streamPart is a section without its text.
type streamPart struct {
	start, end uint32
	lead, tail [2]uint32 // start and end
	digest     uint64
}

// streamPages reads every document for selection 0.
func streamPages(ctx context.Context, c *cache.Files, entries []cache.Entry, request Request, _ wantedTerms) (*streamSource, error) {
	all := &streamSource{entries: entries}
	type page struct {
		match  selection.Match
		size   int
		fields []string
	}
	pages, err := cache.ReadEach(ctx, c, request.Jobs, entries, func(_, i int, reader *cache.Reader) (page, error) {
		doc, err := reader.Read(entries[i])
		return page{request.Query.Match(doc.Content), len(doc.Content), request.Filter.fieldsOf(doc)}, err
	})
	for position, p := range pages {
		all.addFields(p.fields)
		all.pageSizes = append(all.pageSizes, uint32(p.size))
		all.words = append(all.words, uint32(p.match.TotalWords))
		if n := p.match.TermMatches; n > 0 {
			all.hits = append(all.hits, selection.WordHit{Position: uint32(position), Matches: uint32(n)})
		}
	}
	return all, err
}

// A streamPage has the numbers of a document for selection 1.
type streamPage struct {
	size    int
	fields  []string // of the query
	parts   []streamPart
	lengths []uint32
	traits  []sections.Traits
	weights []termWeight
}

// A termWeight is the weight of a term in a section.
type termWeight struct {
	section int // its position in the page
	term    string
	weight  uint32
}

// wantedTerms are the terms that a query can ask for.
type wantedTerms struct {
	words []string            // the terms of the query that are words
	terms map[string]string   // words and keys, each by itself, so that no copy of it is needed
	near  map[string][]string // by the first letter: terms that can stand for others
}

func wantedBy(terms []string, keys []ranking.Key) wantedTerms {
	w := wantedTerms{terms, map[string]string{}, map[string][]string{}}
	for _, key := range keys {
		w.terms[key.Text] = key.Text
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

// find returns a term as a string if the query can ask for it.
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

// streamSections reads, cuts and weighs every document for selection 1.
func streamSections(ctx context.Context, c *cache.Files, entries []cache.Entry, request Request, wanted wantedTerms) (*streamSource, error) {
	var weighers [cache.MaxReaders]*sections.Weigher
	pages, err := cache.ReadEach(ctx, c, request.Jobs, entries, func(worker, i int, reader *cache.Reader) (page streamPage, err error) {
		doc, err := reader.Read(entries[i])
		if err != nil {
			return page, err
		}
		if weighers[worker] == nil {
			weighers[worker] = sections.NewWeigher()
		}
		page, err = weighPage(ctx, weighers[worker], doc, wanted)
		page.fields = request.Filter.fieldsOf(doc)
		return page, err
	})
	if err != nil {
		return nil, err
	}
	all := &streamSource{
		entries: entries, firsts: []uint32{0},
		postings: map[string][]index.Posting{},
		reader:   c.NewReader(), weigher: sections.NewWeigher(), texts: map[uint32][]partTexts{},
	}
	for _, page := range pages {
		all.add(page)
	}
	return all, nil
}

// cut cuts a page into its sections.
func cut(doc document.Document) ([]sections.Section, error) {
	found, err := stages.SplitOf(context.Background(), doc)
	return found.Sections, err
}

// weighPage cuts a document and weighs the terms that a query can ask for.
func weighPage(ctx context.Context, w *sections.Weigher, doc document.Document, wanted wantedTerms) (page streamPage, err error) {
	found, err := stages.SplitOf(ctx, doc)
	if err != nil {
		return page, err
	}
	page.size = len(doc.Content)
	for i, p := range found.Sections {
		total := w.Weigh(doc.ID, p, func(t words.TermWeight) {
			if text, isWanted := wanted.find(t.Text); isWanted {
				page.weights = append(page.weights, termWeight{i, text, t.Weight})
			}
		})
		page.parts = append(page.parts, streamPart{
			uint32(p.Start), uint32(p.End), rangeOf(p.Lead), rangeOf(p.Tail), total.Digest,
		})
		page.lengths = append(page.lengths, total.Length)
		page.traits = append(page.traits, p.Traits)
	}
	return page, nil
}

// add adds the next page.
func (x *streamSource) add(page streamPage) {
	x.addFields(page.fields)
	first := uint32(len(x.parts))
	for _, w := range page.weights {
		x.addWeight(w.term, first+uint32(w.section), w.weight)
	}
	x.pageSizes = append(x.pageSizes, uint32(page.size))
	x.parts = append(x.parts, page.parts...)
	x.lengths = append(x.lengths, page.lengths...)
	x.traits = append(x.traits, page.traits...)
	x.firsts = append(x.firsts, uint32(len(x.parts)))
}

// addWeight adds to the weight of a term in a section. Calls for one term come in the
// order of the sections.
func (x *streamSource) addWeight(term string, ordinal, weight uint32) {
	postings := x.postings[term]
	if n := len(postings); n > 0 && postings[n-1].Ordinal == ordinal {
		postings[n-1].Count += weight
		return
	}
	x.postings[term] = append(postings, index.Posting{Ordinal: ordinal, Count: weight})
}

// addFields adds the fields of the next page.
func (x *streamSource) addFields(fields []string) {
	for _, f := range fields {
		if x.fields == nil {
			x.fields = map[string][]uint32{}
		}
		x.fields[f] = append(x.fields[f], uint32(len(x.pageSizes)))
	}
}

func (x *streamSource) withField(field string) ([]uint32, error) { return x.fields[field], nil }

func (x *streamSource) entry(page uint32) (cache.Entry, error) { return x.entries[page], nil }

func (x *streamSource) ids() ([]document.ID, error) { return idsOf(x.entries), nil }

func (x *streamSource) sizes() ([]uint32, error) { return x.pageSizes, nil }

func (x *streamSource) wordHits(context.Context) (words []uint32, hits []selection.WordHit, err error) {
	return x.words, x.hits, nil
}

func (x *streamSource) columns() (columns, error) {
	return columns{x.firsts, ranking.NewColumns(x.lengths, x.traits)}, nil
}

func (x *streamSource) appendPostings(dst []index.Posting, term string) ([]index.Posting, error) {
	return append(dst, x.postings[term]...), nil
}

func (x *streamSource) near(term string) (words []string, err error) {
	for _, word := range slices.Sorted(maps.Keys(x.postings)) {
		if ranking.StandsFor(term, word) {
			words = append(words, word)
		}
	}
	return words, nil
}

func (x *streamSource) section(ordinal uint32) (index.SectionRecord, error) {
	p := x.parts[ordinal]
	return index.SectionRecord{
		Start: int(p.start), End: int(p.end), Digest: p.digest,
		Lead: document.Range{Start: int(p.lead[0]), End: int(p.lead[1])},
		Tail: document.Range{Start: int(p.tail[0]), End: int(p.tail[1])},
	}, nil
}

func rangeOf(r document.Range) [2]uint32 { return [2]uint32{uint32(r.Start), uint32(r.End)} }

// textsOf returns the texts of a section. It reads the page again: queries need those of few
// pages, and all of them would take much memory.
func (x *streamSource) textsOf(ordinal uint32) (partTexts, error) {
	page := ranking.PageOf(x.firsts, ordinal)
	texts, isKnown := x.texts[page]
	if !isKnown {
		doc, err := x.reader.Read(x.entries[page])
		if err != nil {
			return partTexts{}, err
		}
		parts, err := cut(doc)
		if err != nil {
			return partTexts{}, err
		}
		for _, p := range parts {
			texts = append(texts, partTexts{p.Slug, x.weigher.Weigh(doc.ID, p, func(words.TermWeight) {}).Sketch})
		}
		x.texts[page] = texts
	}
	return texts[ordinal-x.firsts[page]], nil
}

func (x *streamSource) sketch(ordinal uint32) ([]byte, error) {
	texts, err := x.textsOf(ordinal)
	return texts.sketch, err
}

func (x *streamSource) slug(ordinal uint32) (string, error) {
	texts, err := x.textsOf(ordinal)
	return texts.slug, err
}

func (x *streamSource) isChecked() bool { return true }

func (x *streamSource) owner(page uint32) (*owner, uint32) { return &x.from, page }

// changed is the mismatch of a streamSource.
func changed(format string, args ...any) error {
	return fault.Errorf(fault.Internal, "a document changed between two reads: "+format, args...)
}
