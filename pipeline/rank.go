package pipeline

import (
	"cmp"
	"context"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/parallel"
	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/selection"
)

// A Ranker ranks the documents of one cache for many queries. With an index it
// reads no document for it; without, it reads and checks all of them for every
// query. The rankings are the same.
type Ranker struct {
	cache   *cache.Cache
	request Request       // but for the query and the budget
	ids     []document.ID // by position
	ones    []uint32      // sizes, as if every document had one token
}

// NewRanker returns a Ranker on c, which must stay open as long and was opened
// for the request. It ranks for requests like that, whatever the query and the
// budget.
//
// It fails with [fault.CacheInvalid] if the index is damaged, and with
// [fault.IO] if the system refuses to read it.
func NewRanker(c *cache.Cache, request Request) (*Ranker, error) {
	ids, err := idsOf(c)
	if err != nil {
		return nil, err
	}
	r := &Ranker{cache: c, request: request, ids: ids, ones: make([]uint32, len(ids))}
	for i := range r.ones {
		r.ones[i] = 1
	}
	return r, nil
}

// idsOf returns the IDs of all documents, which are sorted.
func idsOf(c *cache.Cache) ([]document.ID, error) {
	if c.Index == nil {
		ids := make([]document.ID, len(c.Manifest.Documents))
		for i, entry := range c.Manifest.Documents {
			ids[i] = entry.ID
		}
		return ids, nil
	}
	ids := make([]document.ID, c.Index.Documents())
	for i := range ids {
		entry, err := c.Index.Entry(i)
		if err != nil {
			return nil, err
		}
		ids[i] = entry.ID
	}
	return ids, nil
}

// Version returns the version of the cache.
func (r *Ranker) Version() document.Version {
	if r.cache.Index != nil {
		return r.cache.Index.Header().CacheVersion
	}
	return r.cache.Manifest.Version
}

// Documents returns the IDs of all documents, sorted. They are not to be
// changed.
func (r *Ranker) Documents() []document.ID { return r.ids }

// RankEach ranks the documents for every query and returns what use makes of the
// rankings, in the order of the queries; use is called in any order, with the
// position of the query. It is here because only so it is known what can be done
// at once: whole queries if there is an index, else the documents of one query.
//
// It fails as [Resolve] does without an output, and if use fails.
func RankEach[Out any](ctx context.Context, r *Ranker, queries []selection.Query, use func(position int, ranking Ranking) (Out, error)) ([]Out, error) {
	positions := make([]int, len(queries))
	for i := range positions {
		positions[i] = i
	}
	jobs := r.request.Jobs
	if r.cache.Index == nil {
		jobs = 1
	}
	return parallel.Each(ctx, jobs, positions, func(ctx context.Context, _, i int) (out Out, err error) {
		ranking, err := r.rank(ctx, queries[i])
		if err != nil {
			return out, err
		}
		return use(i, ranking)
	})
}

// A Ranking is the order in which the documents of a cache answer one query.
type Ranking interface {
	// Best returns the IDs of the best n documents, or of all that have a place
	// in the order if there are fewer.
	Best(n int) []document.ID

	// Within returns the IDs of the documents that [Resolve] prints for the
	// query and that budget, or parts of them, in that order.
	Within(ctx context.Context, budget uint64) ([]document.ID, error)
}

func (r *Ranker) rank(ctx context.Context, query selection.Query) (Ranking, error) {
	if selectionFor(r.cache, r.request) == Selection1 {
		return r.rankSections(ctx, query)
	}
	return r.rankDocuments(ctx, query)
}

// A sectionRanking is by selection 1: by the best section of each document.
type sectionRanking struct {
	*Ranker
	all    collection
	scorer *ranking.Scorer
	firsts []uint32      // as columns returns them
	pages  []ranking.Hit // the best first
}

func (r *Ranker) rankSections(ctx context.Context, query selection.Query) (sectionRanking, error) {
	p := sectionRanking{Ranker: r}
	parsed := ranking.ParseQuery(query)
	var err error
	if p.all, err = collect(ctx, r.cache, parsed, r.request.Jobs); err != nil {
		return p, err
	}
	if p.scorer, p.firsts, err = scoreSections(ctx, p.all, parsed); err != nil {
		return p, err
	}
	p.pages = ranking.ByPage(p.scorer.Hits(), p.firsts)
	slices.SortStableFunc(p.pages, func(a, b ranking.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return p, nil
}

func (p sectionRanking) Best(n int) (ids []document.ID) {
	for _, page := range p.pages[:min(n, len(p.pages))] {
		ids = append(ids, p.ids[page.Ordinal])
	}
	return ids
}

func (p sectionRanking) Within(ctx context.Context, budget uint64) ([]document.ID, error) {
	request := p.request
	request.Budget = budget
	packed, err := packScored(ctx, p.all, p.scorer, p.firsts, request)
	if err != nil {
		return nil, err
	}
	var ids []document.ID
	for _, c := range packed.Chosen() {
		ids = append(ids, p.ids[c.Page])
	}
	return ids, nil
}

// A documentRanking is by selection 0: by score, the higher first, then by ID.
type documentRanking struct {
	ranker    *Ranker
	documents selection.Documents
	hits      []selection.Hit
}

func (r *Ranker) rankDocuments(ctx context.Context, query selection.Query) (documentRanking, error) {
	if index := r.cache.Index; index != nil {
		documents, err := documentsOf(index)
		if err != nil {
			return documentRanking{}, err
		}
		hits, err := soundHitsOf(ctx, index, query, documents.Words)
		return documentRanking{r, documents, hits}, err
	}
	candidates, err := score(ctx, r.cache, query, newReaders(r.cache, resolveJobs(r.request.Jobs)))
	found := documentRanking{ranker: r}
	for position, candidate := range candidates {
		found.add(uint32(position), candidate)
	}
	return found, err
}

// add takes the document at a position, which follows the one before.
func (r *documentRanking) add(position uint32, c selection.Candidate) {
	const bytesPerToken = 4 // any size of as many tokens will do
	r.documents.Words = append(r.documents.Words, uint32(c.Match.TotalWords))
	r.documents.Sizes = append(r.documents.Sizes, uint32(bytesPerToken*c.Tokens))
	if c.Match.TermMatches > 0 {
		r.hits = append(r.hits, selection.Hit{Position: position, Matches: uint32(c.Match.TermMatches)})
	}
}

// Best takes what a budget of n is for if every document has one token.
func (r documentRanking) Best(n int) []document.ID {
	return r.choose(selection.Documents{Words: r.documents.Words, Sizes: r.ranker.ones}, uint64(n))
}

func (r documentRanking) Within(_ context.Context, budget uint64) ([]document.ID, error) {
	return r.choose(r.documents, budget), nil
}

func (r documentRanking) choose(documents selection.Documents, budget uint64) []document.ID {
	selected, _ := selection.SelectHits(documents, r.hits, budget)
	ids := make([]document.ID, len(selected.Chosen))
	for i, position := range selected.Chosen {
		ids[i] = r.ranker.ids[position]
	}
	return ids
}
