package changes

import (
	"bytes"
	"cmp"
	"hash/fnv"
	"slices"
	"strings"
)

// SamePage is the least similarity, in percent, at which two texts count as the same page.
const SamePage = 50

// A Move says that an old page is probably the same as a new page.
type Move struct {
	Old, New int // positions in their lists
	Share    int // similarity in percent
}

// Best returns the most similar moves that use each page once, sorted by the new page.
func Best(moves []Move) (best []Move) {
	moves = slices.Clone(moves)
	slices.SortFunc(moves, func(a, b Move) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New))
	})
	isOldUsed, isNewUsed := map[int]bool{}, map[int]bool{}
	for _, m := range moves {
		if !isOldUsed[m.Old] && !isNewUsed[m.New] {
			isOldUsed[m.Old], isNewUsed[m.New] = true, true
			best = append(best, m)
		}
	}
	slices.SortFunc(best, func(a, b Move) int { return cmp.Compare(a.New, b.New) })
	return best
}

// Similarity returns the percentage of the larger text that both texts share, counted by whole
// lines without the white space around them. If a text has too many lines, it returns 0.
func Similarity(a, b []byte) int { return newLineSizes(string(a)).similarity(string(b)) }

// lineSizes count how often each line occurs in a text.
type lineSizes struct {
	counts map[string]int
	size   int // bytes of all lines
}

func newLineSizes(text string) lineSizes {
	s := lineSizes{counts: map[string]int{}}
	if strings.Count(text, "\n") > mostLines {
		return s
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		s.counts[line]++
		s.size += len(line)
	}
	return s
}

func (s lineSizes) similarity(text string) int {
	if strings.Count(text, "\n") > mostLines {
		return 0
	}
	used := map[string]int{}
	size, shared := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		size += len(line)
		if used[line] < s.counts[line] {
			used[line]++
			shared += len(line)
		}
	}
	if shared == 0 {
		return 0
	}
	return shared * 100 / max(s.size, size)
}

// A LineSketch is a sample of the lines of a text: the smallest hashes, sorted. Two similar texts
// share most of their samples.
type LineSketch []uint64

const (
	sketchSize = 64 // hashes
	// mostShared bounds how many old pages can share a line. If there are more, the line is probably
	// boilerplate, so it can't tell where a page comes from.
	mostShared = 16
	// mostCandidates bounds how many old pages should be compared with a new page.
	mostCandidates = 3
)

// SketchOf returns the sketch of a text.
func SketchOf(text []byte) LineSketch {
	var hashes LineSketch
	sum := fnv.New64a()
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			sum.Reset()
			sum.Write(line)
			hashes = append(hashes, sum.Sum64())
		}
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	return slices.Clone(hashes[:min(len(hashes), sketchSize)])
}

// FindMoves returns the old pages from which each new page may come, by the sketches of both. The
// caller must compare their texts, because Share is always 0.
func FindMoves(old, new []LineSketch) (candidates []Move) {
	homes := map[uint64][]int{}
	for i, sketch := range old {
		for _, hash := range sketch {
			homes[hash] = append(homes[hash], i)
		}
	}
	for j, sketch := range new {
		shared := map[int]int{}
		for _, hash := range sketch {
			if pages := homes[hash]; len(pages) <= mostShared {
				for _, i := range pages {
					shared[i]++
				}
			}
		}
		var found []Move
		for i, n := range shared {
			found = append(found, Move{i, j, n})
		}
		slices.SortFunc(found, func(a, b Move) int { return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Old, b.Old)) })
		for _, m := range found[:min(len(found), mostCandidates)] {
			candidates = append(candidates, Move{m.Old, m.New, 0})
		}
	}
	return candidates
}
