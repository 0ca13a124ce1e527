package main

import (
	"math"
	"slices"
)

// median returns the middle of values, or the mean of the two in the middle.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// pairwise returns the quotients of values that were measured in one round.
func pairwise(values, by []float64) []float64 {
	quotients := make([]float64, min(len(values), len(by)))
	for i := range quotients {
		quotients[i] = values[i] / by[i]
	}
	return quotients
}

// exponent fits y = c·x^e by least squares of the logarithms and returns e. It
// is NaN if the xs are fewer than two.
func exponent(xs, ys []float64) float64 {
	n := float64(len(xs))
	var sumX, sumY, sumXX, sumXY float64
	for i := range xs {
		x, y := math.Log(xs[i]), math.Log(ys[i])
		sumX, sumY, sumXX, sumXY = sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	return (n*sumXY - sumX*sumY) / (n*sumXX - sumX*sumX)
}

// of returns what get tells of each process.
func of(processes []process, get func(process) float64) []float64 {
	values := make([]float64, len(processes))
	for i, p := range processes {
		values[i] = get(p)
	}
	return values
}

func seconds(p process) float64     { return p.Wall.Seconds() }
func coreSeconds(p process) float64 { return p.CPU.Seconds() }
func peak(p process) float64        { return float64(p.Peak) }
