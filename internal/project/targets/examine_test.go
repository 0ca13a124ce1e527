package targets

import (
	"maps"
	"testing"

	"github.com/contextcompiler/context/internal/answer/evaluation"
)

// A measure must reach both the minimum in the file and the baseline, so reports show the higher.
func TestTheHighestBoundOfAMeasureCounts(t *testing.T) {
	tolerance := evaluation.Fraction(500)
	for _, least := range []evaluation.Fraction{3000, 8000} {
		m := Measurement{
			Check: Check{Gates: []evaluation.Gate{{Measure: "mrr@10", Least: least}, {Measure: "ndcg@10", Least: 1}}, Tolerance: &tolerance},
			Report: &evaluation.TaskReport{Baseline: &evaluation.Baseline{
				Measures: []evaluation.Measure{{Name: "mrr@10", Value: 6500}, {Name: "recall@10", Value: 100}},
			}},
		}
		got, want := map[string]evaluation.Fraction{}, map[string]evaluation.Fraction{"mrr@10": max(6000, least), "ndcg@10": 1, "recall@10": 0}
		for _, bound := range m.Bounds() {
			if _, isTwice := got[bound.Measure]; isTwice {
				t.Errorf("%s has several bounds", bound.Measure)
			}
			got[bound.Measure] = bound.Least
		}
		if !maps.Equal(got, want) {
			t.Errorf("a minimum of %v: got %v, want %v", least, got, want)
		}
	}
}
