package termindex

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/contextcompiler/context/document"
)

// This file asks indexes whose checksums are right and whose contents were
// made by somebody else than Write. Their answers may be anything, but they
// are answers or ErrInvalid.

var documentFooter = documentLayout.footerSize()

// frame returns the footer of an index of a layout, and what comes between the
// opening and the checksums.
func frame(t testing.TB, l *layout, data []byte) (footer, []byte) {
	t.Helper()
	f, err := decodeFooter(l, data[len(data)-l.footerSize():])
	if err != nil {
		t.Fatal(err)
	}
	return f, data[openingSize:f.bodyEnd()]
}

// seal puts a frame with the right checksums around sections.
func seal(t testing.TB, f footer, sections []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := &pageWriter{out: &out}
	w.write([]byte(f.layout.opening))
	w.write(sections)
	if err := w.close(&f); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// askAll asks for everything.
func askAll(t testing.TB, data []byte, terms []string) {
	t.Helper()
	check := func(err error) {
		if err != nil && !errors.Is(err, ErrInvalid) {
			t.Fatalf("got %v, want no error but %v", err, ErrInvalid)
		}
	}
	x, err := Open(bytes.NewReader(data), int64(len(data)))
	check(err)
	if err != nil {
		return
	}
	_, err = x.Documents()
	check(err)
	for i := range x.Len() {
		doc, err := x.Document(i)
		check(err)
		if err == nil && (!doc.isBounded() || len(doc.ID)+len(doc.Name) > len(data)) {
			t.Fatalf("got document %v", doc)
		}
	}
	words, sizes, err := x.Columns()
	check(err)
	if err == nil && (len(words) != x.Len() || len(sizes) != x.Len()) {
		t.Fatalf("got columns of %d and %d, want %d", len(words), len(sizes), x.Len())
	}
	_, err = x.Origin()
	check(err)
	_, err = NewAudit(x.Len()).Compare(&x.InvertedIndex)
	check(err)
	if words != nil {
		check(takeOver(x, words, sizes))
	}
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

// takeOver writes an index whose documents have their words from another, and
// all else from here.
func takeOver(x *Index, words, sizes []uint32) error {
	docs, kept := make([]Document, len(words)), make([]int, len(words))
	for i := range docs {
		kept[i] = i
		docs[i] = Document{ID: document.ID(fmt.Sprintf("%09d", i)), Size: int(sizes[i]), Words: int(words[i])}
	}
	return Write(io.Discard, Header{}, docs, Sources{Previous: &x.InvertedIndex, Kept: kept})
}

// small writes an index with a dictionary of two levels, or of one.
func small(t testing.TB, terms int) (data []byte, all []string) {
	t.Helper()
	var c Collector
	docs := make([]Document, 4)
	for i := range docs {
		var text []byte
		for k := range terms {
			if term := fmt.Sprint("term", k*k); k%len(docs) <= i {
				text = fmt.Appendf(text, "%s ", term)
				all = append(all, term)
			}
		}
		docs[i] = Document{ID: document.ID('a' + rune(i)), Name: "f", Size: len(text), Words: c.Add(i, text)}
	}
	var out bytes.Buffer
	if err := Write(&out, Header{Origin: []byte("here")}, docs, Sources{Collectors: []*Collector{&c}}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return out.Bytes(), append(slices.Compact(all), "", "a", "term", "term1!", "zzz")
}

// hostileNumbers are in no index, or only in other places of it.
var hostileNumbers = []int64{-1, 0, 1, 5, 64, 65, 1 << 20, math.MaxInt32, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64, math.MaxInt64 / recordSize, math.MinInt64}

// numbersOf returns the numbers of a footer, to be spoiled.
func numbersOf(f *footer) []*int64 {
	numbers := []*int64{&f.documents, &f.terms, &f.root, &f.header.ManifestSize}
	f.lengths = slices.Clone(f.lengths)
	for i := range f.lengths {
		numbers = append(numbers, &f.lengths[i])
	}
	return numbers
}

func TestSealedNonsenseIsRefusedOrAnswered(t *testing.T) {
	data, terms := small(t, 70)
	terms = append(terms[:3], terms[len(terms)-9:]...)
	f, sections := frame(t, &documentLayout, data)
	if again := seal(t, f, sections); !bytes.Equal(again, data) {
		t.Fatal("the frame of the test is not that of Write")
	}
	for i := range sections {
		for _, b := range []byte{0, 0x7F, 0xFF, sections[i] + 1, sections[i] - 1} {
			spoiled := slices.Clone(sections)
			spoiled[i] = b
			askAll(t, seal(t, f, spoiled), terms)
		}
	}
}

func TestHostileNumbersAreRefused(t *testing.T) {
	data, terms := small(t, 70)
	f, sections := frame(t, &documentLayout, data)
	for _, n := range hostileNumbers {
		for i := range numbersOf(&f) {
			spoiled := f
			*numbersOf(&spoiled)[i] = n
			askAll(t, seal(t, spoiled, sections), terms)
		}
	}
}

func TestOtherVersionsAndSectionsAreRefused(t *testing.T) {
	data, _ := small(t, 3)
	for what, at := range map[string]int{
		"magic":              0,
		"version":            8,
		"analyzer":           12,
		"number of sections": len(data) - documentFooter + 64,
		"kind of a section":  len(data) - documentFooter + 68,
		"length of footer":   len(data) - 8,
	} {
		other := slices.Clone(data)
		other[at]++
		end := len(other) - checksumSize
		binary.LittleEndian.PutUint32(other[end:], checksum(other[len(data)-documentFooter:end]))
		if _, err := Open(bytes.NewReader(other), int64(len(other))); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: got %v, want %v", what, err, ErrInvalid)
		}
	}
}

func TestVarintsHaveOneForm(t *testing.T) {
	for _, b := range [][]byte{{}, {0x80}, {0x80, 0}, {0x81, 0x80, 0}, bytes.Repeat([]byte{0xFF}, 10), bytes.Repeat([]byte{0x80}, 20)} {
		if v, n := uvarint(b); n != 0 {
			t.Errorf("%x: got %d in %d bytes, want nothing", b, v, n)
		}
	}
	for _, v := range []uint64{0, 1, 127, 128, 1 << 32, math.MaxUint64} {
		b := binary.AppendUvarint(nil, v)
		if got, n := uvarint(append(b, 1)); got != v || n != len(b) {
			t.Errorf("%d: got %d in %d bytes", v, got, n)
		}
	}
}

func TestPostingsHaveOneForm(t *testing.T) {
	for _, p := range []Posting{{0, 1}, {1, 2}, {math.MaxUint32, 1}, {math.MaxUint32, document.MaxSize}} {
		b := appendPosting(nil, p.Ordinal, p.Count)
		step, count, n := decodePosting(b)
		if step != p.Ordinal || count != p.Count || n != len(b) || n > maxPosting {
			t.Errorf("%v: got %d, %d in %d bytes of %d", p, step, count, n, len(b))
		}
	}
	for _, b := range [][]byte{{}, {2}, {2, 0x80}, {0x80, 0}, binary.AppendUvarint(nil, 1<<33|1), {2, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}} {
		if step, count, n := decodePosting(b); n != 0 {
			t.Errorf("%x: got %d, %d in %d bytes, want nothing", b, step, count, n)
		}
	}
}

// FuzzOpen opens what it is given as a file, and as the sections of one whose
// checksums are right.
func FuzzOpen(f *testing.F) {
	for _, terms := range []int{0, 1, 70} {
		data, _ := small(f, terms)
		frame, sections := frame(f, &documentLayout, data)
		f.Add(data, frame.documents, frame.terms, frame.root, frame.lengths[1], int64(4), "term4")
		f.Add(sections, frame.documents, frame.terms, frame.root, frame.lengths[1], int64(4), "term4")
	}
	f.Fuzz(func(t *testing.T, data []byte, documents, terms, root, names, origin int64, term string) {
		wanted := []string{term, "", term + "x", "term1"}
		askAll(t, data, wanted)
		askAll(t, seal(t, footerOf(len(data), documents, terms, root, names, origin), data), wanted)
	})
}

// footerOf returns a footer for so many bytes of sections that is as good as
// the numbers allow.
func footerOf(size int, documents, terms, root, names, origin int64) footer {
	fixed := documents * (recordSize + 2*columnWidth)
	return footer{
		documents: documents, terms: terms, root: root,
		layout: &documentLayout, lengths: []int64{
			documents * recordSize, names, documents * columnWidth, documents * columnWidth, int64(size) - fixed - names - origin, origin,
		},
	}
}

// Documents that share a name of the most bytes would take a thousand times what
// the index takes.
func TestDocumentsDoNotShareNames(t *testing.T) {
	data, _ := small(t, 3)
	f, sections := frame(t, &documentLayout, data)
	copy(sections[recordSize : 2*recordSize][76:88], sections[76:88])
	x, err := Open(bytes.NewReader(seal(t, f, sections)), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Documents(); !errors.Is(err, ErrInvalid) {
		t.Errorf("got %v, want %v", err, ErrInvalid)
	}
}
