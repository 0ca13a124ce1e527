package evaluation_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/evaluation"
)

// task returns a Task of queries without text, with judgments as "1 a 2": query,
// document and grade.
func task(t rapid.TB, queries, judgments string, documents []document.ID, budgets ...uint64) *evaluation.Task {
	t.Helper()
	var asked []evaluation.Topic
	for _, id := range strings.Fields(queries) {
		asked = append(asked, evaluation.Topic{ID: id})
	}
	var judged []evaluation.Judgment
	for line := range strings.SplitSeq(judgments, ", ") {
		var j evaluation.Judgment
		if _, err := fmt.Sscan(line, &j.Query, &j.Document, &j.Grade); err != nil {
			t.Fatal(err)
		}
		judged = append(judged, j)
	}
	task, err := evaluation.NewTask("qrels", asked, judged, evaluation.Corpus{Documents: documents, Span: spanOf}, budgets)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// spanOf takes fragments as "10-20".
func spanOf(id document.ID, fragment string) (document.Span, error) {
	span := document.Span{ID: id, End: 100}
	if fragment != "" {
		if _, err := fmt.Sscanf(fragment, "%d-%d", &span.Start, &span.End); err != nil {
			return span, fmt.Errorf("%s has no part %q", id, fragment)
		}
	}
	return span, nil
}

// The measures of sections count the bytes that a bundle has of each.
func TestSectionsAreFoundByTheirBytes(t *testing.T) {
	task := task(t, "1 2", "1 a.md#0-40 1, 1 a.md#40-100 2, 1 a.md#1-2 0, 2 b 1, 2 gone.md#x 1", idsOf("a.md b.md"), 1)
	bundle := []document.Span{{ID: "a.md", Start: 0, End: 20}, {ID: "a.md", Start: 20, End: 50}, {ID: "b.md", Start: 5, End: 100}}
	for query, want := range [][]float64{{1, 0.5, 0.5}, {1, 0.5, 0.5}} {
		if got := task.Score(query, nil, [][]document.Span{bundle})[4:]; !slices.Equal(got, want) {
			t.Errorf("query %d: got %v, want %v", query, got, want)
		}
	}
	report := task.Report([][]float64{task.Score(0, nil, [][]document.Span{bundle}), task.Score(1, nil, [][]document.Span{nil})}, nil)
	if last := report.Measures[len(report.Measures)-1]; last.Name != "whole_sections@1" || last.Value.String() != "0.2500" {
		t.Errorf("got %+v", last)
	}
}

func idsOf(ids string) (list []document.ID) {
	for _, id := range strings.Fields(ids) {
		list = append(list, document.ID(id))
	}
	return list
}

// others returns n documents without a judgment.
func others(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " other%d.md", i)
	}
	return b.String() + " "
}

// The values are computed by hand. lg is the logarithm to the base 2.
func TestScoresAreThoseOfTrecEval(t *testing.T) {
	for _, test := range []struct {
		name, judgments, best string
		want                  []float64 // ndcg, recall at 10 and 100, reciprocal rank
	}{
		{"the only one is first", "1 a 1", "a.md b.md", []float64{1, 1, 1, 1}},
		{"the only one is third", "1 a 1", "b.md c.md a.md", []float64{0.5, 1, 1, 1.0 / 3}},      // 1/lg 4
		{"the order of grades matters", "1 a 2, 1 b 1", "b.md a.md", []float64{0.8597, 1, 1, 1}}, // (1 + 2/lg 3) / (2 + 1/lg 3)
		{"linear gain, not 2^g-1", "1 a 3, 1 b 1, 1 c 0", "c.md b.md x.md a.md", []float64{
			0.5296, 1, 1, 0.5, // (1/lg 3 + 3/lg 5) / (3 + 1/lg 3)
		}},
		{"one of two", "1 a 1, 1 b 1", "x.md a.md", []float64{0.3869, 0.5, 0.5, 0.5}}, // (1/lg 3) / (1 + 1/lg 3)
		{"none", "1 a 1", "b.md c.md", []float64{0, 0, 0, 0}},
		{"no answer", "1 a 1", "", []float64{0, 0, 0, 0}},
		{"the tenth counts", "1 a 1", others(9) + "a.md", []float64{0.2891, 1, 1, 0.1}}, // 1/lg 11
		{"the eleventh does not", "1 a 1", others(10) + "a.md", []float64{0, 0, 1, 0}},
		{"the hundredth counts", "1 a 1", others(99) + "a.md", []float64{0, 0, 1, 0}},
		{"the next does not", "1 a 1", others(100) + "a.md", []float64{0, 0, 0, 0}},
		{
			"eleven are relevant", "1 a 1, 1 b 1, 1 c 1, 1 d 1, 1 e 1, 1 f 1, 1 g 1, 1 h 1, 1 i 1, 1 j 1, 1 k 1",
			"a.md b.md c.md d.md e.md f.md g.md h.md i.md j.md",
			[]float64{1, 10.0 / 11, 10.0 / 11, 1},
		},
		{"a name may have what looks like a part", "1 a.md#b 1", "a.md a.md#b.md", []float64{0.6309, 1, 1, 0.5}}, // 1/lg 3
	} {
		got := task(t, "1", test.judgments, idsOf("a.md#b.md license z.txt")).Score(0, idsOf(test.best), nil)
		if !slices.EqualFunc(got, test.want, func(a, b float64) bool { return math.Abs(a-b) < 0.00005 }) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestBudgetedRecallIsWhetherABundleHasARelevantPage(t *testing.T) {
	task := task(t, "1", "1 a 1, 1 b 2, 1 c 0", nil, 1, 2, 3, 4)
	bundles := [][]document.Span{nil, {{ID: "c.md"}, {ID: "d.md"}}, {{ID: "d.md"}, {ID: "a.md", Start: 7, End: 9}}, {{ID: "a.md"}, {ID: "b.md"}}}
	if got, want := task.Score(0, nil, bundles)[4:], []float64{0, 0, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// discounted is the definition, with the library's logarithm.
func discounted(gains []int) (sum float64) {
	for i, gain := range gains[:min(10, len(gains))] {
		sum += float64(gain) / math.Log2(float64(i)+2)
	}
	return sum
}

// For any grades and any order, the scores equal those of a plain implementation of the
// definitions.
func TestScoresAreWhatTheDefinitionsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grades := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 130).Draw(t, "grades")
		grades[rapid.IntRange(0, len(grades)-1).Draw(t, "relevant")] = 1
		var judgments []string
		var positions []int
		for i, grade := range grades {
			judgments = append(judgments, fmt.Sprintf("1 %03d %d", i, grade))
			positions = append(positions, i)
		}
		// Some are not among the best, and some of these have no judgment.
		order := rapid.Permutation(append(positions, -1, -2, -3)).Draw(t, "order")
		order = order[:rapid.IntRange(0, len(order)).Draw(t, "answers")]
		var best []document.ID
		var gains []int
		for _, i := range order {
			best = append(best, document.ID(fmt.Sprintf("%03d.md", i)))
			gains = append(gains, 0)
			if i >= 0 {
				gains[len(gains)-1] = grades[i]
			}
		}
		got := task(t, "1", strings.Join(judgments, ", "), nil).Score(0, best, nil)

		ideal := slices.Sorted(slices.Values(grades))
		slices.Reverse(ideal)
		relevant := func(gains []int) (n float64) {
			for _, gain := range gains {
				if gain > 0 {
					n++
				}
			}
			return n
		}
		reciprocal := 0.0
		if rank := 1 + slices.IndexFunc(gains, func(gain int) bool { return gain > 0 }); 1 <= rank && rank <= 10 {
			reciprocal = 1 / float64(rank)
		}
		want := []float64{
			discounted(gains) / discounted(ideal),
			relevant(gains[:min(10, len(gains))]) / relevant(grades),
			relevant(gains[:min(100, len(gains))]) / relevant(grades),
			reciprocal,
		}
		for i, name := range evaluation.Measures(nil) {
			if math.Abs(got[i]-want[i]) > 1e-12 || got[i] < 0 || got[i] > 1 {
				t.Errorf("%s: got %v, want %v", name, got[i], want[i])
			}
		}
	})
}
