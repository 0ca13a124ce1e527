package answers

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/selection"
)

// A Member is a cache of a [Set].
type Member struct {
	Name string // before its IDs, as in "docs:page.md"; "" means IDs without a name
	*Cache
}

// A Set answers for several caches as if their pages were in a single cache. Only IDs differ:
// answers contain them with the names of the members. Filters match them with and without.
// If two members contain the same ID, the member with the lower name comes first. The caches
// must stay open while the Set is in use. The zero Set contains no pages. It is safe for
// concurrent use.
type Set struct {
	members    []Member // sorted by name
	built      selection.Spec
	numberings numberings
}

// NewSet returns a Set of members, in any order. If they were built for different selections,
// the Set answers by the highest. NewSet fails without members, if two of them share a name,
// or if a name contains a colon.
func NewSet(members []Member) (*Set, error) {
	s := &Set{members: slices.Clone(members)}
	slices.SortFunc(s.members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	for i, m := range s.members {
		if i > 0 && m.Name == s.members[i-1].Name {
			return nil, fmt.Errorf("duplicate cache name %q", m.Name)
		}
		if strings.Contains(m.Name, ":") {
			return nil, fmt.Errorf("the cache name %q must not contain a colon", m.Name)
		}
		s.built = max(s.built, m.built)
	}
	if len(members) == 0 {
		return nil, errors.New("a set needs at least one cache")
	}
	return s, nil
}

// Members returns the members, sorted by name.
func (s *Set) Members() []Member { return s.members }

// Contains reports whether a member contains a page with this ID.
func (s *Set) Contains(id document.ID) bool {
	return slices.ContainsFunc(s.members, func(m Member) bool { return m.Contains(id) })
}

func (c *Cache) alone() *Set { return &Set{members: []Member{{"", c}}, built: c.built} }

// Resolve is the same as [Set.Resolve] for a single cache without a name.
func (c *Cache) Resolve(ctx context.Context, request selection.Request, out io.Writer) error {
	return c.alone().Resolve(ctx, request, out)
}

// Explain is the same as [Set.Explain] for a single cache without a name.
func (c *Cache) Explain(ctx context.Context, request selection.Request, others int) (selection.Explanation, error) {
	return c.alone().Explain(ctx, request, others)
}

// scored are the scores of pages (see [pageScores]) or of sections (see [Ranking]) for a query.
type scored interface {
	// choose fills a budget, and result returns what a result says about a chosen item.
	choose(ctx context.Context, budget uint64) ([]Hit, selection.Totals, error)
	result(Hit) (resultDocument, error)

	terms() []string // of the query

	// ranked returns all ranked sections or pages, or only pages, by descending score and then by
	// ordinal. Their scores can only be compared; scoreText returns a score as
	// results contain it. hit returns an item as a Hit.
	ranked(byPage bool) ([]ranking.UnitHit, error)
	scoreText(ranking.UnitHit) string
	hit(ranking.UnitHit) (Hit, error)

	// verdicts returns all items in the order in which a budget tries them, with verdicts, and an
	// explanation without items. evidence returns the parts of an item's score.
	verdicts(ctx context.Context, budget uint64) ([]ranking.Candidate, selection.Explanation, error)
	evidence(Hit) ([]selection.Evidence, error)
}

func (s *Set) score(ctx context.Context, request selection.Request) (scored, error) {
	by, unit, err := s.methodOf(request)
	if err != nil {
		return nil, err
	}
	if by == selection.Spec0 {
		return s.scorePages(ctx, request)
	}
	return s.rank(ctx, request, unit)
}

// Resolve writes the answer to a request to out, piece by piece. Unless the output is
// discardable, it compares all selected documents with the manifest before it writes. It
// stops at the first error of out.
//
// With an index for the selection, Resolve reads only the selected documents. Otherwise it
// reads and checks every document, makes an index in memory, and returns the same answer.
//
// It fails with [fault.CacheInvalid] if a document contradicts the manifest, with
// [fault.IO] if the system refuses or out fails, and with [fault.InvalidQuery] if the request
// is invalid or asks for sections by selection 0 ([selection.ErrUnit]).
func (s *Set) Resolve(ctx context.Context, request selection.Request, out io.Writer) error {
	all, err := s.score(ctx, request)
	if err != nil {
		return err
	}
	chosen, totals, err := all.choose(ctx, request.Budget)
	if err := cmp.Or(err, context.Cause(ctx)); err != nil {
		return err
	}
	var held []resultDocument
	if !request.Discardable {
		if held, err = hold(ctx, all, chosen); err != nil {
			return err
		}
	}
	return writeResult(out, request, all.terms(), totals, len(chosen), func(i int) (resultDocument, error) {
		if err := context.Cause(ctx); err != nil {
			return resultDocument{}, err
		}
		if i < len(held) {
			return held[i], nil
		}
		return all.result(chosen[i])
	})
}

// maxHeld is how many bytes of documents hold keeps, which is enough for usual budgets.
const maxHeld = 8 << 20

// hold reads and checks the chosen items before any of them is printed, and returns the first ones.
// The others are read and checked again.
func hold(ctx context.Context, from scored, chosen []Hit) (held []resultDocument, err error) {
	room := maxHeld
	for _, hit := range chosen {
		next, err := from.result(hit)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return nil, err
		}
		if room -= len(next.Content); room >= 0 {
			next.Content = bytes.Clone(next.Content)
			held = append(held, next)
		}
	}
	return held, nil
}

// methodOf returns the selection and the unit of a request, including defaults.
func (s *Set) methodOf(request selection.Request) (by selection.Spec, unit selection.Unit, err error) {
	if err := request.Check(); err != nil {
		return by, unit, err
	}
	by, unit = cmp.Or(request.Selection, s.built), request.Unit
	if by == selection.Spec0 && unit == selection.Sections {
		return by, unit, fault.Errorf(fault.InvalidQuery, "%w", selection.ErrUnit)
	}
	if unit == selection.AnyUnit && by == selection.Spec0 {
		unit = selection.Documents
	} else if unit == selection.AnyUnit {
		unit = selection.Sections
	}
	return by, unit, nil
}

// IsName reports whether a cache can have a name: it may contain letters, digits, "-", "_" and
// ".", but it must not begin with a dot. The name of a cache below a root consists of several
// such names, separated by slashes.
func IsName(name string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	return name != "" && name[0] != '.' && strings.Trim(name, plain) == ""
}
