package ranking

import "github.com/contextcompiler/context/internal/analysis"

// Coverage returns what share of the query a text has: the worth of its terms among that
// of all. A term counts once, and pairs do not count.
func (s *Scores) Coverage(text []byte) Score {
	analyzer := analyzers.Get().(*analysis.Analyzer)
	defer analyzers.Put(analyzer)
	var words analysis.Terms
	analyzer.Append(&words, text)
	has := make(map[string]bool, words.Len())
	for i := range words.Len() {
		word, _ := words.At(i)
		has[string(word)] = true
	}
	var sum uint64
	for i, term := range s.Query.Terms {
		for _, word := range term.Words() {
			if has[word] {
				sum += s.maxGains[i]
				break
			}
		}
	}
	if sum == 0 {
		return 0
	}
	return s.scoreOf(sum)
}
