package ranking

import (
	"slices"

	"github.com/contextcompiler/context/internal/pages/analysis"
)

// Finder returns a function that finds the words and symbols of a text that match a term
// of the query. Its result looks like that of [analysis.Analyzer.Find].
func (q TermQuery) Finder() func(text []byte) [][]int {
	wanted, hasSymbols := q.numbersByWord(), q.hasSymbols()
	return func(text []byte) [][]int {
		analyzer := analyzers.Get().(*analysis.Analyzer)
		defer analyzers.Put(analyzer)
		isWanted := func(term []byte) bool { return wanted[string(term)] != nil }
		found := analyzer.Find(text, isWanted)
		if hasSymbols {
			found = joined(append(found, symbolsIn(text, isWanted)...))
		}
		return found
	}
}

func symbolsIn(text []byte, isWanted func(term []byte) bool) (found [][]int) {
	analysis.EachSymbol(text, analysis.Heading, func(s analysis.Symbol) {
		if isWanted(analysis.AppendSymbol(nil, text[s.Start:s.End])) {
			found = append(found, []int{s.Start, s.End})
		}
	})
	return found
}

// joined returns the matches in order, and joins touching matches.
func joined(matches [][]int) (all [][]int) {
	slices.SortFunc(matches, slices.Compare)
	for _, m := range matches {
		if last := len(all) - 1; last >= 0 && m[0] <= all[last][1] {
			all[last][1] = max(all[last][1], m[1])
		} else {
			all = append(all, m)
		}
	}
	return all
}
