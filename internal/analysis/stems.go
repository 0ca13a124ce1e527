package analysis

import (
	"encoding/binary"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// longestCached is the most letters of a word in the cache; few words have more.
const longestCached = 16

// cacheBits is the binary logarithm of the number of words in the cache: some 300
// KiB, which fit the second cache of a core.
const cacheBits = 13

// A stemEntry is a word with its stem.
type stemEntry struct {
	word, stem [longestCached]byte
	size       uint8 // of the stem; 0 if there is none
	kind       TermKind
}

// stems finds and caches the stems of English words. Words of other languages get
// stems, too. They get the same in queries, so that loses little.
type stems struct {
	env   *snowballstem.Env
	cache [1 << cacheBits]stemEntry
}

// lookup returns the entry of a word of 1 to longestCached letters. It is valid until
// the next call. A word replaces the word in its slot.
func (s *stems) lookup(word []byte) *stemEntry {
	var key [longestCached]byte
	copy(key[:], word)
	e := &s.cache[slotOf(&key)]
	if e.word != key || e.size == 0 {
		e.word = key
		e.size = uint8(copy(e.stem[:], s.stemOf(word)))
		e.kind = 0
		if stopWords[string(word)] {
			e.kind = Stop
		}
	}
	return e
}

func slotOf(key *[longestCached]byte) uint64 {
	low := binary.LittleEndian.Uint64(key[:])
	high := binary.LittleEndian.Uint64(key[8:])
	mixed := (low ^ high*0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93
	return mixed >> (64 - cacheBits)
}

// stemOf returns the stem of a word, which is never longer than the word and
// has at least a letter.
func (s *stems) stemOf(word []byte) string {
	s.env.SetCurrent(string(word))
	english.Stem(s.env)
	return s.env.Current()
}

// stopWords are English words without a topic. They have at most longestCached
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
