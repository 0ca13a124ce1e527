package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
)

// This file distinguishes differences from chance by a paired bootstrap: how much would the mean
// difference between two ways vary with other questions of the same kind?

// resamples is how many times the questions are drawn again, with replacement.
const resamples = 10_000

// interval returns the mean of differences, and the interval containing 95% of the means of
// resamples. The same differences always return the same interval.
func interval(differences []float64) (mean, low, high float64) {
	random := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, resamples)
	n := float64(len(differences))
	for i := range means {
		for range differences {
			means[i] += differences[random.IntN(len(differences))] / n
		}
	}
	slices.Sort(means)
	for _, d := range differences {
		mean += d / n
	}
	return mean, means[resamples/40], means[resamples-1-resamples/40]
}

// printDifferences prints the mean difference of each measure between two ways for the same
// questions, with its interval.
func printDifferences(out io.Writer, name string, a, b measures) {
	print := func(measure string, budget int, of func(m measures) float64, onlyJudged bool) {
		var differences []float64
		for i := range a.each {
			if !onlyJudged || a.each[i].judged > 0 {
				differences = append(differences, of(a.each[i])-of(b.each[i]))
			}
		}
		if len(differences) == 0 {
			return
		}
		mean, low, high := interval(differences)
		fmt.Fprintf(out, "%s, %s within %d tokens: %+.3f [%+.3f, %+.3f]\n", name, measure, budget, mean, low, high)
	}
	for i, budget := range budgets {
		print("recall", budget, func(m measures) float64 { return m.recall[i] }, false)
		print("half", budget, func(m measures) float64 { return m.half[i] }, true)
		print("whole", budget, func(m measures) float64 { return m.whole[i] }, true)
	}
}
