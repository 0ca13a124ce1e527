package pipeline

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/contextcompiler/context/cache"
	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/markdown"
	"github.com/contextcompiler/context/internal/parallel"
	"github.com/contextcompiler/context/passage"
	"github.com/contextcompiler/context/ranking"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/termindex"
)

// This file answers by selection 1: it ranks passages, by an index or by reading
// all documents.

// A collection is the passages of a cache and the postings of a query's terms in
// them.
type collection interface {
	// columns returns the first passage of each page and, behind these, how
	// many passages there are; and the length of each passage.
	columns() (firsts, lengths []uint32, err error)

	// eachTerm calls visit with the number of each term and its postings.
	eachTerm(ctx context.Context, visit func(i int, postings []termindex.Posting)) error

	// sketch returns the sketch of a passage, which is only good until the next
	// call.
	sketch(ordinal uint32) ([]byte, error)

	// passage returns a passage without its length and texts.
	passage(ordinal uint32) (termindex.Passage, error)

	// slug returns the slug of a passage of a page with that content.
	slug(ordinal uint32, content []byte) (string, error)

	// entry returns a page, and how many bytes its content has.
	entry(page uint32) (e cache.Entry, size int, err error)
}

// collect returns the collection of a cache for a query.
func collect(ctx context.Context, c *cache.Cache, query ranking.Query, jobs int) (collection, error) {
	if c.Passages != nil {
		return &indexedPassages{cache: c, query: query}, nil
	}
	return streamPassages(ctx, c, query, jobs)
}

// scorePassages returns what all passages score, and the first of each page.
func scorePassages(ctx context.Context, all collection, query ranking.Query) (scorer *ranking.Scorer, firsts []uint32, err error) {
	firsts, lengths, err := all.columns()
	if err != nil {
		return nil, nil, err
	}
	scorer = ranking.NewScorer(query, lengths)
	if err := all.eachTerm(ctx, scorer.Add); err != nil {
		return nil, nil, err
	}
	return scorer, firsts, scorer.AddPairs(all.sketch)
}

// A packing is what was chosen of a collection, and how.
type packing struct {
	ranking.Packing
	collection
	scorer     *ranking.Scorer
	hits       []ranking.Hit // of units
	firsts     []uint32
	unit       Unit
	considered int // units
}

// pack chooses units of a collection.
func pack(ctx context.Context, all collection, query ranking.Query, request Request) (packing, error) {
	scorer, firsts, err := scorePassages(ctx, all, query)
	if err != nil {
		return packing{}, err
	}
	p := packing{collection: all, scorer: scorer, firsts: firsts, unit: request.Unit, considered: int(firsts[len(firsts)-1])}
	p.hits = scorer.Hits()
	units := ranking.Units(passageUnits{all, firsts})
	if request.Unit == Documents {
		p.hits = ranking.ByPage(p.hits, firsts)
		units, p.considered = pageUnits{all}, len(firsts)-1
	}
	p.Packing, err = ranking.Pack(p.hits, request.Budget, units)
	return p, cmp.Or(err, context.Cause(ctx))
}

// passageUnits are passages as they are packed.
type passageUnits struct {
	collection
	firsts []uint32
}

func (u passageUnits) Unit(ordinal uint32) (ranking.Unit, error) {
	found, err := u.passage(ordinal)
	return ranking.Unit{Size: found.End - found.Start, Digest: found.Digest, Page: ranking.PageOf(u.firsts, ordinal)}, err
}

func (u passageUnits) Sketch(ordinal uint32) ([]byte, error) { return u.sketch(ordinal) }

// pageUnits are pages as they are packed. Only pages of the same content say the
// same.
type pageUnits struct{ collection }

func (u pageUnits) Unit(ordinal uint32) (ranking.Unit, error) {
	e, size, err := u.entry(ordinal)
	return ranking.Unit{Size: size, Digest: binary.LittleEndian.Uint64(e.Version[:]), Page: ordinal}, err
}

func (u pageUnits) Sketch(uint32) ([]byte, error) { return nil, nil }

// answerByRank selects passages, or pages by their best passage.
func answerByRank(ctx context.Context, c *cache.Cache, request Request) (answer, error) {
	query := ranking.ParseQuery(request.Query)
	all, err := collect(ctx, c, query, request.Jobs)
	if err != nil {
		return answer{}, err
	}
	packed, err := pack(ctx, all, query, request)
	if err != nil {
		return answer{}, err
	}
	a := answer{terms: query.Texts(), checked: c.Passages == nil}
	for _, candidate := range packed.Chosen() {
		entry, _, err := all.entry(candidate.Page)
		if err != nil {
			return answer{}, err
		}
		item := selection.Item{ID: entry.ID, Score: candidate.Score.String(), Tokens: candidate.Tokens}
		a.chosen = append(a.chosen, choice{entry, item, candidate.Ordinal, candidate.Size})
	}
	a.totals = selection.Totals{
		Budget: request.Budget, TokensUsed: packed.TokensUsed,
		Considered: packed.considered, Selected: len(a.chosen), Excluded: packed.Excluded,
	}
	a.finish = packed.finisher(c, ranking.NewMatcher(query))
	return a, nil
}

// finisher returns what finishes choices.
func (p *packing) finisher(c *cache.Cache, matcher *ranking.Matcher) func(choice, document.Document) (printed, error) {
	return func(chosen choice, doc document.Document) (done printed, err error) {
		done = printed{doc.Version, doc.Content, chosen.item}
		if p.unit != Documents {
			if done, err = p.part(c, chosen, doc); err != nil {
				return printed{}, err
			}
		}
		if selection.TokensOf(len(done.content)) != chosen.item.Tokens {
			return printed{}, c.Passages.Disproved("%s has %d bytes", chosen.entry.ID, len(doc.Content))
		}
		match := matcher.Match(done.content)
		done.item.TermMatches, done.item.TotalWords = match.TermMatches, match.TotalWords
		return done, nil
	}
}

// part returns the passage of a document that was chosen.
func (p *packing) part(c *cache.Cache, chosen choice, doc document.Document) (printed, error) {
	found, err := p.passage(chosen.ordinal)
	if err != nil {
		return printed{}, err
	}
	if found.End > len(doc.Content) || !utf8.Valid(doc.Content[found.Start:found.End]) {
		return printed{}, c.Passages.Disproved("%s has no passage from %d to %d", doc.ID, found.Start, found.End)
	}
	slug, err := p.slug(chosen.ordinal, doc.Content)
	if err != nil {
		return printed{}, err
	}
	content := doc.Content[found.Start:found.End]
	item := chosen.item
	item.ID = passage.ID(doc.ID, slug)
	return printed{document.VersionOf(content), content, item}, nil
}

// indexedPassages are the passages of a cache that has an index of them.
type indexedPassages struct {
	cache *cache.Cache
	query ranking.Query
	buf   []byte // memory for a sketch
}

func (x *indexedPassages) sketch(ordinal uint32) (sketch []byte, err error) {
	sketch, x.buf, err = x.cache.Passages.Sketch(int(ordinal), x.buf)
	return sketch, err
}

func (x *indexedPassages) columns() (firsts, lengths []uint32, err error) {
	firsts, lengths, err = x.cache.Passages.Columns()
	if err == nil && len(firsts) != x.cache.Index.Len()+1 {
		err = x.cache.Passages.Disproved("it is of %d documents", len(firsts)-1)
	}
	return firsts, lengths, err
}

// eachTerm looks terms up in their order, which is cheaper than in the query's.
func (x *indexedPassages) eachTerm(ctx context.Context, visit func(i int, postings []termindex.Posting)) error {
	order := make([]int, len(x.query.Terms))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x.query.Terms[a].Text, x.query.Terms[b].Text) })
	texts := make([]string, len(order))
	for i, n := range order {
		texts[i] = x.query.Terms[n].Text
	}
	return x.cache.Passages.EachTerm(texts, func(i int, postings []termindex.Posting) error {
		visit(order[i], postings)
		return context.Cause(ctx)
	})
}

func (x *indexedPassages) passage(ordinal uint32) (termindex.Passage, error) {
	return x.cache.Passages.Passage(int(ordinal))
}

func (x *indexedPassages) slug(ordinal uint32, _ []byte) (string, error) {
	return x.cache.Passages.Slug(int(ordinal))
}

func (x *indexedPassages) entry(page uint32) (cache.Entry, int, error) {
	_, sizes, err := x.cache.Index.Columns()
	if err != nil {
		return cache.Entry{}, 0, err
	}
	entry, err := x.cache.Index.Entry(int(page))
	return entry, int(sizes[page]), err
}

// streamedPassages are the passages of a cache whose documents were all read.
type streamedPassages struct {
	reader   *cache.Reader
	entries  []cache.Entry
	sizes    []int // of the contents
	firsts   []uint32
	lengths  []uint32
	parts    []streamedPart
	postings [][]termindex.Posting // by term of the query

	weigher  *passage.Weigher
	sketches map[uint32][][]byte // by page, of those that were read once more
}

// A streamedPart is what is kept of a passage.
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

// A termWeight says what a term of the query weighs in a passage.
type termWeight struct {
	passage int // of the page
	term    int
	weight  uint32
}

// streamPassages reads, checks and weighs every document of c.
func streamPassages(ctx context.Context, c *cache.Cache, query ranking.Query, jobs int) (*streamedPassages, error) {
	readers := newReaders(c, resolveJobs(jobs))
	numbers := make(map[string]int, len(query.Terms))
	for i, t := range query.Terms {
		numbers[t.Text] = i
	}
	weighers := make([]*passage.Weigher, len(readers.own))
	for i := range weighers {
		weighers[i] = passage.NewWeigher()
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

// cut cuts a page. A failure is a bug of the parser.
func cut(content []byte) (parts []passage.Passage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Recovered(p)
		}
	}()
	return passage.Cut(content, markdown.Parse(content).Blocks), nil
}

// weighPage cuts a document and weighs the terms of these numbers.
func weighPage(w *passage.Weigher, doc document.Document, numbers map[string]int) (page streamedPage, err error) {
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

// joinPages puts pages together, for so many terms.
func joinPages(entries []cache.Entry, pages []streamedPage, terms int) *streamedPassages {
	all := &streamedPassages{entries: entries, firsts: []uint32{0}, postings: make([][]termindex.Posting, terms)}
	for _, page := range pages {
		first := uint32(len(all.parts))
		for _, w := range page.weights {
			all.addWeight(w.term, first+uint32(w.passage), w.weight)
		}
		all.sizes = append(all.sizes, page.size)
		all.parts = append(all.parts, page.parts...)
		all.lengths = append(all.lengths, page.lengths...)
		all.firsts = append(all.firsts, uint32(len(all.parts)))
	}
	return all
}

// addWeight adds to what a term weighs in a passage, which is the last that the
// term was met in, or comes after it.
func (x *streamedPassages) addWeight(term int, ordinal, weight uint32) {
	postings := x.postings[term]
	if n := len(postings); n > 0 && postings[n-1].Ordinal == ordinal {
		postings[n-1].Count += weight
		return
	}
	x.postings[term] = append(postings, termindex.Posting{Ordinal: ordinal, Count: weight})
}

func (x *streamedPassages) columns() (firsts, lengths []uint32, err error) {
	return x.firsts, x.lengths, nil
}

func (x *streamedPassages) eachTerm(_ context.Context, visit func(i int, postings []termindex.Posting)) error {
	for i, postings := range x.postings {
		visit(i, postings)
	}
	return nil
}

func (x *streamedPassages) passage(ordinal uint32) (termindex.Passage, error) {
	p := x.parts[ordinal]
	return termindex.Passage{Start: int(p.start), End: int(p.end), Digest: p.digest}, nil
}

// sketch reads the page once more: few are asked for, and the sketches of all
// would take much memory.
func (x *streamedPassages) sketch(ordinal uint32) ([]byte, error) {
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
func (x *streamedPassages) slug(ordinal uint32, content []byte) (string, error) {
	first := x.firsts[ranking.PageOf(x.firsts, ordinal)]
	parts, err := cut(content)
	if err != nil {
		return "", err
	}
	return parts[ordinal-first].Slug, nil
}

func (x *streamedPassages) entry(page uint32) (cache.Entry, int, error) {
	return x.entries[page], x.sizes[page], nil
}
