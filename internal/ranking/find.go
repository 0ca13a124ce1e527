package ranking

import "github.com/contextcompiler/context/internal/analysis"

// Finder returns a function that finds the words of a text that have a term of the query,
// as [analysis.Analyzer.Find] does.
func (q TermQuery) Finder() func(text []byte) [][]int {
	wanted := map[string]bool{}
	for _, t := range q.Terms {
		for _, word := range t.Words() {
			wanted[word] = true
		}
	}
	return func(text []byte) [][]int {
		analyzer := analyzers.Get().(*analysis.Analyzer)
		defer analyzers.Put(analyzer)
		return analyzer.Find(text, func(term []byte) bool { return wanted[string(term)] })
	}
}
