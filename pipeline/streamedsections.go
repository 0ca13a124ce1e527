package pipeline

import (
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/markdown"
	"github.com/contextcompiler/context/internal/parallel"
	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/internal/sections"
)

// streamedSections are the sections of a cache whose documents were all read.
type streamedSections struct {
	reader   *cache.Reader
	entries  []cache.Entry
	sizes    []int // of the contents
	firsts   []uint32
	lengths  []uint32
	parts    []streamedPart
	postings [][]index.Posting // by term of the query

	weigher  *sections.Weigher
	sketches map[uint32][][]byte // by page, of those that were read once more
}

// A streamedPart is what is kept of a section.
type streamedPart struct {
	start, end uint32
	digest     uint64
}

// A streamedPage is what is found of a document.
type streamedPage struct {
	size    int
	parts   []streamedPart
	lengths []uint32
	weights []termWeight
}

// A termWeight says what a term of the query weighs in a section.
type termWeight struct {
	section int // of the page
	term    int
	weight  uint32
}

// streamSections reads, checks and weighs every document of c.
func streamSections(ctx context.Context, c *cache.Cache, query ranking.Query, jobs int) (*streamedSections, error) {
	readers := newReaders(c, resolveJobs(jobs))
	numbers := make(map[string]int, len(query.Terms))
	for i, t := range query.Terms {
		numbers[t.Text] = i
	}
	weighers := make([]*sections.Weigher, len(readers.own))
	for i := range weighers {
		weighers[i] = sections.NewWeigher()
	}
	pages, err := parallel.Each(ctx, len(readers.own), c.Manifest.Documents,
		func(_ context.Context, worker int, entry cache.Entry) (page streamedPage, err error) {
			reader, done := readers.take(worker, entry)
			defer done()
			doc, err := reader.Read(entry)
			if err != nil {
				return page, err
			}
			return weighPage(weighers[worker], doc, numbers)
		})
	if err != nil {
		return nil, err
	}
	all := joinPages(c.Manifest.Documents, pages, len(query.Terms))
	all.reader, all.weigher, all.sketches = c.NewReader(), weighers[0], map[uint32][][]byte{}
	return all, nil
}

// cut cuts the content of a page into its sections. Cutting does not fail: a
// panic of the Markdown parser, which is a bug, becomes a [fault.Internal].
func cut(content []byte) (parts []sections.Section, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Recovered(p)
		}
	}()
	return sections.Cut(content, markdown.Parse(content).Blocks), nil
}

// weighPage cuts a document and weighs the terms of these numbers.
func weighPage(w *sections.Weigher, doc document.Document, numbers map[string]int) (page streamedPage, err error) {
	parts, err := cut(doc.Content)
	if err != nil {
		return page, err
	}
	page.size = len(doc.Content)
	for i, p := range parts {
		total := w.Weigh(doc.ID, doc.Content, p, func(term []byte, weight uint32) {
			if n, wanted := numbers[string(term)]; wanted {
				page.weights = append(page.weights, termWeight{i, n, weight})
			}
		})
		page.parts = append(page.parts, streamedPart{uint32(p.Start), uint32(p.End), total.Digest})
		page.lengths = append(page.lengths, total.Length)
	}
	return page, nil
}

// joinPages puts the sections and the postings of pages together. terms is how
// many terms the query has.
func joinPages(entries []cache.Entry, pages []streamedPage, terms int) *streamedSections {
	all := &streamedSections{entries: entries, firsts: []uint32{0}, postings: make([][]index.Posting, terms)}
	for _, page := range pages {
		first := uint32(len(all.parts))
		for _, w := range page.weights {
			all.addWeight(w.term, first+uint32(w.section), w.weight)
		}
		all.sizes = append(all.sizes, page.size)
		all.parts = append(all.parts, page.parts...)
		all.lengths = append(all.lengths, page.lengths...)
		all.firsts = append(all.firsts, uint32(len(all.parts)))
	}
	return all
}

// addWeight adds to what a term weighs in a section, which is the last that the
// term was met in, or comes after it.
func (x *streamedSections) addWeight(term int, ordinal, weight uint32) {
	postings := x.postings[term]
	if n := len(postings); n > 0 && postings[n-1].Ordinal == ordinal {
		postings[n-1].Count += weight
		return
	}
	x.postings[term] = append(postings, index.Posting{Ordinal: ordinal, Count: weight})
}

func (x *streamedSections) columns() (firsts, lengths []uint32, err error) {
	return x.firsts, x.lengths, nil
}

func (x *streamedSections) eachTerm(_ context.Context, visit func(i int, postings []index.Posting)) error {
	for i, postings := range x.postings {
		visit(i, postings)
	}
	return nil
}

func (x *streamedSections) section(ordinal uint32) (index.Section, error) {
	p := x.parts[ordinal]
	return index.Section{Start: int(p.start), End: int(p.end), Digest: p.digest}, nil
}

// sketch reads the page once more: few are asked for, and the sketches of all
// would take much memory.
func (x *streamedSections) sketch(ordinal uint32) ([]byte, error) {
	page := ranking.PageOf(x.firsts, ordinal)
	sketches, known := x.sketches[page]
	if !known {
		doc, err := x.reader.Read(x.entries[page])
		if err != nil {
			return nil, err
		}
		parts, err := cut(doc.Content)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			sketches = append(sketches, x.weigher.Weigh(doc.ID, doc.Content, p, func([]byte, uint32) {}).Sketch)
		}
		x.sketches[page] = sketches
	}
	return sketches[ordinal-x.firsts[page]], nil
}

// slug cuts the page once more: few pages are printed, and all their slugs would
// take much memory.
func (x *streamedSections) slug(ordinal uint32, content []byte) (string, error) {
	first := x.firsts[ranking.PageOf(x.firsts, ordinal)]
	parts, err := cut(content)
	if err != nil {
		return "", err
	}
	return parts[ordinal-first].Slug, nil
}

func (x *streamedSections) entry(page uint32) (cache.Entry, int, error) {
	return x.entries[page], x.sizes[page], nil
}
