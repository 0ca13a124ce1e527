package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
)

func TestAnIndexAnswersLikeTheModel(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		rapid.Check(t, func(t *rapid.T) {
			m := drawModel(t, selection)
			m.check(t, m.write(t), m.someTerms(1))
		})
	})
}

func TestPostingsAreWhatTheScorerCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contents := rapid.SliceOfN(texts(), 0, 12).Draw(t, "contents")
		m := modelOf(0, contents)
		x := open(t, m.write(t))
		for i, content := range contents {
			if want := len(words.Split(string(content))); m.pages[i].Words != want {
				t.Errorf("%q: got %d words, want %d", content, m.pages[i].Words, want)
			}
		}
		for _, term := range m.terms() {
			var want []index.Posting
			for i, content := range contents {
				if n := countOf(content, term); n > 0 {
					want = append(want, index.Posting{Ordinal: uint32(i), Count: uint32(n)})
				}
			}
			checkPostings(t, x.NewLookup(), term, want)
		}
	})
}

// countOf returns how many words of a text are a term in lower case.
func countOf(text []byte, term string) (n int) {
	for _, word := range words.Split(words.Lower(string(text))) {
		if word == term {
			n++
		}
	}
	return n
}

func checkPostings(t rapid.TB, l *index.Lookup, term string, want []index.Posting) {
	t.Helper()
	got, err := l.AppendPostings(nil, term)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%.60q: got %v, %v, want %v", term, got, err, want)
	}
}

// numbered returns contents with words in common.
func numbered(count, numbers int) [][]byte {
	r := rand.New(rand.NewSource(1))
	contents := make([][]byte, count)
	for i := range contents {
		for range 40 {
			contents[i] = fmt.Appendf(contents[i], "every %d ", r.Intn(numbers))
		}
	}
	return contents
}

// There are enough terms for three levels, and enough documents for long chains and for
// several blocks of every part.
func TestALargeIndexAnswersLikeASmallOne(t *testing.T) {
	contents := make([][]byte, 2000)
	for i := range contents {
		contents[i] = bytes.Repeat([]byte("Every "), 1+i%5*50)
		for n := 2; n < 700; n *= 3 {
			if i%n == 0 {
				contents[i] = append(contents[i], strings.Repeat(fmt.Sprintf("nth-%d ", n), 1+i%3)...)
			}
		}
		for k := range 40 {
			contents[i] = fmt.Appendf(contents[i], "only-%d-%d ", i*7919%2000, k)
		}
	}
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, contents)
		data := m.write(t)
		m.check(t, data, m.someTerms(200))
		checkAllTerms(t, m, data)
	})
}

// checkAllTerms looks up all terms of m in order, and then some in random order.
func checkAllTerms(t *testing.T, m model, data []byte) {
	t.Helper()
	terms, want := m.terms(), m.postings()
	l := open(t, data).NewLookup()
	for _, term := range terms {
		checkPostings(t, l, term, want[term])
	}
	for _, i := range rand.New(rand.NewSource(1)).Perm(len(terms))[:min(1000, len(terms))] {
		checkPostings(t, l, terms[i], want[terms[i]])
	}
}

func TestWordsMayBeOfAnyLength(t *testing.T) {
	long := bytes.Repeat([]byte("Long"), document.MaxSize/4)
	m := modelOf(0, [][]byte{
		long,
		append(slices.Clone(long[:1<<19]), '!'),
		bytes.Repeat([]byte("Ⱥ"), 1<<16), // two bytes that become three in lower case
		[]byte("longl"),
		[]byte("zebra"),
	})
	m.check(t, m.write(t), m.someTerms(1))
}

// The document contains more terms than fit into a tally, both short and long, and each
// occurs in several places.
func TestADocumentMayHaveAnyNumberOfTerms(t *testing.T) {
	var content []byte
	for round := range 3 {
		for i := range 3000 {
			content = fmt.Appendf(content, "T%d %d-%s ", i, i*(1+round), strings.Repeat("long", i%90))
		}
	}
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, [][]byte{[]byte("t1"), content, content[:len(content)/2], []byte("t2999")})
		checkAllTerms(t, m, m.write(t))
	})
}

func TestAnEmptyIndexIsAnIndex(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		for _, contents := range [][][]byte{nil, {nil, []byte(" \n")}} {
			m := modelOf(selection, contents)
			m.check(t, m.write(t), m.someTerms(1))
		}
	})
}

// It compares the words of all Markdown files of a real corpus.
func TestRealTextAnswersLikeTheModel(t *testing.T) {
	contents := load(t, corpus())
	if len(contents) == 0 {
		t.Fatal("the corpus is empty")
	}
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, contents)
		data := m.encode(t, m.collect(3))
		m.check(t, data, m.someTerms(100))
		checkAllTerms(t, m, data)
	})
}

func TestAppendPostingsKeepsWhatIsThere(t *testing.T) {
	x := open(t, modelOf(0, [][]byte{[]byte("a b"), []byte("b")}).write(t))
	got, err := x.AppendPostings([]index.Posting{{Ordinal: 7, Count: 8}}, "b")
	want := []index.Posting{{Ordinal: 7, Count: 8}, {Ordinal: 0, Count: 1}, {Ordinal: 1, Count: 1}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, got (+), want (-):\n%s", err, diff)
	}
}

func TestAnOrdinalOutOfRangePanics(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		x := open(t, modelOf(selection, [][]byte{[]byte("one"), []byte("two")}).write(t))
		for what, get := range map[string]func(ordinal int){
			"document": func(ordinal int) { x.Document(ordinal) },
			"section":  func(ordinal int) { x.Section(ordinal) },
		} {
			for _, ordinal := range []int{-1, 2} {
				if !panics(func() { get(ordinal) }) {
					t.Errorf("%s %d: got no panic", what, ordinal)
				}
			}
		}
	})
}

func panics(do func()) (did bool) {
	defer func() { did = recover() != nil }()
	do()
	return false
}

// A written contains the arguments of Write.
type written struct {
	header  index.Header
	table   index.Table
	sources index.TermSources
}

func TestWriteRefusesAWrongTable(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, [][]byte{[]byte("one two"), []byte("two three three"), []byte("three"), []byte("four")})
		for name, spoil := range map[string]func(w *written){
			"order":         func(w *written) { w.table.Documents[0].ID = "x" },
			"same ID":       func(w *written) { w.table.Documents[0].ID = w.table.Documents[1].ID },
			"size":          func(w *written) { w.table.Documents[1].Size = document.MaxSize + 1 },
			"fewer than 0":  func(w *written) { w.table.Documents[1].Words = -1 },
			"more words":    func(w *written) { w.table.Documents[1].Words = w.table.Documents[1].Size + 1 },
			"file":          func(w *written) { w.table.Documents[1].FileSize = 1 << 32 },
			"range":         func(w *written) { w.table.Documents[1].ContentLength = w.table.Documents[1].FileSize },
			"offset":        func(w *written) { w.table.Documents[1].ContentOffset = -1 },
			"long names":    func(w *written) { w.table.Documents[1].Name = strings.Repeat("n", 1<<16) },
			"manifest":      func(w *written) { w.header.ManifestSize = -1 },
			"about":         func(w *written) { w.header.About = make([]byte, index.MaxAbout+1) },
			"selection":     func(w *written) { w.header.Selection = 2 },
			"selection -1":  func(w *written) { w.header.Selection = -1 },
			"the other one": func(w *written) { w.header.Selection = 1 - w.header.Selection },
			"not added":     func(w *written) { w.sources.Collectors = nil },
			"added twice":   func(w *written) { m.units()[1].addTo(w.sources.Collectors[0], 1) },
			"out of range":  func(w *written) { m.units()[1].addTo(w.sources.Collectors[0], 4) },
			"left out":      func(w *written) { w.sources.Ordinals = []int32{0, 1, 2, -1} },
			"beyond":        func(w *written) { w.sources.Ordinals = []int32{0, 1, 2, 4} },
			"nowhere":       func(w *written) { w.sources.Ordinals = []int32{0, 1, 2} },
		} {
			m.refused(t, name, spoil)
		}
	})
}

// refused checks that Write refuses the arguments after spoil has changed them.
func (m model) refused(t *testing.T, name string, spoil func(w *written)) {
	t.Helper()
	w := written{m.header(), m.table(), m.collect(1)}
	if err := index.Write(io.Discard, w.header, w.table, w.sources); err != nil {
		t.Fatal(err)
	}
	spoil(&w)
	if err := index.Write(io.Discard, w.header, w.table, w.sources); err == nil || errors.Is(err, index.ErrInvalid) {
		t.Errorf("%s: got %v, want an error that is not %v", name, err, index.ErrInvalid)
	}
}

func TestWriteRefusesAWrongNumberOfWords(t *testing.T) {
	m := modelOf(0, [][]byte{[]byte("one two"), []byte("two three three")})
	m.refused(t, "fewer", func(w *written) { w.table.Documents[1].Words-- })
	m.refused(t, "more", func(w *written) { w.table.Documents[1].Words++ })
	m.refused(t, "sections", func(w *written) { w.table.Sections = make([][]index.SectionRecord, 2) })
	m.refused(t, "a section of each", func(w *written) { w.table.Sections = [][]index.SectionRecord{{{Length: 2}}, {{Length: 3}}} })
}

func TestWriteReturnsTheWritersError(t *testing.T) {
	full := errors.New("disk full")
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, [][]byte{[]byte("one")})
		s := m.collect(1)
		for room := range m.encode(t, s) {
			if err := index.Write(&limitedWriter{room, full}, m.header(), m.table(), s); err != full {
				t.Fatalf("room for %d bytes: got %v, want %v", room, err, full)
			}
		}
	})
}

type limitedWriter struct {
	room int
	err  error
}

func (w *limitedWriter) Write(b []byte) (int, error) {
	if len(b) > w.room {
		return w.room, w.err
	}
	w.room -= len(b)
	return len(b), nil
}

func TestAnOriginOfAnySizeIsKept(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		for _, size := range []int{0, 1, 20_000, 1 << 20} {
			h := index.Header{Selection: selection, Origin: bytes.Repeat([]byte("o"), size)}
			var out bytes.Buffer
			if err := index.Write(&out, h, index.Table{}, index.TermSources{}); err != nil {
				t.Fatal(err)
			}
			if got, err := open(t, out.Bytes()).Origin(); err != nil || !bytes.Equal(got, h.Origin) {
				t.Errorf("%d bytes: got %d, %v", size, len(got), err)
			}
		}
		h := index.Header{Selection: selection, Origin: make([]byte, index.MaxOrigin+1)}
		if err := index.Write(io.Discard, h, index.Table{}, index.TermSources{}); err == nil {
			t.Error("too many bytes: got no error")
		}
		h.Origin = h.Origin[:index.MaxOrigin]
		if err := index.Write(io.Discard, h, index.Table{}, index.TermSources{}); err != nil {
			t.Error(err)
		}
	})
}

// Each way of reading an index fails once at each of its reads.
func TestReadErrorsAreNotDamage(t *testing.T) {
	broken := errors.New("broken disk")
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, [][]byte{[]byte("one")})
		data := m.write(t)
		source := &brokenReader{ReaderAt: bytes.NewReader(data), reads: 99}
		for _, way := range waysToRead(t, m, source, data) {
			for _, source.err = range []error{broken, io.EOF, io.ErrUnexpectedEOF} { // the latter two would mean that the file was truncated
				reads := 0
				for {
					source.reads = reads
					err := way.read()
					if err == nil {
						break
					}
					reads++
					if isInvalid := errors.Is(err, index.ErrInvalid); isInvalid == (source.err == broken) || !isInvalid && !errors.Is(err, source.err) {
						t.Errorf("%s: got %v of %v at read %d", way.name, err, source.err, reads)
					}
				}
				if reads == 0 {
					t.Errorf("%s reads nothing", way.name)
				}
			}
		}
	})
}

type wayToRead struct {
	name string
	read func() error
}

// waysToRead returns all ways to read an index of m, whose bytes are data.
func waysToRead(t *testing.T, m model, source io.ReaderAt, data []byte) []wayToRead {
	t.Helper()
	x, err := index.Open(source, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	k, err := index.NewTermCheck(x, len(m.pages))
	if err != nil {
		t.Fatal(err)
	}
	m.giveAll(k)
	units := len(m.units())
	ways := []wayToRead{
		{"open", func() error { _, err := index.Open(source, int64(len(data))); return err }},
		{"check", x.Check},
		{"postings", func() error { _, err := x.AppendPostings(nil, "one"); return err }},
		{"document", func() error { _, err := x.Document(0); return err }},
		{"documents", func() error { _, err := x.AllDocuments(); return err }},
		{"ids", func() error { _, err := x.IDs(); return err }},
		{"sizes", func() error { _, err := x.Sizes(); return err }},
		{"origin", func() error { _, err := x.Origin(); return err }},
		{"whole", func() error { _, err := index.Read(x); return err }},
		{"prefix", func() error { return x.EachWithPrefix("\xff", func([]byte, int) error { return nil }) }},
		{"audit", func() error { _, err := index.NewAudit(units).Compare(x); return err }},
		{"bytes", func() error { return k.CompareBytes(bytes.NewReader(data)) }},
		{"write", func() error {
			return index.Write(io.Discard, m.header(), m.table(), index.TermSources{Kept: []index.Kept{{Index: x, Places: identity(units)}}})
		}},
	}
	if m.selection == 0 {
		return append(ways, wayToRead{"words", func() error { _, err := x.Words(); return err }})
	}
	reopened := func(read func(x *index.Index) error) func() error { // because an open index keeps sections
		return func() error {
			x, err := index.Open(source, int64(len(data)))
			if err != nil {
				return err
			}
			return read(x)
		}
	}
	return append(ways, []wayToRead{
		{"firsts", func() error { _, err := x.Firsts(); return err }},
		{"columns", func() error { _, err := x.SectionNumbers(); return err }},
		{"sections", func() error { _, err := x.AllSections(); return err }},
		{"section", reopened(func(x *index.Index) error { _, err := x.Section(0); return err })},
		{"new check", func() error { _, err := index.NewTermCheck(x, len(m.pages)); return err }},
	}...)
}

// Errors must not be kept.
func TestHeldBlocksAndSectionsAreReadOnce(t *testing.T) {
	data := modelOf(1, numbered(100, 9)).write(t) // a single block of records
	source := &brokenReader{ReaderAt: bytes.NewReader(data), reads: 99, err: errors.New("broken disk")}
	x, err := index.Open(source, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	x.Hold()
	for _, step := range []struct {
		reads int
		want  error
	}{{0, source.err}, {99, nil}, {0, nil}} {
		source.reads = step.reads
		for i := range x.Documents() {
			if _, err := x.Document(i); !errors.Is(err, step.want) {
				t.Fatalf("document %d after %d reads: got %v, want %v", i, step.reads, err, step.want)
			}
		}
		source.reads = step.reads
		for i := range x.Sections() {
			if _, err := x.Section(i); !errors.Is(err, step.want) {
				t.Fatalf("section %d after %d reads: got %v, want %v", i, step.reads, err, step.want)
			}
		}
	}
}

// A brokenReader fails after a number of reads.
type brokenReader struct {
	io.ReaderAt
	reads int
	err   error
}

func (r *brokenReader) ReadAt(b []byte, at int64) (int, error) {
	if r.reads--; r.reads < 0 {
		return 0, r.err
	}
	return r.ReaderAt.ReadAt(b, at)
}

func TestIndexIsSafeForConcurrentUse(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, numbered(9, 200))
		data := m.write(t)
		x, terms := open(t, data), m.someTerms(5)
		want := fmt.Sprint(m.answers(data, terms))
		var asking sync.WaitGroup
		for range 8 {
			asking.Go(func() {
				if got := fmt.Sprint(ask(t, x, terms)); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		}
		asking.Wait()
	})
}

// It damages every byte of an index whose dictionary contains two levels.
func TestNoDamageChangesAnAnswer(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, numbered(4, 200))
		data, terms := m.write(t), append(m.terms()[:3], m.someTerms(50)...)
		m.check(t, data, terms)
		want := m.answers(data, terms)
		for i := range data {
			spoiled := slices.Clone(data)
			spoiled[i] ^= 1 << (i % 8)
			if !checkNoOtherAnswer(t, spoiled, terms, want) {
				t.Errorf("byte %d: the damage was not noticed", i)
			}
			checkNoOtherAnswer(t, data[:i], terms, want)                          // truncated at the end
			checkNoOtherAnswer(t, data[i+1:], terms, want)                        // truncated at the beginning
			checkNoOtherAnswer(t, append(data[:i:i], data[i+1:]...), terms, want) // without this byte
		}
		checkNoOtherAnswer(t, append(slices.Clone(data), 0), terms, want)
	})
}

// An index of many blocks must still answer correctly from its undamaged blocks.
func TestDamageOfABlockIsNoticedWhereItIsRead(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, numbered(1000, 10_000))
		data, terms := m.write(t), m.someTerms(500)
		m.check(t, data, terms)
		want := m.answers(data, terms)
		for i := 0; i < len(data); i += len(data)/20 + 1 {
			spoiled := slices.Clone(data)
			spoiled[i] ^= 0xFF
			if !checkNoOtherAnswer(t, spoiled, terms, want) {
				t.Errorf("byte %d: the damage was not noticed", i)
			}
		}
		spoiled := slices.Clone(data)
		spoiled[20_000] ^= 1 // the second block, of records
		if got := ask(t, open(t, spoiled), terms); len(got) == len(want) || len(got) < len(want)*3/4 {
			t.Errorf("got %d answers of %d, want most of them", len(got), len(want))
		}
	})
}

// checkNoOtherAnswer compares the answers of a damaged index with the right answers, and
// reports whether any is missing.
func checkNoOtherAnswer(t *testing.T, data []byte, terms []string, want answers) (refused bool) {
	t.Helper()
	x, err := index.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		if !errors.Is(err, index.ErrInvalid) {
			t.Fatal(err)
		}
		return true
	}
	got := ask(t, x, terms)
	for question, answer := range got {
		if answer != want[question] {
			t.Fatalf("%s: got %s, want %s", question, answer, want[question])
		}
	}
	return len(got) < len(want)
}

func ExampleOpen() {
	var builder index.Builder
	var lines []index.Line
	for i, content := range []string{"Keep the cache.", "The cache, the whole cache."} {
		doc := index.Record{ID: document.ID(fmt.Sprintf("%d.md", i)), Size: len(content)}
		lines = append(lines, index.Line{Record: doc, Terms: builder.AddWords([]byte(content), nil)})
	}
	var file bytes.Buffer
	if err := builder.Write(&file, index.Header{}, slices.Values(lines), nil, 1); err != nil {
		panic(err)
	}

	x, err := index.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		panic(err)
	}
	lengths, err := x.Words()
	if err != nil {
		panic(err)
	}
	postings, err := x.AppendPostings(nil, "the")
	if err != nil {
		panic(err)
	}
	for _, p := range postings {
		doc, err := x.Document(int(p.Ordinal))
		if err != nil {
			panic(err)
		}
		fmt.Println(doc.ID, p.Count, "of", lengths[p.Ordinal])
	}
	// Output:
	// 0.md 1 of 3
	// 1.md 2 of 5
}
