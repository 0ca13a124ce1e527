package evaluation

import (
	"cmp"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/selection"
)

// A RightRank says where the best right answer to a query ranks, and why it isn't
// first.
type RightRank struct {
	Rank  int                     // from 1; 0 if no right answer can be chosen
	Right selection.ExplainedItem // its ID and score; zero if Rank is 0
	First selection.ExplainedItem // zero if the answer is empty
	Weak  *bool                   // whether the answer covers little of its query, or is empty; nil if the selection doesn't measure it
	Why   string
	Best  []document.ID // of the best pages, if the caller asked for them
}

// A QueryOutcome describes how well a cache answers a query.
type QueryOutcome struct {
	ID, Text string
	RightRank
	Measures MeasureList // nil if the query has no right answer

	isFound bool // a right page is among the first ten
}

// Encode writes the outcome as an object.
func (o QueryOutcome) Encode(e *wire.Encoder) {
	e.Value(struct {
		ID         string      `json:"id"`
		Text       string      `json:"text"`
		Rank       int         `json:"rank"`
		Right      document.ID `json:"right,omitzero"`
		RightScore string      `json:"right_score,omitzero" wire:"literal"`
		First      document.ID `json:"first,omitzero"`
		FirstScore string      `json:"first_score,omitzero" wire:"literal"`
		Weak       *bool       `json:"weak,omitzero"`
		Why        string      `json:"why,omitzero"`
		Measures   MeasureList `json:"measures,omitzero"`
	}{o.ID, o.Text, o.Rank, o.Right.ID, o.Right.Score, o.First.ID, o.First.Score, o.Weak, o.Why, o.Measures})
}

// Lowest returns the positions of the n worst Outcomes by a measure, the worst first. count is
// the number of all outcomes that are less than perfect.
func (r TaskReport) Lowest(measure string, n int) (positions []int, count int) {
	for i, o := range r.Outcomes {
		if value, isKnown := o.Measures.Of(measure); isKnown && value < one {
			positions = append(positions, i)
		}
	}
	slices.SortStableFunc(positions, func(a, b int) int {
		x, _ := r.Outcomes[a].Measures.Of(measure)
		y, _ := r.Outcomes[b].Measures.Of(measure)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(uint(r.Outcomes[b].Rank-1), uint(r.Outcomes[a].Rank-1)))
	})
	return positions[:min(n, len(positions))], len(positions)
}

// Right returns the spans of the right answers to the query at a position, as far
// as the corpus contains them: pages, or sections if any judgment names a section.
func (t *Task) Right(position int) (right []document.Span) {
	if position >= t.Answerable {
		return nil
	}
	g := t.grades[position]
	if t.hasSections {
		return g.sections
	}
	for _, id := range g.judged {
		if g.isRelevant(id) {
			right = append(right, document.Span{ID: id})
		}
	}
	return right
}

// HasSections reports whether a judgment names a section.
func (t *Task) HasSections() bool { return t.hasSections }

// outcomes returns the outcomes of all Queries.
func (t *Task) outcomes(scores [][]float64, standings []RightRank) []QueryOutcome {
	outcomes := make([]QueryOutcome, len(standings))
	for i, standing := range standings {
		o := QueryOutcome{ID: t.Queries[i].ID, Text: t.Queries[i].Query.Text(), RightRank: standing}
		if i < t.Answerable {
			o.isFound = scores[i][recallAt10] > 0
			for m, name := range t.measures() {
				o.Measures = append(o.Measures, Measure{name, valueOf(scores[i][m])})
			}
		}
		outcomes[i] = o
	}
	return outcomes
}

// A Confusion counts queries by whether a right page was found.
type Confusion struct {
	Found        int `json:"found"`        // a right page is among the first ten
	Missed       int `json:"missed"`       // it is not
	Unanswerable int `json:"unanswerable"` // all judged pages are wrong
}

// Weaknesses counts the queries whose answers are weak, and those whose answers are
// not. Both are nil if this is unknown.
func (r TaskReport) Weaknesses() (weak, notWeak *Confusion) {
	for _, o := range r.Outcomes {
		if o.Weak == nil {
			continue
		}
		if weak == nil {
			weak, notWeak = new(Confusion), new(Confusion)
		}
		of := notWeak
		if *o.Weak {
			of = weak
		}
		switch {
		case len(o.Measures) == 0:
			of.Unanswerable++
		case o.isFound:
			of.Found++
		default:
			of.Missed++
		}
	}
	return weak, notWeak
}

// A Change is the difference between two outcomes of a query, by the first measure
// that differs.
type Change struct {
	QueryOutcome          // now
	RankBefore   int      // 0 if there was no rank
	Measure      string   // the measure that differs
	Higher       Fraction // than before
}

// Changes returns the queries whose measures differ between the report and its
// baseline, starting with the largest loss. compared counts the queries that both
// contain, with the same ID and text.
func (r TaskReport) Changes() (changes []Change, compared int) {
	if r.Baseline == nil {
		return nil, 0
	}
	before := map[string]QueryOutcome{}
	for _, o := range r.Baseline.Outcomes {
		before[o.ID] = o
	}
	for _, o := range r.Outcomes {
		old, isKnown := before[o.ID]
		if !isKnown || old.Text != o.Text || len(o.Measures) == 0 {
			continue
		}
		compared++
		for _, m := range o.Measures {
			if value, isKnown := old.Measures.Of(m.Name); isKnown && value != m.Value {
				changes = append(changes, Change{o, old.Rank, m.Name, m.Value - value})
				break
			}
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Higher, b.Higher) })
	return changes, compared
}

// Encode writes the change as an object.
func (c Change) Encode(e *wire.Encoder) {
	e.Value(struct {
		ID         string `json:"id"`
		Measure    string `json:"measure"`
		Difference string `json:"difference" wire:"literal"`
		RankBefore int    `json:"rank_before"`
		Rank       int    `json:"rank"`
	}{c.ID, c.Measure, c.Higher.String(), c.RankBefore, c.Rank})
}

// parseOutcome reads the members of an outcome that are compared.
func parseOutcome(d *wire.Decoder) (o QueryOutcome, err error) {
	err = d.Object(func(key string) (err error) {
		switch key {
		case "id":
			o.ID, err = stringOf(d, key)
		case "text":
			o.Text, err = stringOf(d, key)
		case "rank":
			var rank int64
			rank, err = d.Int()
			o.Rank = int(rank)
		case "measures":
			o.Measures, err = parseMeasures(d)
		default:
			err = d.Skip()
		}
		return err
	})
	return o, err
}
