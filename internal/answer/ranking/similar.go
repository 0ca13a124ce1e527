package ranking

import (
	"math"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/analysis"
)

// This file finds near-duplicates: copies of a section for another version or on another
// page, with a few words changed. It compares them by the Jaccard similarity of their
// shingles (Broder, On the resemblance and containment of documents, 1997).

// Constants of likeness.
const (
	shingleSize = 3  // words that follow each other
	minShingles = 20 // sections with fewer are not compared

	// Sections are near-duplicates if their Jaccard similarity is at least
	// likeShare/ofLikeShares.
	likeShare    = 4
	ofLikeShares = 5

	// Counterparts need less, because their IDs show that their pages are the same page in
	// two languages or versions, and both contain the same code.
	counterpartShare    = 1
	ofCounterpartShares = 3
)

// shingles are all runs of shingleSize words of a section, computed from its sketch,
// without duplicates and ordered by their keys.
type shingles []uint32

// shinglesOf returns the shingles of a sketch, across the ends of sentences.
func shinglesOf(sketch []byte) shingles {
	sketch = slices.DeleteFunc(slices.Clone(sketch), func(b byte) bool {
		return b == analysis.EndOfSentence || b == analysis.HeadingSentence
	})
	if len(sketch) < shingleSize {
		return nil
	}
	all := make(shingles, 0, len(sketch)-shingleSize+1)
	for i := range len(sketch) - shingleSize + 1 {
		all = append(all, keyOfShingle(uint32(sketch[i])<<16|uint32(sketch[i+1])<<8|uint32(sketch[i+2])))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// keyOfShingle scatters the shingles. Otherwise, the lowest keys would belong to certain
// words, which many sections of a page may repeat. Selection 1 doesn't depend on the
// order of keys.
func keyOfShingle(shingle uint32) uint32 { return shingle * 0x9E3779B1 }

func areAlike(a, b shingles) bool { return haveInCommon(a, b, likeShare, ofLikeShares) }

// haveInCommon reports whether the Jaccard similarity of a and b is at least
// share/of.
func haveInCommon(a, b shingles, share, of int) bool {
	if min(len(a), len(b)) < minShingles {
		return false
	}
	// If c shingles are common to both, of*c must be at least share*(len(a)+len(b)-c).
	shares := share + of
	wanted := (share*(len(a)+len(b)) + shares - 1) / shares
	for wanted > 0 && min(len(a), len(b)) >= wanted {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			wanted--
			a, b = a[1:], b[1:]
		}
	}
	return wanted == 0
}

// A sketchbook finds near-duplicates without comparing each unit with all others. The
// zero sketchbook is empty and ready for use.
type sketchbook struct {
	units []*saidUnit
	first map[uint32][]int32 // units by each of their first shingles
	seen  []int32            // by unit: the last search that compared it
	runs  int32              // searches so far
}

// firstOf returns the first shingles of a unit. Two near-duplicates must share at least
// one of them: each lacks at most a fifth of the other's shingles, so a set of more than
// a fifth cannot be missing completely.
func firstOf(all shingles) shingles {
	if len(all) < minShingles {
		return nil
	}
	return all[:len(all)*(ofLikeShares-likeShare)/ofLikeShares+1]
}

// like returns the first near-duplicate of a unit in another section.
func (s *sketchbook) like(u *saidUnit) (ordinal uint32, found bool) {
	s.runs++
	first := math.MaxInt
	for _, shingle := range firstOf(u.shingles) {
		for _, place := range s.first[shingle] {
			if int(place) >= first {
				break
			}
			if s.seen[place] == s.runs || s.units[place].section == u.section {
				continue
			}
			s.seen[place] = s.runs
			if areAlike(u.shingles, s.units[place].shingles) {
				first = int(place)
				break
			}
		}
	}
	if first == math.MaxInt {
		return 0, false
	}
	return s.units[first].ordinal, true
}

func (s *sketchbook) add(u *saidUnit) {
	if s.first == nil {
		s.first = map[uint32][]int32{}
	}
	for _, shingle := range firstOf(u.shingles) {
		s.first[shingle] = append(s.first[shingle], int32(len(s.units)))
	}
	s.units = append(s.units, u)
	s.seen = append(s.seen, 0)
}

// counterparts finds sections of pages whose IDs differ only in the name of a directory
// for a language or version, for example docs/en/a.md and docs/ja/a.md. The units are by kin.
type counterparts map[string][]*saidUnit

// kinOf returns variants of a page's ID, each without the name of a different directory.
// Two IDs share a variant if they differ in the name of a single directory.
func kinOf(id document.ID) (kin []string) {
	segments := strings.Split(string(id), "/")
	for i, directory := range segments[:len(segments)-1] {
		segments[i] = ""
		kin = append(kin, strings.Join(segments, "/"))
		segments[i] = directory
	}
	return kin
}

// like returns the first unit of another page that is a counterpart of a unit.
func (c counterparts) like(u *saidUnit) (ordinal uint32, found bool) {
	for _, key := range u.kin {
		for _, other := range c[key] {
			if other.page != u.page && haveInCommon(u.shingles, other.shingles, counterpartShare, ofCounterpartShares) {
				return other.ordinal, true
			}
		}
	}
	return 0, false
}

func (c counterparts) add(u *saidUnit) {
	for _, key := range u.kin {
		c[key] = append(c[key], u)
	}
}

// translationOf returns a name shared by all translations of a section: the ID of the
// page without the names of directories for languages, and the slug. It returns "" if the
// page isn't in such a directory.
func translationOf(page document.ID, slug string) string {
	segments := strings.Split(string(page), "/")
	isTranslated := false
	for i, directory := range segments[:len(segments)-1] {
		if words.IsLanguage(directory) {
			segments[i], isTranslated = "", true
		}
	}
	if !isTranslated {
		return ""
	}
	return strings.Join(segments, "/") + "#" + slug
}
