package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
)

// audit compares an index with units.
func audit(t rapid.TB, x *index.Index, units []postingUnit) (ordinal int) {
	t.Helper()
	a := index.NewAudit(len(units))
	for i, u := range units {
		if u.content == nil {
			u.weigh(func(term words.TermWeight) { a.AddTerm(i, term) })
		} else if got, want := a.Add(i, u.content), int(u.sum()); got != want {
			t.Fatalf("%q: got %d words, want %d", u.content, got, want)
		}
	}
	ordinal, err := a.Compare(x)
	if err != nil {
		t.Fatal(err)
	}
	return ordinal
}

// auditContents is like audit for selection 0.
func auditContents(t rapid.TB, x *index.Index, contents ...[]byte) (ordinal int) {
	t.Helper()
	return audit(t, x, modelOf(0, contents).units())
}

func TestAuditFindsTheFirstUnitWithOtherTerms(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		rapid.Check(t, func(t *rapid.T) {
			m := drawModel(t, selection)
			want := -1
			others := m.units()
			for i, u := range others {
				if !rapid.Bool().Draw(t, "is other") {
					continue
				}
				others[i] = alter(t, u)
				if want < 0 && !maps.Equal(u.weights, others[i].weights) {
					want = i
				}
			}
			if got := audit(t, open(t, m.write(t)), others); got != want {
				t.Fatalf("got %d, want %d", got, want)
			}
		})
	})
}

// alter returns a unit similar to another.
func alter(t *rapid.T, u postingUnit) postingUnit {
	if u.content != nil {
		return unitOf(0, 0, 0, alterContent(t, u.content))
	}
	u.weights = maps.Clone(u.weights)
	term := sectionTerms().Draw(t, "term")
	u.weights[term] = sectionWeights().Draw(t, "weight")
	if rapid.Bool().Draw(t, "is removed") {
		delete(u.weights, term)
	}
	return u
}

func alterContent(t *rapid.T, content []byte) []byte {
	fields := words.Split(string(content))
	switch rapid.IntRange(0, 4).Draw(t, "how") {
	case 0:
		return slices.Concat(content, []byte(" "), texts().Draw(t, "more"))
	case 1:
		return []byte(strings.Join(rapid.Permutation(fields).Draw(t, "order"), " \u2003"))
	case 2:
		return []byte(words.Lower(string(content))) // lower-cases the whole text at once instead of each word
	case 3:
		return content[:rapid.IntRange(0, len(content)).Draw(t, "cut")]
	}
	return texts().Draw(t, "content")
}

// Word counts that differ by powers of two would cancel out in sums that wrap around.
func TestAuditTellsNumbersOfWordsApart(t *testing.T) {
	content := func(a, b int) []byte {
		return []byte(strings.Repeat("a ", a) + strings.Repeat("b ", b))
	}
	for k := range 17 {
		n := 1 << k
		x := open(t, modelOf(0, [][]byte{content(2*n, 0)}).write(t))
		for _, other := range [][]byte{content(n, 0), content(0, 2*n), content(n, n), content(2*n-1, 1), content(2*n, 1)} {
			if got := auditContents(t, x, other); got != 0 {
				t.Errorf("%d: got %d, want 0", n, got)
			}
		}
		if got := auditContents(t, x, content(2*n, 0)); got != -1 {
			t.Errorf("%d: got %d, want -1", n, got)
		}
	}
}

func TestAuditOfAnotherNumberOfUnits(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		contents := [][]byte{[]byte("one"), nil, nil}
		x := open(t, modelOf(selection, contents[:2]).write(t))
		for _, n := range []int{1, 3} {
			if got, want := audit(t, x, modelOf(selection, contents[:n]).units()), min(2, n); got != want {
				t.Errorf("%d units: got %d, want %d", n, got, want)
			}
		}
	})
}

func TestAuditIsSafeForConcurrentUse(t *testing.T) {
	contents := generate(64, 1<<10)
	x := open(t, modelOf(0, contents).write(t))
	a := index.NewAudit(len(contents))
	var adding sync.WaitGroup
	for i, content := range contents {
		adding.Go(func() { a.Add(i, content) })
	}
	adding.Wait()
	if got, err := a.Compare(x); err != nil || got != -1 {
		t.Errorf("got %d, %v, want -1", got, err)
	}
}

// It changes a single word of a document in an index of many blocks.
func TestAuditOfALargeIndex(t *testing.T) {
	contents := generate(1000, 1<<10)
	data := modelOf(0, contents).write(t)
	x := open(t, data)
	r := rand.New(rand.NewSource(1))
	for range 5 {
		i := r.Intn(len(contents))
		others := slices.Clone(contents)
		others[i] = append(bytes.Clone(contents[i]), fmt.Sprint(r.Intn(1000))...)
		if got := auditContents(t, x, others...); got != i {
			t.Errorf("got %d, want %d", got, i)
		}
	}
	if got := auditContents(t, x, contents...); got != -1 {
		t.Errorf("got %d, want -1", got)
	}
	spoiled := slices.Clone(data)
	spoiled[len(spoiled)/2] ^= 1
	if _, err := index.NewAudit(len(contents)).Compare(open(t, spoiled)); !errors.Is(err, index.ErrInvalid) {
		t.Errorf("damaged: got %v, want %v", err, index.ErrInvalid)
	}
}
