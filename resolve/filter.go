package resolve

import (
	"math/bits"
	"strings"

	"github.com/contextcompiler/context/internal/ignore"
	"github.com/contextcompiler/context/internal/words"
)

// A Filter says which pages of a cache may be chosen. It changes no score: those are
// by the statistics of the whole cache. The zero Filter lets all pages through.
type Filter struct {
	// Paths are patterns of page IDs, each as a line of a .gitignore file. The last
	// one that matches a page, or a directory of it, decides; a pattern that begins
	// with "!" keeps the page out. A page that none matches may be chosen only if all
	// patterns begin with "!".
	Paths []string
}

// A pattern is one of Filter.Paths.
type pattern struct {
	rules    ignore.Rules
	keepsOut bool
}

// parsePattern reads a pattern. IDs are in lower case, so it is, too.
func parsePattern(text string) pattern {
	rest, keepsOut := strings.CutPrefix(words.Lower(text), "!")
	if strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, "!") {
		rest = `\` + rest
	}
	return pattern{ignore.Rules{}.With(".", []byte(rest)), keepsOut}
}

// matches reports whether the pattern matches a page or a directory of it.
func (p pattern) matches(id string) bool {
	if p.rules.Match(id, false) {
		return true
	}
	for i, c := range id {
		if c == '/' && p.rules.Match(id[:i], true) {
			return true
		}
	}
	return false
}

// paths returns a function that reports whether a page may be chosen by its ID, nil
// if all may.
func (f Filter) paths() func(id string) bool {
	if len(f.Paths) == 0 {
		return nil
	}
	patterns := make([]pattern, len(f.Paths))
	byDefault := true
	for i, text := range f.Paths {
		patterns[i] = parsePattern(text)
		byDefault = byDefault && patterns[i].keepsOut
	}
	return func(id string) bool {
		isAllowed := byDefault
		for _, p := range patterns {
			if p.matches(id) {
				isAllowed = !p.keepsOut
			}
		}
		return isAllowed
	}
}

// allowed returns which of n pages may be chosen, nil for all.
func (f Filter) allowed(from source, n int) ([]bool, error) {
	isAllowed := f.paths()
	if isAllowed == nil {
		return nil, nil
	}
	pages := make([]bool, n)
	for page := range pages {
		entry, err := from.entry(uint32(page))
		if err != nil {
			return nil, err
		}
		pages[page] = isAllowed(string(entry.ID))
	}
	return pages, nil
}

// One is the MinScore of the best score itself.
const One = 1_000_000

// reaches reports whether a score is at least a share of the best one, in units of
// 1/[One].
func reaches(score, best, share uint64) bool {
	high, low := bits.Mul64(score, One)
	wantHigh, wantLow := bits.Mul64(best, share)
	return high > wantHigh || high == wantHigh && low >= wantLow
}
