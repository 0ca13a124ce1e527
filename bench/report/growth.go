package main

import "strconv"

// A growingCost is a cost whose growth is told.
type growingCost struct {
	what  string
	step  string
	get   func(process) float64
	units []unit
}

var growing = []growingCost{
	{"cold build", stepBuild, seconds, times},
	{"rebuild, nothing changed", stepRebuild, seconds, times},
	{"rebuild, 1% changed", stepRebuildSome, seconds, times},
	{"resolve", stepResolve, seconds, times},
	{"resolve of common words", stepCommon, seconds, times},
	{"verify", stepVerify, seconds, times},
	{"peak memory of a build", stepBuild, peak, sizes},
	{"peak memory of resolve", stepResolve, peak, sizes},
}

// growthTable has a column for each generated corpus, and the exponent e of
// cost = c·pages^e that fits them best.
func growthTable(results []result) string {
	head := []string{"what"}
	for _, r := range results {
		head = append(head, r.name)
	}
	rows := [][]string{append(head, "exponent")}
	for _, g := range growing {
		if row, measured := g.row(results); measured {
			rows = append(rows, row)
		}
	}
	return table(rows)
}

func (g growingCost) row(results []result) (cells []string, measured bool) {
	cells = []string{g.what}
	var pages, costs []float64
	for _, r := range results {
		cost := median(of(r.samples[g.step], g.get))
		if !(cost > 0) { // NaN, if the step was left out
			return nil, false
		}
		pages, costs = append(pages, float64(r.pages)), append(costs, cost)
		cells = append(cells, quantity(cost, g.units))
	}
	return append(cells, strconv.FormatFloat(exponent(pages, costs), 'f', 2, 64)), true
}
