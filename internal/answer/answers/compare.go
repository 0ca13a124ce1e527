package answers

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/selection"
)

// A PageRef names a page in a version of a cache. It is zero if the version lacks the page.
type PageRef struct {
	Number  int // for [Cache.ReadAt]
	ID      document.ID
	Version document.Version
}

// A PagePair is a page that differs between two versions of a cache: it was added or removed, or
// its ID or version changed.
type PagePair struct{ Old, New PageRef }

// IsAdded reports whether only the new version contains the page.
func (p PagePair) IsAdded() bool { return p.Old.ID == "" }

// IsRemoved reports whether only the old version contains the page.
func (p PagePair) IsRemoved() bool { return p.New.ID == "" }

// IsRenamed reports whether the page has another ID.
func (p PagePair) IsRenamed() bool { return !p.IsAdded() && !p.IsRemoved() && p.Old.ID != p.New.ID }

// ID returns the ID of the page, which is the new one unless the page was removed.
func (p PagePair) ID() document.ID { return cmp.Or(p.New.ID, p.Old.ID) }

// Compare returns the pages that differ between two caches, sorted by ID, and the number of pages
// that are equal. It walks through both lists of pages side by side and reads no documents. If a
// removed page and an added page have the same version, they become a single renamed page.
func Compare(ctx context.Context, old, new *Cache) (pairs []PagePair, equal int, err error) {
	before, err1 := old.allEntries()
	after, err2 := new.allEntries()
	if err := cmp.Or(err1, err2, context.Cause(ctx)); err != nil {
		return nil, 0, err
	}
	for i, j := 0, 0; i < len(before) || j < len(after); {
		var pair PagePair
		isOld := j == len(after) || i < len(before) && before[i].ID <= after[j].ID
		isNew := i == len(before) || j < len(after) && after[j].ID <= before[i].ID
		if isOld {
			pair.Old = PageRef{i, before[i].ID, before[i].Version}
			i++
		}
		if isNew {
			pair.New = PageRef{j, after[j].ID, after[j].Version}
			j++
		}
		if pair.Old.Version == pair.New.Version {
			equal++
		} else {
			pairs = append(pairs, pair)
		}
	}
	return joinRenamed(pairs), equal, nil
}

// joinRenamed joins the removed and added pages with the same version. If there are several, those
// with the same file name come first, and then the order of the IDs decides.
func joinRenamed(pairs []PagePair) []PagePair {
	type key struct {
		version document.Version
		name    document.ID
	}
	isJoined := make([]bool, len(pairs))
	for _, keyOf := range []func(PageRef) key{
		func(p PageRef) key { return key{p.Version, p.ID[strings.LastIndexByte(string(p.ID), '/')+1:]} },
		func(p PageRef) key { return key{p.Version, ""} },
	} {
		removed := map[key][]int{}
		for i, p := range pairs {
			if p.IsRemoved() && !isJoined[i] {
				removed[keyOf(p.Old)] = append(removed[keyOf(p.Old)], i)
			}
		}
		for j, p := range pairs {
			if waiting := removed[keyOf(p.New)]; p.IsAdded() && len(waiting) > 0 {
				pairs[j].Old = pairs[waiting[0]].Old
				isJoined[waiting[0]] = true
				removed[keyOf(p.New)] = waiting[1:]
			}
		}
	}
	var joined []PagePair
	for i, p := range pairs {
		if !isJoined[i] {
			joined = append(joined, p)
		}
	}
	return joined
}

// FilterPairs returns the pairs of two members with a page that the paths of a filter allow.
func FilterPairs(ctx context.Context, old, new Member, pairs []PagePair, filter selection.Filter) ([]PagePair, error) {
	filters, err := Narrow(ctx, []Member{old, new}, filter)
	if err != nil || len(filter.Paths) == 0 {
		return pairs, err
	}
	isOld, isNew := pageFilter(filters[0]).paths(), pageFilter(filters[1]).paths()
	return slices.DeleteFunc(pairs, func(p PagePair) bool {
		return !(p.Old.ID != "" && isOld(string(p.Old.ID)) || p.New.ID != "" && isNew(string(p.New.ID)))
	}), nil
}

// A PartScore is the score of a section for a query, with the bytes of its page.
type PartScore struct {
	document.Range
	Score uint32 // share of the highest score that the query allows, in units of 1/[selection.One]
}

// PartScores returns the scores of the sections of wanted pages that contain terms of the query, by
// the name of their cache and the number of their page. Unlike [Ranking.Hits], it includes
// duplicates, since versions of a page are usually near-duplicates.
func (r *Ranking) PartScores(ctx context.Context, isWanted func(member string, page int) bool) (map[string]map[int][]PartScore, error) {
	found := map[string]map[int][]PartScore{}
	for _, of := range r.hits.All() {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		at, err := r.from.place(of.Ordinal)
		if err != nil {
			return nil, err
		}
		if m, n := r.from.home(at.page); !isWanted(m.of.Name, n) {
			continue
		}
		hit, err := r.hit(of)
		if err != nil {
			return nil, err
		}
		if found[hit.Member] == nil {
			found[hit.Member] = map[int][]PartScore{}
		}
		score := PartScore{document.Range{Start: hit.Span.Start, End: hit.Span.End}, hit.Score}
		found[hit.Member][hit.Page] = append(found[hit.Member][hit.Page], score)
	}
	return found, nil
}
