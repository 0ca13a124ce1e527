package termindex_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/termindex"
)

// pieces are what nasty texts are made of.
var pieces = []string{
	" ", "\n", "\t", "\r\n", "\v", "\u0085", "\u00A0", "\u1680", "\u2003", "\u2028", "\u202F", "\u205F", "\u3000",
	"\x00", "\x1C", "\x7F", "\uFEFF", "\u200B", "\xC2", "\xE2", "\xE2\x80", "\xE3\x80", "\x80", "\x85", "\xA0", "\xFF", "\xF0\x9F", "\xED\xA0\x80",
	"İ", "I", "Σ", "ΑΣ", "ΟΔΟΣ", "σ", "ς", "\u0307", "'", "K", "Ⱥ", "ſ", "ẞ", "é", "E\u0301", "文", "𐐀", "🙂",
	"a", "b", "A", "B", "the", "The", "THE", "term", "@", "[", "`", "{", "Z", "z", ".",
	strings.Repeat("x", 63), strings.Repeat("Y", 300), strings.Repeat("word ", 700),
}

var texts = rapid.Custom(func(t *rapid.T) []byte {
	return []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces"), ""))
})

func TestPostingsAreWhatTheScorerCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contents := rapid.SliceOfN(texts, 0, 12).Draw(t, "contents")
		data, docs := write(t, contents)
		checkAgainstModel(t, open(t, data), contents, docs)
	})
}

func checkAgainstModel(t rapid.TB, x *termindex.Index, contents [][]byte, docs []termindex.Document) {
	t.Helper()
	want := header
	want.Origin = nil
	if !reflect.DeepEqual(x.Header(), want) || x.Len() != len(docs) {
		t.Fatalf("got %v and %d documents, want %v and %d", x.Header(), x.Len(), want, len(docs))
	}
	if origin, err := x.Origin(); err != nil || !bytes.Equal(origin, header.Origin) {
		t.Fatalf("got origin %q, %v, want %q", origin, err, header.Origin)
	}
	nothing := words.SetOf(nil)
	for i, content := range contents {
		if _, total := nothing.Count(content); docs[i].Words != total {
			t.Fatalf("%q: got %d words, want %d", content, docs[i].Words, total)
		}
	}
	checkDocuments(t, x, docs)
	terms := termsOf(contents)
	if x.Terms() != len(terms) {
		t.Fatalf("got %d terms, want %d", x.Terms(), len(terms))
	}
	for term := range terms {
		checkPostings(t, x, term, postingsOf(contents, term))
		for _, other := range []string{term + "\x00", term + "a", term[:len(term)-1], strings.ToUpper(term)} {
			if !terms[other] {
				checkPostings(t, x, other, nil)
			}
		}
	}
	checkPostings(t, x, "", nil)
	checkPostings(t, x, "\xFF\xFF\xFF\xFF", nil)
}

func checkDocuments(t rapid.TB, x *termindex.Index, docs []termindex.Document) {
	t.Helper()
	counts, sizes, err := x.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range docs {
		got, err := x.Document(i)
		if err != nil || got != want {
			t.Fatalf("document %d: got %v, %v, want %v", i, got, err, want)
		}
		if int(counts[i]) != want.Words || int(sizes[i]) != want.Size {
			t.Fatalf("document %d: the columns have %d and %d, want %d and %d", i, counts[i], sizes[i], want.Words, want.Size)
		}
	}
}

func checkPostings(t rapid.TB, x *termindex.Index, term string, want []termindex.Posting) {
	t.Helper()
	got, err := x.AppendPostings(nil, term)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%.60q: got %v, %v, want %v", term, got, err, want)
	}
}

// However the documents are dealt out, to whom, in which order, and under which
// ordinals, and whichever are left out in the end.
func TestBytesDependOnTheDocumentsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contents := rapid.SliceOfN(texts, 0, 30).Draw(t, "contents")
		want, docs := write(t, contents)
		dropped := rapid.SliceOfN(texts, 0, 5).Draw(t, "dropped")
		ordinals := make([]int, 0, len(contents)+len(dropped))
		for i := range contents {
			ordinals = append(ordinals, i)
		}
		for range dropped {
			at := rapid.IntRange(0, len(ordinals)).Draw(t, "at")
			ordinals = slices.Insert(ordinals, at, -1)
		}
		for _, count := range []int{1, 2, 8} {
			collectors := make([]*termindex.Collector, count)
			for i := range collectors {
				collectors[i] = new(termindex.Collector)
			}
			added := make([]int, len(ordinals))
			for i := range added {
				added[i] = i
			}
			if rapid.Bool().Draw(t, "any order") {
				added = rapid.Permutation(added).Draw(t, "order")
			}
			left := dropped
			for _, i := range added {
				c := collectors[rapid.IntRange(0, count-1).Draw(t, "collector")]
				if ordinals[i] >= 0 {
					c.Add(i, contents[ordinals[i]])
				} else {
					c.Add(i, left[0])
					left = left[1:]
				}
			}
			if !bytes.Equal(encode(t, docs, ordinals, collectors...), want) {
				t.Fatalf("%d collectors make other bytes", count)
			}
			if !bytes.Equal(encode(t, docs, ordinals, collectors...), want) {
				t.Fatal("the second time they make other bytes")
			}
		}
	})
}

// Enough terms for three levels, enough documents for long chains and for
// several pages of everything.
func TestALargeIndexAnswersLikeASmallOne(t *testing.T) {
	contents := make([][]byte, 2000)
	want := map[string][]termindex.Posting{}
	for i := range contents {
		var text strings.Builder
		note := func(word string, count int) {
			text.WriteString(strings.Repeat(word+" ", count))
			want[word] = append(want[word], termindex.Posting{Ordinal: uint32(i), Count: uint32(count)})
		}
		note("every", 1+i%5*50)
		for n := 2; n < 700; n *= 3 {
			if i%n == 0 {
				note(fmt.Sprintf("nth-%d", n), 1+i%3)
			}
		}
		for k := range 40 {
			note(fmt.Sprintf("only-%d-%d", i*7919%2000, k), 1)
		}
		contents[i] = []byte(text.String())
	}
	data, docs := write(t, contents)
	x := open(t, data)
	checkDocuments(t, x, docs)
	for i, term := range slices.Sorted(maps.Keys(want)) {
		if i%17 == 0 || len(want[term]) > 1 {
			checkPostings(t, x, term, want[term])
			checkPostings(t, x, term+"!", nil)
		}
	}
	if x.Terms() != len(want) {
		t.Errorf("got %d terms, want %d", x.Terms(), len(want))
	}
}

func TestWordsMayBeOfAnyLength(t *testing.T) {
	long := bytes.Repeat([]byte("Long"), document.MaxSize/4)
	contents := [][]byte{
		long,
		append(slices.Clone(long[:1<<19]), '!'),
		bytes.Repeat([]byte("Ⱥ"), 1<<16), // two bytes that become three
		[]byte("longl"),
		[]byte("zebra"),
	}
	data, docs := write(t, contents)
	x := open(t, data)
	checkDocuments(t, x, docs)
	for i, content := range contents {
		term := words.Lower(string(content))
		checkPostings(t, x, term, []termindex.Posting{{Ordinal: uint32(i), Count: 1}})
		if i > 0 {
			checkPostings(t, x, term+"g", nil)
			checkPostings(t, x, term[:len(term)-1], nil)
		}
	}
}

func TestAnEmptyIndexIsAnIndex(t *testing.T) {
	data, docs := write(t, nil)
	checkAgainstModel(t, open(t, data), nil, docs)
	data, docs = write(t, [][]byte{nil, []byte(" \n")})
	checkAgainstModel(t, open(t, data), [][]byte{nil, []byte(" \n")}, docs)
}

func TestWriteRefusesWhatMakesNoIndex(t *testing.T) {
	contents := [][]byte{[]byte("one two"), []byte("two three three")}
	for name, spoil := range map[string]func(docs []termindex.Document, c *termindex.Collector){
		"order":        func(docs []termindex.Document, _ *termindex.Collector) { docs[0].ID = "x" },
		"same ID":      func(docs []termindex.Document, _ *termindex.Collector) { docs[0].ID = docs[1].ID },
		"words":        func(docs []termindex.Document, _ *termindex.Collector) { docs[1].Words-- },
		"more words":   func(docs []termindex.Document, _ *termindex.Collector) { docs[1].Words = 16 },
		"size":         func(docs []termindex.Document, _ *termindex.Collector) { docs[1].Size = document.MaxSize + 1 },
		"file":         func(docs []termindex.Document, _ *termindex.Collector) { docs[1].FileSize = 1 << 32 },
		"range":        func(docs []termindex.Document, _ *termindex.Collector) { docs[1].ContentLength = docs[1].FileSize },
		"offset":       func(docs []termindex.Document, _ *termindex.Collector) { docs[1].ContentOffset = -1 },
		"added twice":  func(_ []termindex.Document, c *termindex.Collector) { c.Add(1, contents[1]) },
		"out of range": func(_ []termindex.Document, c *termindex.Collector) { c.Add(2, contents[1]) },
	} {
		docs := describe(contents)
		var c termindex.Collector
		for i, content := range contents {
			docs[i].Words = c.Add(i, content)
		}
		if err := termindex.Write(io.Discard, header, docs, termindex.Sources{Collectors: []*termindex.Collector{&c}}); err != nil {
			t.Fatal(err)
		}
		spoil(docs, &c)
		if err := termindex.Write(io.Discard, header, docs, termindex.Sources{Collectors: []*termindex.Collector{&c}}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func TestWriteReturnsTheWritersError(t *testing.T) {
	full := errors.New("disk full")
	docs := describe([][]byte{[]byte("one")})
	var c termindex.Collector
	docs[0].Words = c.Add(0, []byte("one"))
	size := len(encode(t, docs, nil, &c))
	for room := range size {
		err := termindex.Write(&limitedWriter{room, full}, header, docs, termindex.Sources{Collectors: []*termindex.Collector{&c}})
		if err != full {
			t.Fatalf("room for %d bytes: got %v, want %v", room, err, full)
		}
	}
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

func TestReadErrorsAreNotDamage(t *testing.T) {
	data, _ := write(t, [][]byte{[]byte("one")})
	broken := errors.New("broken disk")
	if _, err := termindex.Open(failingReader{broken}, int64(len(data))); !errors.Is(err, broken) || errors.Is(err, termindex.ErrInvalid) {
		t.Errorf("got %v, want %v", err, broken)
	}
	source := &switchedReader{ReaderAt: bytes.NewReader(data)}
	x, err := termindex.Open(source, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	source.err = broken
	_, err = x.AppendPostings(nil, "one")
	_, err2 := x.Document(0)
	_, _, err3 := x.Columns()
	for _, err := range []error{err, err2, err3} {
		if !errors.Is(err, broken) || errors.Is(err, termindex.ErrInvalid) {
			t.Errorf("got %v, want %v", err, broken)
		}
	}
	source.err = io.EOF // the file was cut
	if _, err := x.Document(0); !errors.Is(err, termindex.ErrInvalid) {
		t.Errorf("got %v, want %v", err, termindex.ErrInvalid)
	}
}

type failingReader struct{ err error }

func (r failingReader) ReadAt([]byte, int64) (int, error) { return iotest.ErrReader(r.err).Read(nil) }

type switchedReader struct {
	io.ReaderAt
	err error
}

func (r *switchedReader) ReadAt(b []byte, at int64) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	return r.ReaderAt.ReadAt(b, at)
}

func TestIndexIsSafeForConcurrentUse(t *testing.T) {
	contents := [][]byte{[]byte("one two"), []byte("two three three")}
	data, docs := write(t, contents)
	x := open(t, data)
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() { checkAgainstModel(t, x, contents, docs) })
	}
	asking.Wait()
}

// numbered writes an index of documents that have words in common, and returns
// some terms of it.
func numbered(t rapid.TB, documents, numbers int) (data []byte, terms []string) {
	t.Helper()
	r := rand.New(rand.NewSource(1))
	contents := make([][]byte, documents)
	for i := range contents {
		for range 40 {
			contents[i] = fmt.Appendf(contents[i], "every %d ", r.Intn(numbers))
		}
	}
	data, _ = write(t, contents)
	for i, term := range slices.Sorted(maps.Keys(termsOf(contents))) {
		if i%50 == 0 {
			terms = append(terms, term)
		}
	}
	return data, append(terms, "every", "absent")
}

// Every byte of an index of one page with two levels of dictionary.
func TestNoDamageChangesAnAnswer(t *testing.T) {
	data, terms := numbered(t, 4, 200)
	want := answers(t, open(t, data), terms)
	for i := range data {
		spoiled := slices.Clone(data)
		spoiled[i] ^= 1 << (i % 8)
		if !checkNoOtherAnswer(t, spoiled, terms, want) {
			t.Errorf("byte %d: the damage was not noticed", i)
		}
		checkNoOtherAnswer(t, data[:i], terms, want)                          // cut off
		checkNoOtherAnswer(t, data[i+1:], terms, want)                        // beheaded
		checkNoOtherAnswer(t, append(data[:i:i], data[i+1:]...), terms, want) // one byte lost
	}
	checkNoOtherAnswer(t, append(slices.Clone(data), 0), terms, want)
}

// What is whole of an index of many pages still answers, and right.
func TestDamageOfAPageIsNoticedWhereItIsRead(t *testing.T) {
	data, terms := numbered(t, 400, 20_000)
	want := answers(t, open(t, data), terms)
	for i := 0; i < len(data); i += 2003 {
		spoiled := slices.Clone(data)
		spoiled[i] ^= 0xFF
		checkNoOtherAnswer(t, spoiled, terms, want)
	}
	spoiled := slices.Clone(data)
	spoiled[20_000] ^= 1
	if got := answers(t, open(t, spoiled), terms); len(got) == len(want) || len(got) < len(want)/4 {
		t.Errorf("got %d answers of %d, want most of them", len(got), len(want))
	}
}

// checkNoOtherAnswer compares what a damaged index answers with what it should,
// and reports whether it refused anything.
func checkNoOtherAnswer(t *testing.T, data []byte, terms []string, want map[string]string) (refused bool) {
	t.Helper()
	x, err := termindex.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		if !errors.Is(err, termindex.ErrInvalid) {
			t.Fatal(err)
		}
		return true
	}
	got := answers(t, x, terms)
	for question, answer := range got {
		if answer != want[question] {
			t.Fatalf("%s: got %s, want %s", question, answer, want[question])
		}
	}
	return len(got) < len(want)
}

// All words of all Markdown files below the directory that
// CONTEXT_TERMINDEX_CORPUS names.
func TestRealTextAnswersLikeTheModel(t *testing.T) {
	root := os.Getenv("CONTEXT_TERMINDEX_CORPUS")
	if root == "" {
		t.Skip("CONTEXT_TERMINDEX_CORPUS names no directory")
	}
	contents := load(t, root)
	want := map[string][]termindex.Posting{}
	for i, content := range contents {
		for _, word := range words.Split(string(content)) {
			term := words.Lower(word)
			postings := want[term]
			if n := len(postings); n > 0 && postings[n-1].Ordinal == uint32(i) {
				postings[n-1].Count++
			} else {
				want[term] = append(postings, termindex.Posting{Ordinal: uint32(i), Count: 1})
			}
		}
	}
	collectors, docs := collect(contents, 3)
	x := open(t, encode(t, docs, nil, collectors...))
	checkDocuments(t, x, docs)
	t.Logf("%d documents, %d terms", x.Len(), x.Terms())
	if x.Terms() != len(want) {
		t.Errorf("got %d terms, want %d", x.Terms(), len(want))
	}
	for term, postings := range want {
		checkPostings(t, x, term, postings)
	}
}

func TestAppendPostingsKeepsWhatIsThere(t *testing.T) {
	data, _ := write(t, [][]byte{[]byte("a b"), []byte("b")})
	got, err := open(t, data).AppendPostings([]termindex.Posting{{Ordinal: 7, Count: 8}}, "b")
	want := []termindex.Posting{{Ordinal: 7, Count: 8}, {Ordinal: 0, Count: 1}, {Ordinal: 1, Count: 1}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, got (+), want (-):\n%s", err, diff)
	}
}

func ExampleOpen() {
	contents := []string{"Keep the cache.", "The cache, the whole cache."}
	var collector termindex.Collector
	docs := make([]termindex.Document, len(contents))
	for i, content := range contents {
		docs[i] = termindex.Document{
			ID:    document.ID(fmt.Sprintf("%d.md", i)),
			Size:  len(content),
			Words: collector.Add(i, []byte(content)),
		}
	}
	var file bytes.Buffer
	if err := termindex.Write(&file, termindex.Header{}, docs, termindex.Sources{Collectors: []*termindex.Collector{&collector}}); err != nil {
		panic(err)
	}

	index, err := termindex.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		panic(err)
	}
	postings, err := index.AppendPostings(nil, "the")
	if err != nil {
		panic(err)
	}
	for _, p := range postings {
		doc, err := index.Document(int(p.Ordinal))
		if err != nil {
			panic(err)
		}
		fmt.Println(doc.ID, p.Count, "of", doc.Words)
	}
	// Output:
	// 0.md 1 of 3
	// 1.md 2 of 5
}

// More terms than a tally has room for, short ones and long ones, and each in
// several of the parts that are counted.
func TestADocumentMayHaveAnyNumberOfTerms(t *testing.T) {
	var content []byte
	for round := range 3 {
		for i := range 3000 {
			content = fmt.Appendf(content, "T%d %d-%s ", i, i*(1+round), strings.Repeat("long", i%90))
		}
	}
	contents := [][]byte{[]byte("t1"), content, content[:len(content)/2], []byte("t2999")}
	data, docs := write(t, contents)
	x := open(t, data)
	checkDocuments(t, x, docs)
	want := map[string][]termindex.Posting{}
	for i, content := range contents {
		for term, n := range counts(content) {
			want[term] = append(want[term], termindex.Posting{Ordinal: uint32(i), Count: uint32(n)})
		}
	}
	if x.Terms() != len(want) {
		t.Errorf("got %d terms, want %d", x.Terms(), len(want))
	}
	for term, postings := range want {
		checkPostings(t, x, term, postings)
	}
}
