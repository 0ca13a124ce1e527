package termindex_test

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

	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/termindex"
)

// audit compares an index with contents.
func audit(t rapid.TB, x *termindex.Index, contents [][]byte) (ordinal int) {
	t.Helper()
	a := termindex.NewAudit(len(contents))
	nothing := words.SetOf(nil)
	for i, content := range contents {
		_, want := nothing.Count(content)
		if got := a.Add(i, content); got != want {
			t.Fatalf("%q: got %d words, want %d", content, got, want)
		}
	}
	ordinal, err := a.Compare(&x.InvertedIndex)
	if err != nil {
		t.Fatal(err)
	}
	return ordinal
}

// counts returns how often a content has each term.
func counts(content []byte) map[string]int {
	n := map[string]int{}
	for _, word := range words.Split(string(content)) {
		n[words.Lower(word)]++
	}
	return n
}

func TestAuditFindsTheFirstDocumentWithOtherWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contents := rapid.SliceOfN(texts, 0, 8).Draw(t, "contents")
		data, _ := write(t, contents)
		others := slices.Clone(contents)
		for i := range others {
			if rapid.Bool().Draw(t, "is other") {
				others[i] = alter(t, others[i])
			}
		}
		want := slices.IndexFunc(identity(len(contents)), func(i int) bool {
			return !maps.Equal(counts(contents[i]), counts(others[i]))
		})
		if got := audit(t, open(t, data), others); got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
	})
}

// alter returns a content that is much like another.
func alter(t *rapid.T, content []byte) []byte {
	fields := words.Split(string(content))
	switch rapid.IntRange(0, 4).Draw(t, "how") {
	case 0:
		return slices.Concat(content, []byte(" "), texts.Draw(t, "more"))
	case 1:
		return []byte(strings.Join(rapid.Permutation(fields).Draw(t, "order"), " \u2003"))
	case 2:
		return []byte(words.Lower(string(content))) // also across words
	case 3:
		return content[:rapid.IntRange(0, len(content)).Draw(t, "cut")]
	}
	return texts.Draw(t, "content")
}

// Numbers of words that differ by powers of two would cancel out in sums that
// wrap around.
func TestAuditTellsNumbersOfWordsApart(t *testing.T) {
	content := func(a, b int) []byte {
		return []byte(strings.Repeat("a ", a) + strings.Repeat("b ", b))
	}
	for k := range 17 {
		n := 1 << k
		data, _ := write(t, [][]byte{content(2*n, 0)})
		x := open(t, data)
		for _, other := range [][]byte{content(n, 0), content(0, 2*n), content(n, n), content(2*n-1, 1), content(2*n, 1)} {
			if got := audit(t, x, [][]byte{other}); got != 0 {
				t.Errorf("%d: got %d, want 0", n, got)
			}
		}
		if got := audit(t, x, [][]byte{content(2*n, 0)}); got != -1 {
			t.Errorf("%d: got %d, want -1", n, got)
		}
	}
}

func TestAuditOfAnotherNumberOfDocuments(t *testing.T) {
	data, _ := write(t, [][]byte{[]byte("one"), nil})
	x := open(t, data)
	for _, contents := range [][][]byte{{[]byte("one")}, {[]byte("one"), nil, nil}} {
		if got, want := audit(t, x, contents), min(2, len(contents)); got != want {
			t.Errorf("%d documents: got %d, want %d", len(contents), got, want)
		}
	}
}

func TestAuditIsSafeForConcurrentUse(t *testing.T) {
	contents := generate(64, 1<<10)
	data, _ := write(t, contents)
	x := open(t, data)
	a := termindex.NewAudit(len(contents))
	var adding, comparing sync.WaitGroup
	for i, content := range contents {
		adding.Go(func() { a.Add(i, content) })
	}
	adding.Wait()
	for range 4 {
		comparing.Go(func() {
			if got, err := a.Compare(&x.InvertedIndex); err != nil || got != -1 {
				t.Errorf("got %d, %v, want -1", got, err)
			}
		})
	}
	comparing.Wait()
}

// One word of one document, in an index of many pages.
func TestAuditOfALargeIndex(t *testing.T) {
	contents := generate(1000, 1<<10)
	data, _ := write(t, contents)
	x := open(t, data)
	r := rand.New(rand.NewSource(1))
	for range 5 {
		i := r.Intn(len(contents))
		others := slices.Clone(contents)
		others[i] = append(bytes.Clone(contents[i]), fmt.Sprint(r.Intn(1000))...)
		if got := audit(t, x, others); got != i {
			t.Errorf("got %d, want %d", got, i)
		}
	}
	if got := audit(t, x, contents); got != -1 {
		t.Errorf("got %d, want -1", got)
	}
	spoiled := slices.Clone(data)
	spoiled[len(spoiled)/2] ^= 1
	if _, err := termindex.NewAudit(len(contents)).Compare(&open(t, spoiled).InvertedIndex); !errors.Is(err, termindex.ErrInvalid) {
		t.Errorf("damaged: got %v, want %v", err, termindex.ErrInvalid)
	}
}
