package evaluation

import (
	"slices"

	"github.com/contextcompiler/context/document"
)

// grades contains the judgments for one query. Its zero value contains no document.
type grades struct {
	judged   []document.ID // in the order of add
	of       map[document.ID]int
	best     []int           // grades above 0, the highest first; see finish
	sections []document.Span // judged sections with a grade above 0
}

// add takes a judgment of a page. If there are several, the highest grade counts.
func (g *grades) add(id document.ID, grade int) {
	if g.of == nil {
		g.of = map[document.ID]int{}
	}
	if _, again := g.of[id]; !again {
		g.judged = append(g.judged, id)
	}
	g.of[id] = max(g.of[id], grade)
}

// finish must be called after the last add.
func (g *grades) finish() {
	for _, grade := range g.of {
		if grade > 0 {
			g.best = append(g.best, grade)
		}
	}
	slices.SortFunc(g.best, func(a, b int) int { return b - a })
}

// covered returns the share of the relevant sections that have at least that many
// hundredths of their bytes in a bundle.
func (g grades) covered(bundle []document.Span, hundredths int) float64 {
	n := 0
	for _, s := range g.sections {
		if size := s.End - s.Start; size > 0 && 100*bytesOf(s, bundle) >= hundredths*size {
			n++
		}
	}
	return float64(n) / float64(len(g.sections))
}

// bytesOf returns how many bytes of a section are in a bundle. This is exact
// because the spans of a bundle do not overlap.
func bytesOf(section document.Span, bundle []document.Span) (n int) {
	for _, span := range bundle {
		if span.ID == section.ID {
			n += max(0, min(span.End, section.End)-max(span.Start, section.Start))
		}
	}
	return n
}

func (g grades) isEmpty() bool { return len(g.best) == 0 }

func (g grades) isRelevant(id document.ID) bool { return g.of[id] > 0 }

func (g grades) relevant(ids []document.ID) (n int) {
	for _, id := range ids {
		if g.isRelevant(id) {
			n++
		}
	}
	return n
}

// The measures below expect unique pages, the best first.

// ndcg returns the normalized discounted cumulative gain of the first gainDepth
// pages. The gain of a page is its grade.
func (g grades) ndcg(pages []document.ID) float64 {
	var gains []int
	for _, id := range pages {
		gains = append(gains, g.of[id])
	}
	return discounted(gains) / discounted(g.best)
}

// discounts[i] is the binary logarithm of i+2. Constants are the same on every
// platform, while the result of a function may not be.
var discounts = [...]float64{
	1, 1.584962500721156, 2, 2.321928094887362, 2.584962500721156,
	2.807354922057604, 3, 3.169925001442312, 3.321928094887362, 3.459431618637297,
}

// gainDepth is how many pages ndcg looks at.
const gainDepth = len(discounts)

func discounted(gains []int) (sum float64) {
	for i, gain := range gains[:min(gainDepth, len(gains))] {
		sum += float64(gain) / discounts[i]
	}
	return sum
}

// recall returns the share of the relevant documents that are among the first n
// pages.
func (g grades) recall(pages []document.ID, n int) float64 {
	return float64(g.relevant(pages[:min(n, len(pages))])) / float64(len(g.best))
}

// reciprocalRank returns 1/rank of the first relevant page, or 0 if it is not among
// the first n pages.
func (g grades) reciprocalRank(pages []document.ID, n int) float64 {
	rank := slices.IndexFunc(pages[:min(n, len(pages))], g.isRelevant) + 1
	if rank == 0 {
		return 0
	}
	return 1 / float64(rank)
}

// found returns 1 if any page of a bundle is relevant, and 0 otherwise.
func (g grades) found(bundle []document.Span) float64 {
	if slices.ContainsFunc(bundle, func(s document.Span) bool { return g.isRelevant(s.ID) }) {
		return 1
	}
	return 0
}
