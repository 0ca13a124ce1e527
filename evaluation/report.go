package evaluation

import (
	"fmt"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/wire"
)

// Depth is how many pages the measures look at, best first.
const Depth = 100

// An Answer is what the cache has to say to a query. An item is a document or a
// part of one, whose ID begins with the document's and "#"; whichever it is, the
// measures are about pages, which are documents.
type Answer struct {
	Best    []document.ID   // items of the best Depth pages, the best first
	Bundles [][]document.ID // items that are selected within each of the budgets
}

// Measures returns the names of the measures, in the order in which they are
// printed.
func Measures(budgets []uint64) []string {
	names := []string{"ndcg@10", "recall@10", "recall@100", "mrr@10"}
	for _, budget := range budgets {
		names = append(names, fmt.Sprintf("budgeted_recall@%d", budget))
	}
	return names
}

// Score returns what the answer to the query at a position is worth by each of
// the [Measures].
func (t *Task) Score(position int, answer Answer) []float64 {
	g := t.grades[position]
	pages := pagesOf(answer.Best)
	scores := []float64{g.ndcg(pages), g.recall(pages, 10), g.recall(pages, Depth), g.reciprocalRank(pages, 10)}
	for _, bundle := range answer.Bundles {
		scores = append(scores, g.found(pagesOf(bundle)))
	}
	return scores
}

// A Report is how well a cache answers queries.
type Report struct {
	Cache document.Version
	Counts
	Measures []Measure
	Baseline *Baseline // what the measures are compared with; nil for nothing
}

// A Measure is the mean of one measure over all queries that are measured.
type Measure struct {
	Name  string
	Value Value
}

// Report returns the means of scores, which are those of all the Queries in
// their order.
func (t *Task) Report(scores [][]float64) Report {
	r := Report{Counts: t.counts}
	for i, name := range Measures(t.budgets) {
		sum := 0.0
		for _, score := range scores {
			sum += score[i]
		}
		r.Measures = append(r.Measures, Measure{name, valueOf(sum / float64(len(scores)))})
	}
	return r
}

// Difference returns by how much a measure is higher than in the baseline, which
// may have no such measure.
func (r Report) Difference(m Measure) (higher Value, known bool) {
	before, known := r.Baseline.value(m.Name)
	return m.Value - before, known
}

// Encode returns the report as JSON (docs/contract.md): in lines indented by two
// spaces if pretty is set, else in one line.
func (r Report) Encode(pretty bool) []byte {
	e := new(wire.Encoder)
	if pretty {
		e = wire.Indented()
	}
	e.BeginObject()
	e.Key("cache_version")
	e.String(r.Cache.String())
	e.Key("queries")
	e.Int(int64(r.Queries))
	e.Key("queries_without_relevant")
	e.Int(int64(r.WithoutRelevant))
	e.Key("documents_missing")
	e.Int(int64(r.MissingDocuments))
	e.Key("measures")
	encodeMeasures(e, r.Measures)
	if r.Baseline != nil {
		e.Key("baseline")
		encodeMeasures(e, r.Baseline.Measures)
		e.Key("differences")
		encodeMeasures(e, r.differences())
	}
	e.EndObject()
	e.Newline()
	return e.Bytes()
}

func (r Report) differences() (differences []Measure) {
	for _, m := range r.Measures {
		if higher, known := r.Difference(m); known {
			differences = append(differences, Measure{m.Name, higher})
		}
	}
	return differences
}

func encodeMeasures(e *wire.Encoder, measures []Measure) {
	e.BeginObject()
	for _, m := range measures {
		e.Key(m.Name)
		e.Literal(m.Value.String())
	}
	e.EndObject()
}
