package index_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/internal/caches/index"
)

func TestSectionNumbersContainEachLengthAndAllTraits(t *testing.T) {
	const highest = 1<<32 - 1
	lengths := make([]uint32, 2*index.WindowSize+100)
	traits := make([]uint8, len(lengths))
	for i := range lengths {
		lengths[i] = 100 + uint32(i)%7
		traits[i] = uint8(i%2)<<1 | uint8(i%3/2) // pages of three sections; no section has the highest trait
	}
	edges := []uint32{0, 1, 8190, 8191, 8192, 1 << 16, highest}
	for i, length := range edges {
		lengths[index.WindowSize-3+i] = length
	}
	traits[0], traits[2], traits[len(traits)-1] = 1, 0, 7
	c := index.NewSectionNumbers(lengths, traits)
	if c.Len() != len(lengths) || len(c.Windows) != 3 {
		t.Fatalf("got %d sections in %d windows", c.Len(), len(c.Windows))
	}
	for i := range lengths {
		if length, of := c.Length(uint32(i)), c.Traits(uint32(i)); length != lengths[i] || of != traits[i] {
			t.Fatalf("section %d: got a length of %d and traits %d, want %d and %d", i, length, of, lengths[i], traits[i])
		}
	}
	page, first := -1, 0
	for i := range lengths {
		if traits[i]&1 != 0 {
			page, first = page+1, i
		}
		if n, from := c.PageOf(uint32(i)); int(n) != page || int(from) != first {
			t.Fatalf("section %d: got page %d from %d, want page %d from %d", i, n, from, page, first)
		}
	}
	for i, w := range c.Windows {
		total, all := uint64(0), uint8(0)
		part := lengths[i*index.WindowSize : min((i+1)*index.WindowSize, len(lengths))]
		for n, length := range part {
			total += uint64(length)
			all |= traits[i*index.WindowSize+n]
		}
		if want := (index.WindowNumbers{Total: total, Shortest: slices.Min(part), Page: w.Page, Traits: all}); w != want {
			t.Errorf("window %d: got %v, want %v", i, w, want)
		}
	}
	for _, trait := range []uint8{1, 2, 4} {
		set := c.With(trait)
		for i := range lengths {
			if got, want := set[i/64]>>(i%64)&1 == 1, traits[i]&trait != 0; got != want {
				t.Fatalf("section %d with trait %d: got %t, want %t", i, trait, got, want)
			}
		}
	}
}

func TestSectionNumbersOfManySectionsAreKept(t *testing.T) {
	m := modelOf(1, numbered(index.WindowSize+10, 3))
	m.pages[7].units[0].section.Traits = 5
	x := open(t, m.write(t))
	var lengths []uint32
	var traits []uint8
	for _, s := range slices.Concat(m.table().Sections...) {
		lengths, traits = append(lengths, s.Length), append(traits, s.Traits)
	}
	if len(lengths) <= index.WindowSize {
		t.Fatalf("got only %d sections", len(lengths))
	}
	got, err := x.SectionNumbers()
	if diff := cmp.Diff(index.NewSectionNumbers(lengths, traits), got, cmp.AllowUnexported(index.SectionNumbers{})); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%.300s", err, diff)
	}
}

// The first question of a process reads the numbers of all sections. They must stay cheap.
func TestSectionNumbersTake2BytesEach(t *testing.T) {
	read := map[int]int64{}
	const few, more = 10_000, 20_000
	for _, pages := range []int{few, few + more} {
		contents := slices.Repeat([][]byte{[]byte("word")}, pages)
		data := modelOf(1, contents).write(t)
		reader := &countingReader{ReaderAt: bytes.NewReader(data)}
		x, err := index.Open(reader, int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		reader.n = 0
		n, err := x.SectionNumbers()
		if err != nil {
			t.Fatal(err)
		}
		n.PageOf(uint32(n.Len() - 1))
		read[n.Len()] = reader.n
	}
	const roundings = 4 * 16 << 10
	sections := slices.Sorted(maps.Keys(read))
	if got, most := read[sections[1]]-read[sections[0]], int64(2*(sections[1]-sections[0])+roundings); got > most || len(sections) != 2 {
		t.Errorf("%d sections: read %d bytes; another %d: read %d bytes more, want at most %d", sections[0], read[sections[0]], sections[1]-sections[0], got, most)
	}
}
