package index_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/caches/index"
)

// framedModel returns a model of pages in which some sections have a lead, with about the same
// share as in real documentation.
func framedModel(pages int) model {
	m := modelOf(1, numbered(pages, 3))
	n := 0
	for i := range m.pages {
		for k := range m.pages[i].units {
			s := &m.pages[i].units[k].section
			s.Lead, s.Tail = document.Range{}, document.Range{}
			if n%50 == 0 {
				s.Start, s.End = s.Start+1, s.End+1
				s.Lead = document.Range{Start: 0, End: 1}
			}
			n++
		}
	}
	return m
}

func TestEachLeadIsFound(t *testing.T) {
	m := framedModel(2000)
	x := open(t, m.write(t))
	table := slices.Concat(m.table().Sections...)
	for _, ordinal := range rand.New(rand.NewSource(1)).Perm(len(table)) {
		found, err := x.Section(ordinal)
		if err != nil || found.Lead != table[ordinal].Lead || found.Tail != table[ordinal].Tail || found.Start != table[ordinal].Start {
			t.Fatalf("section %d: got %v, %v, want %v", ordinal, found, err, table[ordinal])
		}
	}
}

// A question should not cost more because other pages are in the cache.
func TestASectionCostsTheSameInALargerIndex(t *testing.T) {
	for _, pages := range []int{5000, 20000} {
		data := framedModel(pages).write(t)
		t.Run(fmt.Sprint(pages), func(t *testing.T) {
			reader := &countingReader{ReaderAt: bytes.NewReader(data)}
			for _, share := range []int{0, 1, 3, 6, 7} {
				x, err := index.Open(reader, int64(len(data)))
				if err != nil {
					t.Fatal(err)
				}
				reader.n = 0
				if _, err := x.Section(share * (x.Sections() - 1) / 7); err != nil {
					t.Fatal(err)
				}
				const most = 128 << 10
				if reader.n > most {
					t.Errorf("%d/7 of %d: read %d bytes, want at most %d", share, x.Sections(), reader.n, most)
				}
			}
		})
	}
}
