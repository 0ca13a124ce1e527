package index_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/index"
)

// framedModel returns a model of pages of which each third section has a lead.
func framedModel(pages int) model {
	m := modelOf(1, numbered(pages, 3))
	n := 0
	for i := range m.pages {
		for k := range m.pages[i].units {
			if s := &m.pages[i].units[k].section; n%3 == 0 {
				s.Start, s.End = s.Start+1, s.End+1
				s.Lead = document.Range{Start: 0, End: 1}
			}
			n++
		}
	}
	return m
}

// There are enough documents and enough leads for several pieces of their parts.
func TestEachSectionIsFoundInItsPage(t *testing.T) {
	m := framedModel(9000)
	x := open(t, m.write(t))
	ordinals := make([]uint32, x.Sections())
	pages, firsts := make([]uint32, x.Sections()), make([]uint32, x.Sections())
	next := 0
	for page, all := range m.table().Sections {
		first := next
		for range all {
			ordinals[next], pages[next], firsts[next] = uint32(next), uint32(page), uint32(first)
			next++
		}
	}
	slices.SortFunc(ordinals, func(a, b uint32) int { return int(a*2654435761>>8) - int(b*2654435761>>8) })
	table := slices.Concat(m.table().Sections...)
	for _, ordinal := range ordinals {
		page, first, err := x.PageOf(ordinal)
		if err != nil || page != pages[ordinal] || first != firsts[ordinal] {
			t.Fatalf("section %d: got page %d from %d, %v, want page %d from %d", ordinal, page, first, err, pages[ordinal], firsts[ordinal])
		}
		found, err := x.Section(int(ordinal))
		if err != nil || found.Lead != table[ordinal].Lead || found.Start != table[ordinal].Start {
			t.Fatalf("section %d: got %v, %v, want %v", ordinal, found, err, table[ordinal])
		}
	}
}

// A question should not cost more because other pages are in the cache.
func TestFindingAPageCostsTheSameInALargerIndex(t *testing.T) {
	for _, pages := range []int{5000, 20000} {
		data := framedModel(pages).write(t)
		t.Run(fmt.Sprint(pages), func(t *testing.T) {
			reader := &countingReader{ReaderAt: bytes.NewReader(data)}
			x, err := index.Open(reader, int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			for _, share := range []int{0, 1, 3, 6, 7} {
				reader.n = 0
				ordinal := share * (x.Sections() - 1) / 7
				if _, _, err := x.PageOf(uint32(ordinal)); err != nil {
					t.Fatal(err)
				}
				if _, err := x.Section(ordinal); err != nil {
					t.Fatal(err)
				}
				const most = 128 << 10
				if reader.n > most {
					t.Errorf("section %d of %d: read %d bytes", ordinal, x.Sections(), reader.n)
				}
			}
		})
	}
}
