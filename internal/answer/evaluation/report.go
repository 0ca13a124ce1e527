package evaluation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/wire"
)

// Depth is how many pages the measures look at.
const Depth = 100

// A CacheAnswer contains the items that a cache returns for a query. An item is a
// document, or a section with the ID of its document followed by "#" and more.
// Since measures are about pages, a section counts as its page.
type CacheAnswer struct {
	Best    []document.ID     // items of the best Depth pages, best first
	Bundles [][]document.Span // the selected parts, for each budget
}

// Measures returns the names of the measures in the order of reports. The measures
// of sections come last, because reports contain them only if judgments name
// sections.
func Measures(budgets []uint64) []string {
	names := []string{"ndcg@10", "recall@10", "recall@100", "mrr@10"}
	for _, measure := range []string{"budgeted_recall", "half_sections", "whole_sections"} {
		for _, budget := range budgets {
			names = append(names, fmt.Sprintf("%s@%d", measure, budget))
		}
	}
	return names
}

// recallAt10 is the index of recall@10 in Measures.
const recallAt10 = 1

// Score returns the value of each of the [Measures] for the answer to the query at
// a position.
func (t *Task) Score(position int, answer CacheAnswer) []float64 {
	g := t.grades[position]
	pages := t.pages.unique(answer.Best)
	scores := []float64{g.ndcg(pages), g.recall(pages, 10), g.recall(pages, Depth), g.reciprocalRank(pages, 10)}
	for _, bundle := range answer.Bundles {
		scores = append(scores, g.found(t.pages.in(bundle)))
	}
	if !t.hasSections {
		return scores
	}
	for _, hundredths := range []int{50, 95} {
		for _, bundle := range answer.Bundles {
			scores = append(scores, g.covered(bundle, hundredths))
		}
	}
	return scores
}

// A TaskReport contains the measures of a cache.
type TaskReport struct {
	Cache document.Version
	Counts
	Measures []Measure
	Baseline *Baseline      // nil if nothing is compared
	Outcomes []QueryOutcome // of each query
	WithEach bool           // Encode writes the outcomes

	worst map[string][]string // IDs of queries, by measure
}

// A Measure is the mean of one measure over all queries with a relevant document.
type Measure struct {
	Name  string
	Value Fraction
}

// mostWorst bounds how many queries an error names for a measure.
const mostWorst = 3

// Report returns the means of scores, which must contain the scores of all
// Queries in their order.
func (t *Task) Report(scores [][]float64) TaskReport {
	r := TaskReport{Counts: t.counts, worst: map[string][]string{}}
	for i, name := range t.measures() {
		sum := 0.0
		for _, score := range scores {
			sum += score[i]
		}
		r.Measures = append(r.Measures, Measure{name, valueOf(sum / float64(len(scores)))})
		r.worst[name] = t.worst(scores, i)
	}
	return r
}

// measures returns the names of the task's measures.
func (t *Task) measures() []string {
	names := Measures(t.budgets)
	if !t.hasSections {
		names = names[:len(names)-2*len(t.budgets)]
	}
	return names
}

// worst returns the IDs of the queries with the lowest scores below 1 for a
// measure, the lowest first.
func (t *Task) worst(scores [][]float64, measure int) (ids []string) {
	var below []int
	for query, score := range scores {
		if score[measure] < 1 {
			below = append(below, query)
		}
	}
	slices.SortStableFunc(below, func(a, b int) int { return cmp.Compare(scores[a][measure], scores[b][measure]) })
	for _, query := range below[:min(len(below), mostWorst)] {
		ids = append(ids, t.ids[query])
	}
	return ids
}

// Difference returns how much a measure is higher than in the baseline, if that
// contains it.
func (r TaskReport) Difference(m Measure) (higher Fraction, known bool) {
	before, known := r.Baseline.value(m.Name)
	return m.Value - before, known
}

// Encode returns the report as JSON (docs/contract.md): indented by two spaces if
// pretty is set, otherwise on one line.
func (r TaskReport) Encode(pretty bool) []byte {
	encoded := encodedReport{
		CacheVersion: r.Cache, Queries: r.Queries, QueriesWithoutRelevant: r.WithoutRelevant,
		DocumentsMissing: r.MissingDocuments, Measures: r.Measures,
	}
	encoded.Weak, encoded.NotWeak = r.Weaknesses()
	if r.Baseline != nil {
		encoded.Baseline, encoded.Differences = (*measures)(&r.Baseline.Measures), new(r.differences())
		encoded.Changes, _ = r.Changes()
	}
	if r.WithEach {
		encoded.Each = r.Outcomes
	}
	if pretty {
		return append(wire.MarshalIndent(encoded), '\n')
	}
	return append(wire.Marshal(encoded), '\n')
}

// An encodedReport is the JSON of a TaskReport.
type encodedReport struct {
	CacheVersion           document.Version `json:"cache_version"`
	Queries                int              `json:"queries"`
	QueriesWithoutRelevant int              `json:"queries_without_relevant"`
	DocumentsMissing       int              `json:"documents_missing"`
	Measures               measures         `json:"measures"`
	Weak                   *Confusion       `json:"weak,omitzero"`
	NotWeak                *Confusion       `json:"not_weak,omitzero"`
	Baseline               *measures        `json:"baseline,omitzero"`
	Differences            *measures        `json:"differences,omitzero"`
	Changes                []Change         `json:"changes,omitzero"`
	Each                   []QueryOutcome   `json:"each,omitzero"`
}

// measures are encoded as an object of values by name.
type measures []Measure

func (r TaskReport) differences() (differences measures) {
	for _, m := range r.Measures {
		if higher, known := r.Difference(m); known {
			differences = append(differences, Measure{m.Name, higher})
		}
	}
	return differences
}

func (measures measures) Encode(e *wire.Encoder) {
	e.BeginObject()
	for _, m := range measures {
		e.Key(m.Name)
		e.Literal(m.Value.String())
	}
	e.EndObject()
}
