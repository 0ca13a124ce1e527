package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/internal/caches/index"
)

const blockSize = 16 << 10 // of the format

// It moves a dictionary of two levels through a block, a byte at a time, so that a block
// ends before every byte of the dictionary once. Each index reuses the terms of the
// previous index.
func TestABlockMayEndAnywhereInADictionary(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, numbered(4, 100))
		terms := m.terms()
		want := m.postings()
		name := &m.pages[len(m.pages)-1].Name
		size := len(m.write(t))
		*name = strings.Repeat("n", blockSize-size) // so that it ends in the first block
		x := open(t, m.write(t))
		for range size {
			*name += "n"
			data := m.encode(t, index.TermSources{Kept: []index.Kept{{Index: x, Places: identity(len(m.units()))}}})
			x = open(t, data)
			l := x.NewLookup()
			for _, term := range terms {
				checkPostings(t, l, term, want[term])
			}
			checkPostings(t, l, "every!", nil)
		}
		if data := m.write(t); !bytes.Equal(m.encode(t, index.TermSources{Kept: []index.Kept{{Index: x, Places: identity(len(m.units()))}}}), data) {
			t.Error("the last bytes differ")
		}
	})
}

// Both leaves and the nodes above them are longer than a block.
func TestNodesMayBeLongerThanABlock(t *testing.T) {
	contents := make([][]byte, 40)
	for i := range contents {
		for k := range 20 {
			n := i*20 + k
			contents[i] = fmt.Appendf(contents[i], "%s%d%s %d ", strings.Repeat("long", n*n%300), n, strings.Repeat("x", n*7919%3000), n%3)
		}
	}
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, contents)
		data := m.write(t)
		m.check(t, data, m.someTerms(3))
		checkAllTerms(t, m, data)
		if terms, all := m.compare(t, data); terms != nil || all != nil {
			t.Errorf("got %v and %v, want no error", terms, all)
		}
	})
}

// A countingReader counts the bytes that are read.
type countingReader struct {
	io.ReaderAt
	n int64
}

func (r *countingReader) ReadAt(b []byte, at int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(b, at)
	r.n += int64(n)
	return n, err
}

// Terms can share a longer beginning than the dictionary stores. They must still be
// different terms, and each must cost at most maxTerm bytes.
func TestLongTermsCostLittle(t *testing.T) {
	const maxTerm = 255 // of the format
	eachSelection(t, func(t *testing.T, selection int) {
		long := bytes.Repeat([]byte("m"), 1<<16)
		var contents [][]byte
		for i := range 70 {
			contents = append(contents, fmt.Appendf(nil, "%s%d %s z%d", long, i, long[:maxTerm-3+i%7], i))
		}
		m := modelOf(selection, contents)
		data := m.write(t)
		if len(data) > 4*blockSize+maxTerm*len(m.terms()) {
			t.Errorf("the index is %d bytes long", len(data))
		}
		checkAllTerms(t, m, data)
		checkPostings(t, open(t, data).NewLookup(), string(long), nil)
		if terms, all := m.compare(t, data); terms != nil || all != nil {
			t.Errorf("got %v and %v, want no error", terms, all)
		}
	})
}

// A process that looks up a term should read little of a large index.
func TestALookupReadsABlockOfEachLevel(t *testing.T) {
	m := modelOf(0, generate(1000, 2<<10))
	data, want := m.write(t), m.postings()
	reader := &countingReader{ReaderAt: bytes.NewReader(data)}
	x, err := index.Open(reader, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if most := int64(len(data)/4096 + 2*blockSize); reader.n > most {
		t.Errorf("Open reads %d bytes, want at most %d", reader.n, most)
	}
	for _, term := range m.terms()[:200] {
		reader.n = 0
		checkPostings(t, x.NewLookup(), term, want[term])
		if most := int64(10 * blockSize); reader.n > most {
			t.Errorf("%q: a lookup reads %d bytes, want at most %d", term, reader.n, most)
		}
	}
	reader.n = 0
	if _, err := index.NewAudit(x.Documents()).Compare(x); err != nil {
		t.Fatal(err)
	}
	if most := int64(len(data) + len(data)/8); reader.n > most {
		t.Errorf("all terms read %d bytes of %d", reader.n, len(data))
	}
}

// The posting list is longer than the window of a reader.
func TestAPostingListMayHaveAnyLength(t *testing.T) {
	u := postingUnit{weights: map[string]uint32{"every": 1}, section: index.SectionRecord{Length: 1}}
	m := model{1, []page{newPage(0, slices.Repeat([]postingUnit{u}, effort.Cases(300_000, 80_000))...)}}
	m.pages = append(m.pages, newPage(1, unitOf(1, 1, 0, []byte("every last"))))
	data := m.write(t)
	x := open(t, data)
	for term, want := range m.postings() {
		checkPostings(t, x.NewLookup(), term, want)
	}
	if again, err := rewrite(x); err != nil || !bytes.Equal(again, data) {
		t.Errorf("the bytes differ, %v", err)
	}
	data[bytes.LastIndex(data, m.header().Origin)-20_000] ^= 1
	if _, err := rewrite(x); !errors.Is(err, index.ErrInvalid) {
		t.Errorf("damaged: got %v, want %v", err, index.ErrInvalid)
	}
	checkPostings(t, x.NewLookup(), "last", m.postings()["last"])
}

// If a Lookup asks for terms in order, it should read few blocks again.
func TestALookupKeepsItsBlocks(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, generate(500, 2<<10))
		data := m.write(t)
		reader := &countingReader{ReaderAt: bytes.NewReader(data)}
		x, err := index.Open(reader, int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		terms, l := m.terms(), x.NewLookup()
		reader.n = 0
		for _, term := range terms {
			checkPostings(t, l, term+"\x00", nil)
		}
		if most := int64(len(terms) / 10 * blockSize); reader.n > most {
			t.Errorf("%d lookups read %d bytes, want at most %d", len(terms), reader.n, most)
		}
	})
}
