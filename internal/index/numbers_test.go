package index_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/internal/index"
)

func TestSectionNumbersContainEachLengthAndAllTraits(t *testing.T) {
	const highest = 1<<32 - 1
	lengths := make([]uint32, 2*index.WindowSize+100)
	traits := make([]uint8, len(lengths))
	for i := range lengths {
		lengths[i] = 100 + uint32(i)%7
		traits[i] = uint8(i % 4) // no section has the highest trait
	}
	edges := []uint32{0, 1, 8190, 8191, 8192, 1 << 16, highest}
	for i, length := range edges {
		lengths[index.WindowSize-3+i] = length
	}
	traits[len(traits)-1] = 7
	c := index.NewSectionNumbers(lengths, traits)
	if c.Len() != len(lengths) || len(c.Windows) != 3 {
		t.Fatalf("got %d sections in %d windows", c.Len(), len(c.Windows))
	}
	for i := range lengths {
		if length, of := c.Length(uint32(i)), c.Traits(uint32(i)); length != lengths[i] || of != traits[i] {
			t.Fatalf("section %d: got a length of %d and traits %d, want %d and %d", i, length, of, lengths[i], traits[i])
		}
	}
	for i, w := range c.Windows {
		total, all := uint64(0), uint8(0)
		part := lengths[i*index.WindowSize : min((i+1)*index.WindowSize, len(lengths))]
		for n, length := range part {
			total += uint64(length)
			all |= traits[i*index.WindowSize+n]
		}
		if want := (index.WindowNumbers{Total: total, Shortest: slices.Min(part), Traits: all}); w != want {
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
	m.pages[7].units[0].section.Traits = 7
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
