package termindex

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/contextcompiler/context/document"
)

// This file does to indexes of passages what hostile_test.go does to those of
// documents.

// askPassages asks for everything.
func askPassages(t testing.TB, data []byte, terms []string) {
	t.Helper()
	check := func(err error) {
		if err != nil && !errors.Is(err, ErrInvalid) {
			t.Fatalf("got %v, want no error but %v", err, ErrInvalid)
		}
	}
	x, err := OpenPassages(bytes.NewReader(data), int64(len(data)))
	check(err)
	if err != nil {
		return
	}
	check(x.Check())
	askEachPassage(t, x, len(data), check)
	check(x.Hold())
	askEachPassage(t, x, len(data), check)
	firsts, lengths, err := x.Columns()
	check(err)
	if err == nil && (len(lengths) != x.Len() || !arePages(firsts, x.Len())) {
		t.Fatalf("got columns %d and %d", firsts, lengths)
	}
	firsts, passages, err := x.Passages()
	check(err)
	if err == nil {
		check(WritePassages(io.Discard, x.Header(), firsts, passages, Sources{Previous: &x.InvertedIndex, Kept: steps(len(passages))}))
	}
	_, err = NewAudit(x.Len()).Compare(&x.InvertedIndex)
	check(err)
	for _, term := range terms {
		postings, err := x.AppendPostings(nil, term)
		check(err)
		last := int64(-1)
		for _, p := range postings {
			if int64(p.Ordinal) <= last || int(p.Ordinal) >= x.Len() || p.Count == 0 {
				t.Fatalf("%q: got postings %v", term, postings)
			}
			last = int64(p.Ordinal)
		}
	}
}

// askEachPassage asks for all passages of an index of that size, one by one.
func askEachPassage(t testing.TB, x *PassageIndex, size int, check func(error)) {
	t.Helper()
	var buf []byte
	for i := range x.Len() {
		p, err := x.Passage(i)
		check(err)
		if err == nil && (p.Start < 0 || p.End < p.Start || p.End > document.MaxSize) {
			t.Fatalf("got passage %v", p)
		}
		slug, err := x.Slug(i)
		check(err)
		if len(slug) > min(size, maxNames) {
			t.Fatalf("got a slug of %d bytes", len(slug))
		}
		var sketch []byte
		sketch, buf, err = x.Sketch(i, buf)
		check(err)
		if len(sketch) > size || len(buf) > size {
			t.Fatalf("got a sketch of %d bytes", len(sketch))
		}
	}
}

// smallPassages writes an index of two pages with three passages.
func smallPassages(t testing.TB, terms int) (data []byte, all []string) {
	t.Helper()
	var c Collector
	passages := make([]Passage, 3)
	for i := range passages {
		p := &passages[i]
		*p = Passage{Start: i, End: i * i, Digest: uint64(i), Slug: "slug"[:i], Sketch: []byte("sketch"[i:])}
		p.End += i
		for k := range terms {
			if term := fmt.Sprint("term", k*k); k%len(passages) <= i {
				c.AddTerm(i, []byte(term), uint32(k+1))
				p.Length += uint32(k + 1)
				all = append(all, term)
			}
		}
		c.EndTerms(i)
	}
	var out bytes.Buffer
	if err := WritePassages(&out, Header{}, []uint32{0, 1, 3}, passages, Sources{Collectors: []*Collector{&c}}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return out.Bytes(), append(slices.Compact(all), "", "a", "term", "term1!", "zzz")
}

func TestSealedNonsenseOfPassagesIsRefusedOrAnswered(t *testing.T) {
	data, terms := smallPassages(t, 70)
	terms = append(terms[:3], terms[len(terms)-9:]...)
	f, sections := frame(t, &passageLayout, data)
	if again := seal(t, f, sections); !bytes.Equal(again, data) {
		t.Fatal("the frame of the test is not that of WritePassages")
	}
	for i := range sections {
		for _, b := range []byte{0, 0x7F, 0xFF, sections[i] + 1, sections[i] - 1} {
			spoiled := slices.Clone(sections)
			spoiled[i] = b
			askPassages(t, seal(t, f, spoiled), terms)
		}
	}
}

func TestHostileNumbersOfPassagesAreRefused(t *testing.T) {
	data, terms := smallPassages(t, 70)
	f, sections := frame(t, &passageLayout, data)
	for _, n := range append(hostileNumbers, 2, 4, 6, 8, 12, 16, 32, 96) {
		for i := range numbersOf(&f) {
			for k := range numbersOf(&f) { // a length fits only if another one does not
				spoiled := f
				numbers := numbersOf(&spoiled)
				*numbers[k] += *numbers[i] - n
				*numbers[i] = n
				askPassages(t, seal(t, spoiled, sections), terms)
			}
		}
	}
}

// Passages that share a slug of the most bytes would take a thousand times what
// the index takes.
func TestPassagesDoNotShareTexts(t *testing.T) {
	data, _ := smallPassages(t, 3)
	f, sections := frame(t, &passageLayout, data)
	start, _ := f.section(partsKind)
	parts := sections[start-openingSize:]
	copy(parts[partSize : 2*partSize][16:], parts[16:partSize])
	x, err := OpenPassages(bytes.NewReader(seal(t, f, sections)), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := x.Passages(); !errors.Is(err, ErrInvalid) {
		t.Errorf("got %v, want %v", err, ErrInvalid)
	}
}

// FuzzPassages opens what it is given as a file, and as the sections of one whose
// checksums are right.
func FuzzPassages(f *testing.F) {
	for _, terms := range []int{0, 1, 70} {
		data, _ := smallPassages(f, terms)
		frame, sections := frame(f, &passageLayout, data)
		f.Add(data, frame.documents, frame.terms, frame.root, frame.lengths[0], frame.lengths[3], "term4")
		f.Add(sections, frame.documents, frame.terms, frame.root, frame.lengths[0], frame.lengths[3], "term4")
	}
	f.Fuzz(func(t *testing.T, data []byte, passages, terms, root, firsts, texts int64, term string) {
		wanted := []string{term, "", term + "x", "term1"}
		askPassages(t, data, wanted)
		askPassages(t, seal(t, footerOfPassages(len(data), passages, terms, root, firsts, texts), data), wanted)
	})
}

// footerOfPassages returns a footer for so many bytes of sections that is as good
// as the numbers allow.
func footerOfPassages(size int, passages, terms, root, firsts, texts int64) footer {
	fixed := passages * (columnWidth + partSize)
	return footer{
		documents: passages, terms: terms, root: root,
		layout: &passageLayout, lengths: []int64{
			firsts, passages * columnWidth, passages * partSize, texts, int64(size) - fixed - firsts - texts,
		},
	}
}
