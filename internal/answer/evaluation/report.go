package evaluation

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/wire"
)

// Depth is how many pages the measures look at.
const Depth = 100

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
// a position: its best [Depth] pages, the best first, and the selected parts for each
// budget.
func (t *Task) Score(position int, best []document.ID, bundles [][]document.Span) []float64 {
	g := t.grades[position]
	scores := []float64{g.ndcg(best), g.recall(best, 10), g.recall(best, Depth), g.reciprocalRank(best, 10)}
	for _, bundle := range bundles {
		scores = append(scores, g.found(bundle))
	}
	if !t.hasSections {
		return scores
	}
	for _, hundredths := range []int{50, 95} {
		for _, bundle := range bundles {
			scores = append(scores, g.covered(bundle, hundredths))
		}
	}
	return scores
}

// A TaskReport contains the measures of a cache.
type TaskReport struct {
	Cache document.Version
	Counts
	Measures MeasureList
	Baseline *Baseline      // nil if nothing is compared
	Outcomes []QueryOutcome // of each query
	WithEach bool           // Encode writes the outcomes
}

// mostWorst bounds how many queries an error names for a measure.
const mostWorst = 3

// Report returns the means of scores, which must contain the scores of all answerable Queries
// in their order. standings contains all Queries.
func (t *Task) Report(scores [][]float64, standings []RightRank) TaskReport {
	r := TaskReport{Counts: t.counts, Outcomes: t.outcomes(scores, standings)}
	for i, name := range t.measures() {
		sum := 0.0
		for _, score := range scores {
			sum += score[i]
		}
		r.Measures = append(r.Measures, Measure{name, valueOf(sum / float64(len(scores)))})
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

// A MeasureRow is a measure of a report in a table. Its texts are "" without a lower bound
// or a baseline.
type MeasureRow struct {
	Name, Value, Least, Difference string
	IsLow                          bool
}

// Rows returns a row for each measure, with its lower bound.
func (r TaskReport) Rows(bounds []Gate) (rows []MeasureRow) {
	for _, m := range r.Measures {
		row := MeasureRow{Name: m.Name, Value: m.Value.String()}
		for _, gate := range bounds {
			if gate.Measure == m.Name {
				row.Least, row.IsLow = gate.Least.String(), m.Value < gate.Least
			}
		}
		if difference, isKnown := r.differences().Of(m.Name); isKnown {
			row.Difference = difference.Signed()
		}
		rows = append(rows, row)
	}
	return rows
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
		encoded.Baseline, encoded.Differences = r.Baseline.Measures, r.differences()
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
	Measures               MeasureList      `json:"measures"`
	Weak                   *Confusion       `json:"weak,omitzero"`
	NotWeak                *Confusion       `json:"not_weak,omitzero"`
	Baseline               MeasureList      `json:"baseline,omitzero"`
	Differences            MeasureList      `json:"differences,omitzero"`
	Changes                []Change         `json:"changes,omitzero"`
	Each                   []QueryOutcome   `json:"each,omitzero"`
}

// differences returns how much the measures that the baseline contains are higher. It is nil
// without a baseline.
func (r TaskReport) differences() (differences MeasureList) {
	if r.Baseline == nil {
		return nil
	}
	differences = MeasureList{}
	for _, m := range r.Measures {
		if before, isKnown := r.Baseline.Measures.Of(m.Name); isKnown {
			differences = append(differences, Measure{m.Name, m.Value - before})
		}
	}
	return differences
}

// A Baseline contains the measures of an earlier [TaskReport].
type Baseline struct {
	Cache    string // version of the measured cache; "" if the report doesn't say
	Queries  int    // in the file of queries
	Measures MeasureList
	Outcomes []QueryOutcome // only IDs, texts, ranks and measures; nil if the report contains none
}

// ParseBaseline reads the output of [TaskReport.Encode], in either layout. It
// ignores unknown members. Errors begin with name, the name of the file.
func ParseBaseline(name string, data []byte) (*Baseline, error) {
	b := &Baseline{Queries: -1}
	d := wire.NewDecoder(data)
	err := d.Object(func(key string) (err error) {
		var n int64
		switch key {
		case "cache_version":
			b.Cache, err = d.String()
		case "queries":
			n, err = d.Int()
			b.Queries = int(n)
		case "measures":
			b.Measures, err = parseMeasures(d)
		case "each":
			err = d.Array(func() error {
				o, err := parseOutcome(d)
				b.Outcomes = append(b.Outcomes, o)
				return err
			})
		default:
			err = d.Skip()
		}
		return err
	})
	if err == nil && (b.Queries < 0 || len(b.Measures) == 0) {
		err = errors.New("it contains no queries or no measures")
	}
	if err := cmp.Or(err, d.End()); err != nil {
		return nil, fmt.Errorf("%s: it is not an evaluation report in JSON: %w", name, err)
	}
	return b, nil
}

// Require returns an error that names each gate that the report doesn't reach, or nil.
func (b *Baseline) Require(gates []Gate) error {
	var failures []string
	for _, gate := range gates {
		if gate.isMissed(b.Measures) {
			failures = append(failures, gate.failure(b.Measures))
		}
	}
	return errorOf(failures)
}

// Warnings returns a sentence for each difference that makes the report hard to compare
// with its baseline.
func (r TaskReport) Warnings() (warnings []string) {
	b := r.Baseline
	if b == nil {
		return nil
	}
	if b.Queries != r.Queries {
		warnings = append(warnings, fmt.Sprintf("the baseline contains %d queries and this report %d: differences do not come from the documents alone", b.Queries, r.Queries))
	}
	for _, m := range r.Measures {
		if _, known := b.Measures.Of(m.Name); !known {
			warnings = append(warnings, fmt.Sprintf("the baseline does not contain %s, so it is not compared", m.Name))
		}
	}
	for _, m := range b.Measures {
		if _, known := r.Measures.Of(m.Name); !known {
			warnings = append(warnings, fmt.Sprintf("the baseline contains %q, which is not measured now, so it is not compared", m.Name))
		}
	}
	return warnings
}
