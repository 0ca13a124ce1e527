package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
)

// A change contains the pages of an index before and after a change, and the unchanged
// pages.
type change struct {
	before, now model
	kept        map[document.ID]bool
}

func drawChange(t *rapid.T, selection int) change {
	c := change{model{selection: selection}, model{selection: selection}, map[document.ID]bool{}}
	for number := range rapid.IntRange(0, 12).Draw(t, "pages") {
		p := drawPage(t, selection, number)
		switch rapid.SampledFrom([]string{"kept", "kept", "added", "removed", "changed"}).Draw(t, "fate") {
		case "kept":
			c.kept[p.ID] = true
			c.before.pages = append(c.before.pages, p)
		case "removed":
			c.before.pages = append(c.before.pages, p)
			continue
		case "changed":
			c.before.pages = append(c.before.pages, drawPage(t, selection, number))
		}
		c.now.pages = append(c.now.pages, p)
	}
	return c
}

// unitsKept returns the new position of each old unit, or -1 if it is gone.
func (c change) unitsKept() []int32 {
	places := map[document.ID]int{}
	next := 0
	for _, p := range c.now.pages {
		places[p.ID] = next
		next += len(p.units)
	}
	kept := []int32{}
	for _, p := range c.before.pages {
		for k := range p.units {
			if c.kept[p.ID] {
				kept = append(kept, int32(places[p.ID]+k))
			} else {
				kept = append(kept, -1)
			}
		}
	}
	return kept
}

// A placed unit knows its position among all units, or -1 if it is left out.
type placed struct {
	postingUnit
	position int
}

func (c change) added() (added []placed) {
	position := 0
	for _, p := range c.now.pages {
		for _, u := range p.units {
			if !c.kept[p.ID] {
				added = append(added, placed{u, position})
			}
			position++
		}
	}
	return added
}

// sources returns sources of the new pages. The old index provides the terms of kept
// pages. Several collectors provide the others, in any order.
func (c change) sources(t *rapid.T) index.TermSources {
	s := index.TermSources{Jobs: rapid.IntRange(0, 3).Draw(t, "jobs")}
	if len(c.before.pages) > 0 || rapid.Bool().Draw(t, "has an empty index before") {
		s.Kept = []index.Kept{{Index: open(t, c.before.write(t)), Places: c.unitsKept()}}
	}
	for range rapid.IntRange(1, 8).Draw(t, "collectors") {
		s.Collectors = append(s.Collectors, new(index.Collector))
	}
	added := c.added()
	byPosition := rapid.Bool().Draw(t, "by position")
	if !byPosition {
		for _, p := range c.before.pages { // the others are left out
			if !c.kept[p.ID] {
				added = append(added, placed{p.units[0], -1})
			}
		}
		s.Ordinals = []int32{}
	}
	if rapid.Bool().Draw(t, "any order") {
		added = rapid.Permutation(added).Draw(t, "order")
	}
	for ordinal, u := range added {
		if byPosition {
			ordinal = u.position
		} else {
			s.Ordinals = append(s.Ordinals, int32(u.position))
		}
		u.addTo(rapid.SampledFrom(s.Collectors).Draw(t, "collector"), ordinal)
	}
	return s
}

func TestBytesDependOnThePagesAlone(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		rapid.Check(t, func(t *rapid.T) {
			c := drawChange(t, selection)
			want, s := c.now.write(t), c.sources(t)
			for _, time := range []string{"first", "second"} {
				if !bytes.Equal(c.now.encode(t, s), want) {
					t.Fatalf("the bytes differ the %s time", time)
				}
			}
		})
	})
}

// There are enough terms for a dictionary of three levels, terms that lose all their
// postings, and more bytes than a reader reads at once.
func TestALargeIndexIsTakenOver(t *testing.T) {
	contents := generate(1000, 2<<10)
	contents[500] = bytes.Repeat([]byte("Long"), 1<<18)
	contents[501] = []byte("a b c")
	eachSelection(t, func(t *testing.T, selection int) {
		before := modelOf(selection, contents)
		previous := open(t, before.write(t))
		for step := range effort.Cases(5, 3) {
			c := change{before, model{selection: selection}, map[document.ID]bool{}}
			for i, p := range before.pages {
				if step > 0 && i%step == 1 {
					continue
				}
				c.kept[p.ID] = i%10 != 9
				if !c.kept[p.ID] {
					p = newPage(i, unitOf(selection, i, 0, fmt.Appendf(nil, "%d changed %s", step, contents[i])))
				}
				c.now.pages = append(c.now.pages, p)
			}
			s := index.TermSources{Collectors: []*index.Collector{new(index.Collector)}, Kept: []index.Kept{{Index: previous, Places: c.unitsKept()}}}
			for _, u := range c.added() {
				u.addTo(s.Collectors[0], u.position)
			}
			if !bytes.Equal(c.now.encode(t, s), c.now.write(t)) {
				t.Errorf("step %d: the bytes differ", step)
			}
		}
	})
}

func TestAnIndexIsRewrittenFromItself(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		rapid.Check(t, func(t *rapid.T) {
			want := drawModel(t, selection).write(t)
			if got, err := rewrite(open(t, want)); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("got other bytes, %v", err)
			}
		})
	})
}

func TestWriteRefusesWrongSources(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, [][]byte{[]byte("one two"), nil, []byte("two three three")})
		x := open(t, m.write(t))
		for name, kept := range map[string][]int32{
			"too few":      {0, 1},
			"too many":     {0, 1, 2, -1},
			"none":         nil,
			"not rising":   {1, 0, 2},
			"twice":        {0, 0, 2},
			"beyond":       {0, 1, 3},
			"less than -1": {0, -2, 2},
			"not all":      {0, 1, -1},
		} {
			m.refused(t, name, func(w *written) { w.sources = index.TermSources{Kept: []index.Kept{{Index: x, Places: kept}}} })
		}
		m.refused(t, "kept, and added beyond", func(w *written) {
			m.units()[0].addTo(w.sources.Collectors[0], 3)
			w.sources.Kept = []index.Kept{{Index: x, Places: []int32{-1, -1, -1}}}
		})
		m.refused(t, "kept and added", func(w *written) { w.sources.Kept = []index.Kept{{Index: x, Places: identity(3)}} })
	})
}

func TestAnIndexWithOtherTotalsIsInvalid(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, [][]byte{[]byte("one two"), []byte("two three three")})
		kept := index.TermSources{Kept: []index.Kept{{Index: open(t, m.write(t)), Places: identity(2)}}}
		table := m.table()
		if selection == 0 {
			table.Documents[1].Words--
		} else {
			table.Sections[0][0].Length++
		}
		if err := index.Write(io.Discard, m.header(), table, kept); !errors.Is(err, index.ErrInvalid) {
			t.Errorf("got %v, want %v", err, index.ErrInvalid)
		}
	})
}

// A unit that was added twice must be noticed even if the number of words is right.
func TestWriteRefusesAUnitThatWasAddedTwice(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, [][]byte{[]byte("one one")})
		m.refused(t, "twice", func(w *written) {
			for i := range 2 {
				w.sources.Collectors = append(w.sources.Collectors[:i], new(index.Collector))
				w.sources.Collectors[i].AddTerm(0, words.WeightOf([]byte("one"), 1))
			}
		})
	})
}

// There are enough terms for many ranges, and some share a beginning.
func TestBytesDoNotDependOnJobs(t *testing.T) {
	contents := generate(300, 2<<10)
	for i := range 6000 {
		contents[0] = fmt.Appendf(contents[0], "https://%d ", i)
	}
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, contents)
		want, s := m.write(t), m.collect(3)
		for _, s.Jobs = range []int{0, 1, 2, 7} {
			if !bytes.Equal(m.encode(t, s), want) {
				t.Errorf("with %d jobs, the bytes differ", s.Jobs)
			}
		}
		s.Collectors[1].AddTerm(300, words.WeightOf([]byte("word"), 1))
		for _, s.Jobs = range []int{1, 7} {
			err := index.Write(io.Discard, m.header(), m.table(), s)
			if err == nil || !strings.Contains(err.Error(), "the final ordinal of document 300 is") {
				t.Errorf("%d jobs: got %v", s.Jobs, err)
			}
		}
	})
}
