package main

import (
	"math"
	"slices"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{7}, 7},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		before := slices.Clone(test.values)
		if got := median(test.values); got != test.want || !slices.Equal(before, test.values) {
			t.Errorf("median(%v) = %v, want %v; the values are %v", before, got, test.want, test.values)
		}
	}
	if got := median(nil); !math.IsNaN(got) {
		t.Errorf("median of nothing: got %v, want NaN", got)
	}
}

func TestPairwiseComparesWhatRanInOneRound(t *testing.T) {
	got := pairwise([]float64{2, 30, 5}, []float64{1, 10})
	if want := []float64{2, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestExponentOfAPowerIsThePower(t *testing.T) {
	xs := []float64{1_000, 10_000, 48_000, 100_000}
	for _, want := range []float64{0, 0.5, 1, 1.3} {
		var ys []float64
		for _, x := range xs {
			ys = append(ys, 3*math.Pow(x, want))
		}
		if got := exponent(xs, ys); math.Abs(got-want) > 1e-9 {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if got := exponent(xs[:1], xs[:1]); !math.IsNaN(got) {
		t.Errorf("exponent of one point: got %v, want NaN", got)
	}
}
