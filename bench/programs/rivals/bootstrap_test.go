package main

import (
	"bytes"
	"math"
	"slices"
	"testing"
)

func TestIntervalsContainTheMean(t *testing.T) {
	for _, tc := range []struct {
		name        string
		differences []float64
		deviation   float64 // of a single difference, by hand
	}{
		{"no difference", make([]float64, 50), 0},
		{"always the same", slices.Repeat([]float64{.25}, 50), 0},
		{"half of all", slices.Concat(slices.Repeat([]float64{0}, 200), slices.Repeat([]float64{1}, 200)), .5},
	} {
		mean, low, high := interval(tc.differences)
		// 95% of a normal distribution are within 1.96 deviations of the mean.
		want := 1.96 * tc.deviation / math.Sqrt(float64(len(tc.differences)))
		if math.Abs(mean-low-want) > want/10+1e-9 || math.Abs(high-mean-want) > want/10+1e-9 {
			t.Errorf("%s: got %v to %v for %v, want %v on both sides", tc.name, low, high, mean, want)
		}
	}
}

// The comparison of sections leaves out questions without a gold section.
func TestDifferencesAreThoseOfJudgedQuestions(t *testing.T) {
	var a, b measures
	judged := &judgedQuery{grades: map[string]float64{"p": 1}}
	judged.Gold = append(judged.Gold, struct {
		Page  string
		Lines []string
	}{"p", []string{"gold"}})
	right := answer{}
	for i := range right.bundles {
		right.bundles[i] = []page{{Path: "p", Content: "gold\n"}}
	}
	for range 4 {
		a.add(judged, right)
		b.add(judged, answer{})
	}
	for range 12 {
		a.add(&judgedQuery{grades: map[string]float64{"p": 1}}, answer{})
		b.add(&judgedQuery{grades: map[string]float64{"p": 1}}, answer{})
	}
	var out bytes.Buffer
	printDifferences(&out, "x", a, b)
	for _, want := range []string{"x, recall within 1000 tokens: +0.250 [", "x, half within 4000 tokens: +1.000 [+1.000, +1.000]\n", "x, whole within 2000 tokens: +1.000 ["} {
		if !bytes.Contains(out.Bytes(), []byte(want)) {
			t.Errorf("got %q, want %q in it", out.String(), want)
		}
	}
}
