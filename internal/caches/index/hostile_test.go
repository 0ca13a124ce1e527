package index

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
	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/internal/base/words"
)

// This file reads indexes whose checksums are right although their contents are forged.
// They may return anything or fail with ErrInvalid, but must not panic.

// frame returns the footer of an index, and the bytes between the opening and the
// checksums.
func frame(t testing.TB, selection int, data []byte) (footer, []byte) {
	t.Helper()
	f, err := decodeFooter(selection, data)
	if err != nil {
		t.Fatal(err)
	}
	return f, data[openingSize:f.bodyEnd()]
}

// seal adds a frame with the right checksums to parts.
func seal(t testing.TB, f footer, parts []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := &blockWriter{out: &out}
	w.write([]byte(f.layout().opening))
	w.write(parts)
	if err := w.close(&f); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// checkError accepts no errors except ErrInvalid and those.
func checkError(t testing.TB, err error, those ...error) {
	t.Helper()
	if err == nil || errors.Is(err, ErrInvalid) || slices.ContainsFunc(those, func(e error) bool { return errors.Is(err, e) }) {
		return
	}
	t.Fatalf("got %v, want no error but %v", err, ErrInvalid)
}

// askAll reads everything and reports whether data can be opened at all.
func askAll(t testing.TB, data []byte, terms []string) (opens bool) {
	t.Helper()
	x, err := Open(bytes.NewReader(data), int64(len(data)))
	checkError(t, err)
	if err != nil {
		return false
	}
	checkError(t, x.Check())
	_, err = x.Origin()
	checkError(t, err)
	for i := range x.Documents() {
		doc, err := x.Document(i)
		checkError(t, err)
		if err == nil && (!doc.isBounded() || len(doc.ID)+len(doc.Name) > len(data)) {
			t.Fatalf("got document %v", doc)
		}
	}
	askSections(t, x, len(data))
	x.Hold()
	askSections(t, x, len(data))
	askTables(t, x)
	_, err = NewAudit(x.ordinals()).Compare(x)
	checkError(t, err)
	askTerms(t, x, terms)
	return true
}

// askSections reads all sections of an index of size bytes, one by one.
func askSections(t testing.TB, x *Index, size int) {
	t.Helper()
	for i := range x.Sections() {
		s, err := x.Section(i)
		checkError(t, err)
		if err == nil && !s.isBounded() {
			t.Fatalf("got section %v", s)
		}
		if len(s.Slug) > min(size, maxNames) {
			t.Fatalf("got a slug of %d bytes", len(s.Slug))
		}
		if len(s.Sketch) > size {
			t.Fatalf("got a sketch of %d bytes", len(s.Sketch))
		}
	}
}

// askTables reads all tables of an index, and writes the index again from them.
func askTables(t testing.TB, x *Index) {
	t.Helper()
	words, err := x.Words()
	checkError(t, err)
	sizes, err := x.Sizes()
	checkError(t, err)
	columns, err := x.SectionNumbers()
	checkError(t, err)
	firsts, err := x.Firsts()
	checkError(t, err)
	if err == nil && (len(firsts) != x.Documents()+1 || !areFirsts(firsts[:x.Documents()], x.Sections())) {
		t.Fatalf("got firsts %d", firsts)
	}
	docs, err := x.AllDocuments()
	checkError(t, err)
	ids, err := x.IDs()
	checkError(t, err)
	sections, err := x.AllSections()
	checkError(t, err)
	for _, n := range []int{len(words), len(sizes), len(docs), len(ids)} {
		if n != 0 && n != x.Documents() {
			t.Fatalf("got a table of %d documents, want %d", n, x.Documents())
		}
	}
	if columns == nil {
		columns = new(SectionNumbers)
	}
	for ordinal := range uint32(columns.Len()) {
		if _, first := columns.PageOf(ordinal); first > ordinal {
			t.Fatalf("got a page from section %d for section %d", first, ordinal)
		}
	}
	for _, n := range []int{columns.Len(), len(slices.Concat(sections...))} {
		if n != 0 && n != x.Sections() {
			t.Fatalf("got a table of %d sections, want %d", n, x.Sections())
		}
	}
	whole, err := Read(x)
	checkError(t, err)
	if err != nil {
		return
	}
	for _, d := range docs {
		_, _, err := whole.Find(d.ID)
		checkError(t, err)
	}
	lines := make([]Line, len(docs))
	for i := range lines {
		lines[i] = Line{Record: Record{Name: "f"}, Kept: i + 1}
	}
	checkError(t, new(Builder).Write(io.Discard, x.Header(), slices.Values(lines), []*Whole{whole}, 1))
}

func askTerms(t testing.TB, x *Index, terms []string) {
	t.Helper()
	for _, term := range terms {
		postings, err := x.AppendPostings(nil, term)
		checkError(t, err)
		last := int64(-1)
		for _, p := range postings {
			if int64(p.Ordinal) <= last || int(p.Ordinal) >= x.ordinals() || p.Count == 0 {
				t.Fatalf("%q: got postings %v", term, postings)
			}
			last = int64(p.Ordinal)
		}
	}
}

// A small is an index of a few documents with a dictionary of one or two levels.
type small struct {
	selection int
	terms     []string // to look up
	data      []byte
}

const smallDocuments = 4

// smallAbout is the About of the small index for each selection.
var smallAbout = [...]string{0: "", 1: "about"}

func newSmall(t testing.TB, selection, terms int) small {
	t.Helper()
	s := small{selection: selection}
	for k := range terms {
		s.terms = append(s.terms, fmt.Sprint("term", k*k))
	}
	slices.Sort(s.terms)
	var b Builder
	lines := make([]Line, smallDocuments)
	for i := range lines {
		lines[i] = Line{Record: s.document(i), Terms: s.add(i, &b)}
	}
	var out bytes.Buffer
	if err := b.Write(&out, Header{Selection: selection, Origin: []byte("here"), About: []byte(smallAbout[selection])}, slices.Values(lines), nil, 1); err != nil {
		t.Fatal(err)
	}
	s.data = out.Bytes()
	return s
}

func (s *small) document(i int) Record {
	return Record{ID: document.ID('a' + rune(i)), Name: "f", Size: 1000}
}

// add adds the terms of a document.
func (s *small) add(i int, to Adder) PageTerms {
	if s.selection == 0 {
		var text []byte
		for k, term := range s.terms {
			if k%smallDocuments <= i {
				text = fmt.Appendf(text, "%s ", term)
			}
		}
		return to.AddWords(text, nil)
	}
	return to.AddSections(1+i%2, func(section int, add func(words.TermWeight)) SectionRecord {
		made := SectionRecord{Start: i, End: 3 * i, Traits: uint8(i)&^continuesTrait | firstTrait, Digest: uint64(i), Slug: "slug"[:i], Sketch: []byte("sketch"[i:])}
		if section > 0 {
			made.Traits &^= firstTrait
			made.Lead, made.Tail = document.Range{End: i}, document.Range{Start: 3 * i, End: 4 * i}
		}
		for k, term := range s.terms {
			if k%smallDocuments <= i+section {
				add(words.WeightOf([]byte(term), uint32(k+1)))
				made.Length += uint32(k + 1)
			}
		}
		return made
	})
}

// asked returns a few terms to look up.
func (s *small) asked() []string {
	asked := []string{"", "a", "term", "term1!", "zzz"}
	if n := len(s.terms); n > 0 {
		asked = append(asked, s.terms[0], s.terms[n/8*4], s.terms[n/2], s.terms[n-1]) // the second is in all documents
	}
	return asked
}

// accepts reports whether a check accepts data as the index of the documents of s.
func (s *small) accepts(t testing.TB, data []byte) bool {
	t.Helper()
	x, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return false
	}
	k, err := NewTermCheck(x, smallDocuments)
	checkError(t, err, ErrDiffers)
	if err != nil {
		return false
	}
	for i := range smallDocuments {
		doc := s.document(i)
		k.Add(i, doc, s.add(i, k.At(i, doc.ID)))
	}
	err, err2 := k.CompareTerms(), k.CompareBytes(bytes.NewReader(data))
	checkError(t, err, ErrDiffers)
	checkError(t, err2, ErrDiffers)
	return err == nil && err2 == nil
}

func eachLayout(t *testing.T, test func(t *testing.T, selection int)) {
	for selection := range layouts {
		t.Run(fmt.Sprintf("selection=%d", selection), func(t *testing.T) { test(t, selection) })
	}
}

func TestSealedNonsenseIsRefusedOrAnswered(t *testing.T) {
	eachLayout(t, func(t *testing.T, selection int) {
		s := newSmall(t, selection, 70)
		f, parts := frame(t, selection, s.data)
		if again := seal(t, f, parts); !bytes.Equal(again, s.data) || !s.accepts(t, again) {
			t.Fatal("the frame of the test differs from that of Write")
		}
		for i := 0; i < len(parts); i += effort.Cases(1, 7) {
			for _, b := range []byte{0, 0x7F, 0xFF, parts[i] + 1, parts[i] - 1} {
				spoiled := slices.Clone(parts)
				spoiled[i] = b
				data := seal(t, f, spoiled)
				askAll(t, data, s.asked())
				isOpaque := i >= len(parts)-len("here"+smallAbout[selection]) // so the caller must compare it
				if b != parts[i] && !isOpaque && s.accepts(t, data) {
					t.Errorf("a check accepts %d instead of %d at %d", b, parts[i], i)
				}
			}
		}
	})
}

// hostileNumbers don't occur in any index, or only in other places.
var hostileNumbers = []int64{
	-1, 0, 1, 2, 4, 5, 6, 8, 12, 16, 32, 64, 65, 96, 1 << 20, math.MaxInt32, math.MaxUint32, math.MaxUint32 + 1,
	math.MaxInt64 / recordSize, math.MaxInt64, math.MinInt64,
}

// numbersOf returns the numbers of a footer to forge.
func numbersOf(f *footer) []*int64 {
	numbers := []*int64{&f.documents, &f.sections, &f.terms, &f.root, &f.header.ManifestSize}
	f.lengths = slices.Clone(f.lengths)
	for i := range f.lengths {
		numbers = append(numbers, &f.lengths[i])
	}
	return numbers
}

func TestHostileNumbersAreRefused(t *testing.T) {
	eachLayout(t, func(t *testing.T, selection int) {
		s := newSmall(t, selection, 70)
		f, parts := frame(t, selection, s.data)
		for _, n := range hostileNumbers {
			for i := range numbersOf(&f) {
				for k := range numbersOf(&f) { // two lengths may change together if their sum stays the same
					spoiled := f
					numbers := numbersOf(&spoiled)
					*numbers[k] += *numbers[i] - n
					*numbers[i] = n
					data := seal(t, spoiled, parts)
					askAll(t, data, s.asked())
					isOpaque := spoiled.header.ManifestSize != f.header.ManifestSize || f.differsInOpaqueParts(spoiled)
					if !isOpaque && s.accepts(t, data) {
						t.Errorf("a check accepts %v instead of %v", spoiled, f)
					}
				}
			}
		}
	})
}

// differsInOpaqueParts reports whether other equals f, except for the lengths of the
// origin and the About, which the caller must compare.
func (f footer) differsInOpaqueParts(other footer) bool {
	opaque := termsPart(f.header.Selection) + 1
	other.lengths = slices.Concat(other.lengths[:opaque], f.lengths[opaque:])
	return bytes.Equal(other.encode(), f.encode())
}

// Here, all parts agree on the forged numbers, so Open accepts most of them.
func TestHostileNumbersThatFitAreAnswered(t *testing.T) {
	eachLayout(t, func(t *testing.T, selection int) {
		s := newSmall(t, selection, 70)
		f, parts := frame(t, selection, s.data)
		opened := 0
		for documents := range f.documents + 3 {
			for sections := range f.sections + 3 {
				for _, names := range []int64{0, 1, f.length(namesKind), 200} {
					for _, terms := range []int64{1, 64, 65, f.terms, 64*64 + 1} {
						forged := footerOf(selection, len(parts), documents, sections, terms, f.root, names, f.length(textsKind), 4)
						if askAll(t, seal(t, forged, parts), s.asked()) {
							opened++
						}
					}
				}
			}
		}
		if opened < 20 {
			t.Errorf("only %d of the indexes open", opened)
		}
	})
}

// It replaces each byte of the dictionary, and therefore each number, with a long number.
func TestHostileNumbersOfTheDictionaryAreRefused(t *testing.T) {
	eachLayout(t, func(t *testing.T, selection int) {
		s := newSmall(t, selection, 70)
		f, parts := frame(t, selection, s.data)
		start, end := f.part(termsKind)
		for at := start; at < end; at += int64(effort.Cases(1, 11)) {
			for _, n := range []uint64{1 << 20, math.MaxInt64, math.MaxUint64} {
				number := binary.AppendUvarint(nil, n)
				i, longer := int(at-openingSize), int64(len(number)-1)
				forged, spoiled := f, slices.Concat(parts[:i], number, parts[i+1:])
				forged.lengths = slices.Clone(f.lengths)
				forged.lengths[termsPart(selection)] += longer
				if at < start+f.root {
					forged.root += longer
				}
				data := seal(t, forged, spoiled)
				askAll(t, data, s.asked())
				if s.accepts(t, data) {
					t.Errorf("a check accepts %d at %d", n, at)
				}
			}
		}
	})
}

// A build that keeps an index must not keep nodes that lookups refuse, or that lead elsewhere.
func TestReadRefusesNodesThatNoBuildWrites(t *testing.T) {
	eachLayout(t, func(t *testing.T, selection int) {
		s := newSmall(t, selection, 70)
		f, parts := frame(t, selection, s.data)
		start, end := f.part(termsKind)
		if f.height() != 1 {
			t.Fatal("the dictionary consists of leaves only")
		}
		for at := start + f.root; at <= end; at++ {
			spoiled := slices.Clone(parts)
			if at < end { // otherwise, nothing is spoiled
				spoiled[at-openingSize]++
			}
			data := seal(t, f, spoiled)
			x, err := Open(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Read(x); errors.Is(err, ErrInvalid) != (at < end) {
				t.Errorf("byte %d of the dictionary: got %v", at-start, err)
			}
		}
	})
}

// footerOf returns the footer of parts of size bytes. It is as plausible as the numbers
// allow.
func footerOf(selection, size int, documents, sections, terms, root, names, texts, origin int64) footer {
	f := footer{header: Header{Selection: selection}, documents: documents, sections: sections, terms: terms, root: root}
	rest := int64(size)
	for _, p := range f.layout().parts {
		if p.kind == aboutKind && smallAbout[selection] == "" {
			break
		}
		length := f.count(p.of) * p.size
		switch p.kind {
		case namesKind:
			length = names
		case framesKind:
			length = frameSize
		case textsKind:
			length = texts
		case originKind:
			length = origin
		case aboutKind:
			length = int64(len(smallAbout[selection]))
		}
		f.lengths = append(f.lengths, length)
		rest -= length
	}
	f.lengths[termsPart(selection)] = rest
	return f
}

// termsPart returns the position of the terms among the parts.
func termsPart(selection int) int {
	return slices.IndexFunc(layouts[selection].parts, func(p part) bool { return p.kind == termsKind })
}

func TestOtherVersionsAndPartsAreRefused(t *testing.T) {
	eachLayout(t, func(t *testing.T, selection int) {
		data := newSmall(t, selection, 3).data
		f, _ := frame(t, selection, data)
		footer := len(data) - f.size()
		for what, at := range map[string]int{
			"magic":            0,
			"version":          8,
			"selection":        12,
			"selection, high":  15,
			"number of parts":  footer + 72,
			"kind of a part":   footer + 76,
			"length of footer": len(data) - 8,
		} {
			other := slices.Clone(data)
			other[at] += 2
			end := len(other) - checksumSize
			binary.LittleEndian.PutUint32(other[end:], checksum(other[footer:end]))
			if _, err := Open(bytes.NewReader(other), int64(len(other))); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: got %v, want %v", what, err, ErrInvalid)
			}
		}
	})
}

// An index for a selection must not be accepted for another, even if its opening says so.
func TestTheOtherSelectionIsRefused(t *testing.T) {
	eachLayout(t, func(t *testing.T, selection int) {
		other := slices.Clone(newSmall(t, selection, 70).data)
		copy(other, layouts[1-selection].opening)
		if _, err := Open(bytes.NewReader(other), int64(len(other))); !errors.Is(err, ErrInvalid) {
			t.Errorf("got %v, want %v", err, ErrInvalid)
		}
	})
}

// A reader must refuse an empty About, because a build would leave the part out, and an
// About that is too long.
func TestAnAboutOfAWrongSizeIsRefused(t *testing.T) {
	eachLayout(t, func(t *testing.T, selection int) {
		data := newSmall(t, selection, 3).data
		for _, size := range []int{0, 1, MaxAbout, MaxAbout + 1} {
			f, parts := frame(t, selection, slices.Clone(data))
			parts = append(parts[:len(parts)-len(smallAbout[selection])], make([]byte, size)...)
			f.lengths = append(f.lengths[:len(layouts[selection].parts)-1], int64(size))
			forged := seal(t, f, parts)
			x, err := Open(bytes.NewReader(forged), int64(len(forged)))
			if isRefused := errors.Is(err, ErrInvalid); isRefused != (size == 0 || size > MaxAbout) {
				t.Errorf("%d bytes: got %v", size, err)
			}
			if err == nil && len(x.Header().About) != size {
				t.Errorf("%d bytes: got %d", size, len(x.Header().About))
			}
		}
	})
}

func TestAnOriginThatIsTooLongIsRefused(t *testing.T) {
	parts := make([]byte, MaxOrigin+1)
	for _, size := range []int{MaxOrigin, MaxOrigin + 1} {
		data := seal(t, footerOf(0, size, 0, 0, 0, 0, 0, 0, int64(size)), parts[:size])
		_, err := Open(bytes.NewReader(data), int64(len(data)))
		if isRefused := errors.Is(err, ErrInvalid); isRefused != (size > MaxOrigin) {
			t.Errorf("%d bytes: got %v", size, err)
		}
	}
}

// If documents shared a name of maximum length, or sections a text, they would need a
// thousand times the memory of the index.
func TestNamesAndTextsAreNotShared(t *testing.T) {
	eachLayout(t, func(t *testing.T, selection int) {
		s := newSmall(t, selection, 3)
		f, parts := frame(t, selection, s.data)
		share := func(k partKind, size, at, end int) *Index {
			spoiled := slices.Clone(parts)
			start, _ := f.part(k)
			records := spoiled[start-openingSize:]
			copy(records[2*size:][at:end], records[size:][at:end])
			data := seal(t, f, spoiled)
			x, err := Open(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		if _, err := share(recordsKind, recordSize, 76, recordSize).AllDocuments(); !errors.Is(err, ErrInvalid) {
			t.Errorf("names: got %v, want %v", err, ErrInvalid)
		}
		if selection == 0 {
			return
		}
		if _, err := share(sectionsKind, sectionSize, 16, sectionSize).AllSections(); !errors.Is(err, ErrInvalid) {
			t.Errorf("texts: got %v, want %v", err, ErrInvalid)
		}
	})
}

// lengthen returns an index in which the first text of a part is n bytes longer. The
// length is stored in the first record of another part, at the given offset.
func (s *small) lengthen(t *testing.T, records partKind, at int, texts partKind, n int) *Index {
	t.Helper()
	f, parts := frame(t, s.selection, slices.Clone(s.data))
	start, _ := f.part(records)
	length := parts[int(start)-openingSize+at:]
	binary.LittleEndian.PutUint32(length, binary.LittleEndian.Uint32(length)+uint32(n))
	_, end := f.part(texts)
	parts = slices.Insert(parts, int(end)-openingSize, make([]byte, n)...)
	for i, p := range f.layout().parts {
		if p.kind == texts {
			f.lengths[i] += int64(n)
		}
	}
	data := seal(t, f, parts)
	x, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestTextsThatAreTooLongAreRefused(t *testing.T) {
	eachLayout(t, func(t *testing.T, selection int) {
		s := newSmall(t, selection, 3)
		for n, isTooLong := range map[int]bool{maxNames - 2: false, maxNames - 1: true} { // "a" and "f" already exist
			x := s.lengthen(t, recordsKind, 88, namesKind, n)
			if _, err := x.Document(0); errors.Is(err, ErrInvalid) != isTooLong {
				t.Errorf("%d bytes of names: got %v", n, err)
			}
		}
		if selection == 0 {
			return
		}
		for n, isTooLong := range map[int]bool{maxNames: false, maxNames + 1: true} {
			x := s.lengthen(t, sectionsKind, 24, textsKind, n)
			if _, err := x.Section(0); errors.Is(err, ErrInvalid) != isTooLong {
				t.Errorf("a slug of %d bytes: got %v", n, err)
			}
		}
	})
}

// Open must notice damage in everything it reads.
func TestOpenNoticesDamage(t *testing.T) {
	eachLayout(t, func(t *testing.T, selection int) {
		s := newSmall(t, selection, 70)
		f, _ := frame(t, selection, s.data)
		for i := range s.data {
			if openingSize <= i && int64(i) < f.bodyEnd() {
				continue
			}
			spoiled := slices.Clone(s.data)
			spoiled[i] ^= 1 << (i % 8)
			if _, err := Open(bytes.NewReader(spoiled), int64(len(spoiled))); !errors.Is(err, ErrInvalid) {
				t.Errorf("byte %d: got %v, want %v", i, err, ErrInvalid)
			}
		}
	})
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

// FuzzOpen opens its data both as a file and as the parts of a file with the right
// checksums.
func FuzzOpen(f *testing.F) {
	for selection := range layouts {
		for _, terms := range []int{0, 1, 70} {
			s := newSmall(f, selection, terms)
			frame, parts := frame(f, selection, s.data)
			for _, data := range [][]byte{s.data, parts} {
				f.Add(data, selection == 1, frame.documents, frame.sections, frame.terms, frame.root, frame.length(namesKind), frame.length(textsKind), int64(4), "term4")
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, ofSections bool, documents, sections, terms, root, names, texts, origin int64, term string) {
		wanted := []string{term, "", term + "x", "term1"}
		askAll(t, data, wanted)
		selection := 0
		if ofSections {
			selection = 1
		}
		askAll(t, seal(t, footerOf(selection, len(data), documents, sections, terms, root, names, texts, origin), data), wanted)
	})
}
