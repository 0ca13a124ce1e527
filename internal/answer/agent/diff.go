package agent

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/pages/changes"
	"github.com/contextcompiler/context/selection"
)

// A DiffRequest asks what changed from one cache to another.
type DiffRequest struct {
	Query  string   // puts the changes that matter to it first; "" keeps the order of paths
	Paths  []string // only pages whose old or new ID matches, as in a [selection.Filter]
	Budget int      // maximum of tokens in the answer; 0 means DefaultTokens for Markdown, and no limit for JSON
	Jobs   int      // pages to compare at once, at most 8; 0 means the number of processors
}

// A DiffResult contains the changes from one cache to another. It reads the texts again when it
// prints them, because all of them together could need too much memory. So the caches must stay
// open.
type DiffResult struct {
	old, new answers.Member
	request  DiffRequest
	pages    []changedPage // in the order of the answer
	equal    int           // pages without a change
	isRanked bool          // whether a change contains a word of the query
	measured bool          // whether measure has run
	isCoarse bool          // whether joinMoved gave up because of too many pages
}

// A changedPage is a page that differs between two caches.
type changedPage struct {
	answers.PagePair
	share   int        // similarity of a renamed page, in percent; 0 if the text is the same
	parts   []partDiff // of a page in both caches; without their edits
	score   uint64     // of the best part
	added   int        // lines
	removed int        // lines
	blank   int        // lines of parts with isBlank, unless all parts are blank
}

// kind says what happened to a page.
func (p changedPage) kind() string {
	switch {
	case p.IsAdded():
		return "added"
	case p.IsRemoved():
		return "removed"
	case p.IsRenamed():
		return "renamed"
	}
	return "changed"
}

// A partDiff is a change of a part of a page.
type partDiff struct {
	changes.PartChange
	score          uint64
	added, removed int  // lines
	isBlank        bool // whether only blank lines changed
}

// at returns the new part, or the old part if it was removed.
func (p partDiff) at() changes.PagePart {
	if p.Kind == changes.PartRemoved {
		return p.Old
	}
	return p.New
}

const (
	// mostMoved bounds how many removed and how many added pages can be compared.
	mostMoved = 10_000
	// largePair is the size in bytes from which pages are compared one at a time.
	largePair = 1 << 20
)

// Diff compares two caches. It reads only the pages that differ. A removed page and an added page
// become a single renamed page if their texts are equal, or if they share at least half of their
// text, counted by whole lines.
func Diff(ctx context.Context, old, new answers.Member, request DiffRequest) (*DiffResult, error) {
	d := &DiffResult{old: old, new: new, request: request}
	d.request.Jobs = min(cmp.Or(request.Jobs, 8), 8)
	pairs, equal, err := answers.Compare(ctx, old.Cache, new.Cache)
	if err != nil {
		return nil, err
	}
	d.equal = equal
	shares := map[document.ID]int{}
	if pairs, err = d.joinMoved(ctx, pairs, shares); err != nil {
		return nil, err
	}
	if pairs, err = answers.FilterPairs(ctx, old, new, pairs, selection.Filter{Paths: request.Paths}); err != nil {
		return nil, err
	}
	for _, pair := range pairs {
		d.pages = append(d.pages, changedPage{PagePair: pair, share: shares[pair.New.ID]})
	}
	if strings.TrimSpace(request.Query) == "" {
		return d, nil
	}
	if err := d.measure(ctx); err != nil {
		return nil, err
	}
	slices.SortStableFunc(d.pages, func(a, b changedPage) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.ID(), b.ID()))
	})
	return d, nil
}

// IsEmpty reports whether the caches contain the same pages.
func (d *DiffResult) IsEmpty() bool { return len(d.pages) == 0 }

// joinMoved joins removed and added pages whose texts are similar, and sets how similar they are by
// the ID of the new page.
func (d *DiffResult) joinMoved(ctx context.Context, pairs []answers.PagePair, shares map[document.ID]int) ([]answers.PagePair, error) {
	var removed, added []int
	for i, p := range pairs {
		switch {
		case p.IsRemoved():
			removed = append(removed, i)
		case p.IsAdded():
			added = append(added, i)
		}
	}
	if len(removed) == 0 || len(added) == 0 {
		return pairs, nil
	}
	if max(len(removed), len(added)) > mostMoved {
		d.isCoarse = true
		return pairs, nil
	}
	readOld := func(i int) (document.Document, error) { return d.old.ReadAt(pairs[removed[i]].Old.Number) }
	readNew := func(i int) (document.Document, error) { return d.new.ReadAt(pairs[added[i]].New.Number) }
	sketches := func(n int, read func(i int) (document.Document, error)) ([]changes.LineSketch, error) {
		return parallel.Each(ctx, d.request.Jobs, n, func(_ context.Context, _, i int) (changes.LineSketch, error) {
			doc, err := read(i)
			return changes.SketchOf(doc.Content), err
		})
	}
	olds, err1 := sketches(len(removed), readOld)
	news, err2 := sketches(len(added), readNew)
	if err := cmp.Or(err1, err2); err != nil {
		return nil, err
	}
	candidates := changes.FindMoves(olds, news)
	moves, err := parallel.Each(ctx, d.request.Jobs, len(candidates), func(_ context.Context, _, i int) (changes.Move, error) {
		m := candidates[i]
		a, err1 := readOld(m.Old)
		b, err2 := readNew(m.New)
		m.Share = changes.Similarity(a.Content, b.Content)
		return m, cmp.Or(err1, err2)
	})
	if err != nil {
		return nil, err
	}
	moves = slices.DeleteFunc(moves, func(m changes.Move) bool { return m.Share < changes.SamePage })
	isJoined := map[document.ID]bool{} // removed pages
	for _, m := range changes.Best(moves) {
		pair := &pairs[added[m.New]]
		pair.Old = pairs[removed[m.Old]].Old
		isJoined[pair.Old.ID] = true
		shares[pair.New.ID] = m.Share
	}
	return slices.DeleteFunc(pairs, func(p answers.PagePair) bool { return p.IsRemoved() && isJoined[p.Old.ID] }), nil
}

// measure finds the changed parts of all pages, and scores them if there is a query. JSON without a
// query doesn't need it. It reads only pages whose text matters.
func (d *DiffResult) measure(ctx context.Context) error {
	if d.measured {
		return nil
	}
	d.measured = true
	ranked, scores, err := d.rank(ctx)
	if err != nil {
		return err
	}
	var scoring sync.Mutex
	d.pages, err = parallel.Each(ctx, d.request.Jobs, len(d.pages), func(ctx context.Context, _, i int) (changedPage, error) {
		p := d.pages[i]
		var old, new []answers.PartScore
		if !p.IsAdded() {
			old = scores["from"][p.Old.Number]
		}
		if !p.IsRemoved() {
			new = scores["to"][p.New.Number]
		}
		switch {
		case p.IsRemoved() || p.Old.Version == p.New.Version:
			p.score = max(bestScore(old, 0, maxOffset), bestScore(new, 0, maxOffset))
			return p, nil
		case p.IsAdded() && len(new) == 0:
			return p, nil
		}
		texts, err := d.textsOf(ctx, p)
		for _, part := range texts.parts {
			best := max(bestScore(old, part.Old.Start, part.Old.End), bestScore(new, part.New.Start, part.New.End))
			if best > 0 {
				// A section can match although the change is about something else. So the changed
				// lines count, too: they can double the score.
				scoring.Lock()
				part.score = best * (selection.One + ranked.Worth(texts.changedLines(part))) / selection.One
				scoring.Unlock()
			}
			p.score = max(p.score, part.score)
			p.added, p.removed = p.added+part.added, p.removed+part.removed
			if part.isBlank {
				p.blank += part.added + part.removed
			}
			part.Edits = nil
			p.parts = append(p.parts, part)
		}
		if p.blank == p.added+p.removed {
			p.blank = 0
		}
		return p, err
	})
	d.isRanked = slices.ContainsFunc(d.pages, func(p changedPage) bool { return p.score > 0 })
	return err
}

// maxOffset is after the end of every page.
const maxOffset = 1 << 30

// bestScore returns the best score of the sections that overlap a range of bytes.
func bestScore(scores []answers.PartScore, start, end int) (best uint64) {
	for _, s := range scores {
		if s.Start < end && start < s.End {
			best = max(best, uint64(s.Score))
		}
	}
	return best
}

// rank ranks the sections of both caches, and returns the scores by "from" or "to", and by the
// number of the page. Without a query, it returns nothing.
func (d *DiffResult) rank(ctx context.Context) (*answers.Ranking, map[string]map[int][]answers.PartScore, error) {
	if strings.TrimSpace(d.request.Query) == "" {
		return nil, nil, nil
	}
	query, err := selection.ParseQuery(d.request.Query)
	if err != nil {
		return nil, nil, err
	}
	set, err := answers.NewSet([]answers.Member{{Name: "from", Cache: d.old.Cache}, {Name: "to", Cache: d.new.Cache}})
	if err != nil {
		return nil, nil, err
	}
	ranked, err := set.Rank(ctx, selection.Request{Query: query, Jobs: d.request.Jobs})
	if err != nil {
		return nil, nil, err
	}
	wanted := map[string]map[int]bool{"from": {}, "to": {}}
	for _, p := range d.pages {
		if !p.IsAdded() {
			wanted["from"][p.Old.Number] = true
		}
		if !p.IsRemoved() {
			wanted["to"][p.New.Number] = true
		}
	}
	scores, err := ranked.PartScores(ctx, func(member string, page int) bool { return wanted[member][page] })
	return ranked, scores, err
}
