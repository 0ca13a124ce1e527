package analysis

import (
	"bytes"
	"strings"

	"github.com/blevesearch/snowballstem/english"
)

// stem returns the entry of a word of 1 to longestCached letters. It is valid until the next
// call. Words of other languages are stemmed, too. This does little harm, because queries get the
// same stems.
func (a *Analyzer) stem(word []byte) *wordEntry {
	key := keyOf(word, len(word))
	e := a.stems.slot(key)
	if e.word != key || e.size == 0 {
		e.set(key, a.stemOf(word), 0)
		if stopWords[string(word)] {
			e.kind = Stop
		}
	}
	return e
}

// stemOf returns the stem of a word, which contains at least a letter and is never longer
// than the word.
func (a *Analyzer) stemOf(word []byte) []byte {
	if prefix, found := bytes.CutSuffix(word, []byte("scaling")); found && len(prefix) > 0 {
		return append(bytes.Clone(prefix), "scal"...) // like autoscale; Snowball would return autosc
	}
	a.env.SetCurrent(string(word))
	english.Stem(a.env)
	return []byte(a.env.Current())
}

// stopWords are English words that carry no topic. None is longer than longestCached
// letters.
var stopWords = setOf(`
	a about am an and any are as at be been being but by can could did do does doing for had happen happens has have having
	he her hers him his how i if in into is it its itself let me might must my no not of on or our ours purpose shall she should so
	some such than that the their them then there these they this those to us very was we were what when where which while who
	whom whose why will with would you your yours
	s t d ll ve re m don doesn didn isn aren wasn weren won`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
