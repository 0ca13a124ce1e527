package termindex_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/termindex"
)

// A part is a passage of the model, with what each of its terms weighs.
type part struct {
	termindex.Passage
	weights map[string]uint32
}

var (
	partTerms = rapid.OneOf(
		rapid.SampledFrom([]string{"a", "b", "term", "検索", "\x00", "\xFF", strings.Repeat("x", 300)}),
		rapid.StringMatching("t[0-9]{1,3}"),
	)
	partWeights = rapid.OneOf(rapid.Uint32Range(1, 5), rapid.Uint32Range(1, document.MaxSize))
)

var parts = rapid.Custom(func(t *rapid.T) part {
	p := part{weights: rapid.MapOfN(partTerms, partWeights, 0, 12).Draw(t, "weights")}
	p.Start = rapid.IntRange(0, document.MaxSize).Draw(t, "start")
	p.End = rapid.IntRange(p.Start, document.MaxSize).Draw(t, "end")
	p.Digest = rapid.Uint64().Draw(t, "digest")
	p.Slug = rapid.SampledFrom([]string{"", "install", "größe-1", strings.Repeat("s", 300)}).Draw(t, "slug")
	p.Sketch = rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "sketch")
	for _, weight := range p.weights {
		p.Length += weight
	}
	return p
})

// somePages draws pages, each of which has a part.
var somePages = rapid.SliceOfN(rapid.SliceOfN(parts, 1, 4), 0, 8)

// addTo adds the terms of a part to a collector, each in two steps.
func (p part) addTo(c *termindex.Collector, ordinal int) {
	terms := slices.Sorted(maps.Keys(p.weights))
	for _, term := range terms {
		if once := p.weights[term] / 2; once > 0 {
			c.AddTerm(ordinal, []byte(term), once)
		}
	}
	for _, term := range terms {
		c.AddTerm(ordinal, []byte(term), p.weights[term]-p.weights[term]/2)
	}
	c.EndTerms(ordinal)
}

// columnsOf returns the passages of pages, and the first of each page.
func columnsOf(pages [][]part) (firsts []uint32, passages []termindex.Passage) {
	firsts = []uint32{0}
	for _, page := range pages {
		for _, p := range page {
			passages = append(passages, p.Passage)
		}
		firsts = append(firsts, uint32(len(passages)))
	}
	return firsts, passages
}

// writePages writes an index of pages, whose terms the sources have.
func writePages(t rapid.TB, pages [][]part, s termindex.Sources) []byte {
	t.Helper()
	firsts, passages := columnsOf(pages)
	var out bytes.Buffer
	if err := termindex.WritePassages(&out, header, firsts, passages, s); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// collectPages adds all pages in order to one collector.
func collectPages(pages [][]part) termindex.Sources {
	c := new(termindex.Collector)
	for i, p := range slices.Concat(pages...) {
		p.addTo(c, i)
	}
	return termindex.Sources{Collectors: []*termindex.Collector{c}}
}

func openPassages(t rapid.TB, data []byte) *termindex.PassageIndex {
	t.Helper()
	x, err := termindex.OpenPassages(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// weightsIn returns the postings of every term.
func weightsIn(pages [][]part) map[string][]termindex.Posting {
	postings := map[string][]termindex.Posting{}
	for i, p := range slices.Concat(pages...) {
		for term, weight := range p.weights {
			postings[term] = append(postings[term], termindex.Posting{Ordinal: uint32(i), Count: weight})
		}
	}
	return postings
}

func TestAnIndexOfPassagesSaysWhatItWasGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := somePages.Draw(t, "pages")
		x := openPassages(t, writePages(t, pages, collectPages(pages)))
		firsts, passages := columnsOf(pages)
		want := header
		want.Origin = nil
		if got := x.Header(); !cmp.Equal(got, want) || x.Len() != len(passages) {
			t.Fatalf("got %v and %d passages, want %v and %d", got, x.Len(), want, len(passages))
		}
		checkParts(t, x, firsts, passages)
		all := weightsIn(pages)
		if x.Terms() != len(all) {
			t.Errorf("got %d terms, want %d", x.Terms(), len(all))
		}
		for term, want := range all {
			got, err := x.AppendPostings(nil, term)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%.20q: got %v, %v, want %v", term, got, err, want)
			}
			if got, err := x.AppendPostings(nil, term+"!"); err != nil || len(got) > 0 {
				t.Errorf("%.20q: got %v, %v, want none", term+"!", got, err)
			}
		}
	})
}

// checkParts compares all that an index says of passages besides their terms.
func checkParts(t rapid.TB, x *termindex.PassageIndex, firsts []uint32, passages []termindex.Passage) {
	t.Helper()
	if err := x.Check(); err != nil {
		t.Error(err)
	}
	gotFirsts, got, err := x.Passages()
	if diff := cmp.Diff(passages, got, cmpopts.EquateEmpty()); err != nil || !slices.Equal(gotFirsts, firsts) || diff != "" {
		t.Errorf("got firsts %v, %v, want %v; passages (-want +got):\n%s", gotFirsts, err, firsts, diff)
	}
	gotFirsts, lengths, err := x.Columns()
	if err != nil || !slices.Equal(gotFirsts, firsts) || len(lengths) != len(passages) {
		t.Fatalf("got columns %v, %v, %v", gotFirsts, lengths, err)
	}
	var buf []byte
	for i, want := range passages {
		p, err := x.Passage(i)
		if err != nil || p.Start != want.Start || p.End != want.End || p.Digest != want.Digest || lengths[i] != want.Length {
			t.Errorf("passage %d: got %v of length %d, %v, want %v", i, p, lengths[i], err, want)
		}
		if slug, err := x.Slug(i); err != nil || slug != want.Slug {
			t.Errorf("passage %d: got slug %q, %v, want %q", i, slug, err, want.Slug)
		}
		var sketch []byte
		if sketch, buf, err = x.Sketch(i, buf); err != nil || !bytes.Equal(sketch, want.Sketch) {
			t.Errorf("passage %d: got sketch %q, %v, want %q", i, sketch, err, want.Sketch)
		}
	}
}

// Wherever the terms come from: from collectors, dealt out in whatever order and
// with some that are left out in the end, or from an index before, or from both.
func TestBytesDependOnThePassagesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := somePages.Draw(t, "pages")
		want := writePages(t, pages, collectPages(pages))
		s := termindex.Sources{Jobs: rapid.IntRange(0, 3).Draw(t, "jobs")}
		for range rapid.IntRange(1, 4).Draw(t, "collectors") {
			s.Collectors = append(s.Collectors, new(termindex.Collector))
		}
		var before [][]part
		added := map[int]part{} // by where it is
		next := 0
		for _, page := range pages {
			isKept := rapid.Bool().Draw(t, "is kept")
			if isKept {
				for _, gone := range rapid.SliceOfN(rapid.SliceOfN(parts, 1, 3), 0, 2).Draw(t, "gone") {
					before = append(before, gone)
					s.Kept = append(s.Kept, slices.Repeat([]int{-1}, len(gone))...)
				}
				before = append(before, page)
			}
			for _, p := range page {
				if isKept {
					s.Kept = append(s.Kept, next)
				} else {
					added[next] = p
				}
				next++
			}
		}
		if len(before) > 0 {
			s.Previous = &openPassages(t, writePages(t, before, collectPages(before))).InvertedIndex
		}
		for range rapid.IntRange(0, 3).Draw(t, "left out") {
			added[-1-len(added)] = parts.Draw(t, "part")
		}
		order := slices.Sorted(maps.Keys(added))
		for ordinal, position := range rapid.Permutation(order).Draw(t, "order") {
			added[position].addTo(rapid.SampledFrom(s.Collectors).Draw(t, "collector"), ordinal)
			s.Ordinals = append(s.Ordinals, max(-1, position))
		}
		if got := writePages(t, pages, s); !bytes.Equal(got, want) {
			t.Error("it has other bytes")
		}
	})
}

// partAnswers asks an index for everything, as answers does.
func partAnswers(t rapid.TB, x *termindex.PassageIndex, terms []string) map[string]string {
	t.Helper()
	all := map[string]string{}
	note := func(question string, answer any, err error) {
		switch {
		case err == nil:
			all[question] = fmt.Sprint(answer)
		case !errors.Is(err, termindex.ErrInvalid):
			t.Fatalf("%s: %v", question, err)
		}
	}
	note("header", x.Header(), nil)
	note("length", x.Len(), nil)
	note("number of terms", x.Terms(), nil)
	firsts, lengths, err := x.Columns()
	note("columns", fmt.Sprint(firsts, lengths), err)
	if err != nil && (firsts != nil || lengths != nil) {
		t.Errorf("columns: got %d and %d values with %v", len(firsts), len(lengths), err)
	}
	for _, how := range []string{"read", "held"} {
		for i := range x.Len() {
			p, err := x.Passage(i)
			note(fmt.Sprint("passage ", i, how), p, err)
			slug, err := x.Slug(i)
			note(fmt.Sprint("slug ", i, how), slug, err)
			sketch, _, err := x.Sketch(i, nil)
			note(fmt.Sprint("sketch ", i, how), sketch, err)
		}
		note("hold", nil, x.Hold())
	}
	note("check", "", x.Check())
	again, err := rewritePassages(x)
	note("all of it", document.VersionOf(again), err)
	for _, term := range terms {
		postings, err := x.AppendPostings(nil, term)
		note("term "+term, postings, err)
	}
	return all
}

// rewritePassages writes an index from what it says itself.
func rewritePassages(x *termindex.PassageIndex) ([]byte, error) {
	firsts, passages, err := x.Passages()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = termindex.WritePassages(&out, x.Header(), firsts, passages, termindex.Sources{Previous: &x.InvertedIndex, Kept: identity(len(passages))})
	return out.Bytes(), err
}

// numberedPages returns pages whose parts have terms in common, and some of
// these.
func numberedPages(count, terms int) (pages [][]part, asked []string) {
	for i := range count {
		var page []part
		for k := range 1 + i%3 {
			p := part{weights: map[string]uint32{"every": uint32(1 + i)}}
			for n := range 20 {
				p.weights[fmt.Sprint((i*7919+n*104729+k)%terms)] = uint32(1 + n%3)
			}
			p.Passage = termindex.Passage{Start: k, End: i + k, Digest: uint64(i), Slug: fmt.Sprint("slug-", k), Sketch: fmt.Appendf(nil, "%d", i)}
			for _, weight := range p.weights {
				p.Length += weight
			}
			page = append(page, p)
		}
		pages = append(pages, page)
	}
	for i, term := range slices.Sorted(maps.Keys(weightsIn(pages))) {
		if i%50 == 0 {
			asked = append(asked, term)
		}
	}
	return pages, append(asked, "every", "absent")
}

// Every byte of an index of one page with two levels of dictionary.
func TestNoDamageOfPassagesChangesAnAnswer(t *testing.T) {
	pages, terms := numberedPages(4, 200)
	data := writePages(t, pages, collectPages(pages))
	want := partAnswers(t, openPassages(t, data), terms)
	for i := range data {
		spoiled := slices.Clone(data)
		spoiled[i] ^= 1 << (i % 8)
		if !checkNoOtherPart(t, spoiled, terms, want) {
			t.Errorf("byte %d: the damage was not noticed", i)
		}
		checkNoOtherPart(t, data[:i], terms, want)                          // cut off
		checkNoOtherPart(t, data[i+1:], terms, want)                        // beheaded
		checkNoOtherPart(t, append(data[:i:i], data[i+1:]...), terms, want) // one byte lost
	}
	checkNoOtherPart(t, append(slices.Clone(data), 0), terms, want)
}

// What is whole of an index of many pages still answers, and right.
func TestDamageOfPassagesIsNoticedWhereItIsRead(t *testing.T) {
	pages, terms := numberedPages(5000, 20_000)
	data := writePages(t, pages, collectPages(pages))
	terms = terms[len(terms)-50:]
	want := partAnswers(t, openPassages(t, data), terms)
	for i := 0; i < len(data)*7/8; i += len(data) / 7 {
		spoiled := slices.Clone(data)
		spoiled[i+20] ^= 0xFF
		if !checkNoOtherPart(t, spoiled, terms, want) {
			t.Errorf("byte %d: the damage was not noticed", i+20)
		}
	}
	lengths := 16 + 4*5001 + 4*5000 // a page that has no firsts
	spoiled := slices.Clone(data)
	spoiled[lengths] ^= 1
	if got := partAnswers(t, openPassages(t, spoiled), terms); len(got) == len(want) || len(got) < len(want)/2 {
		t.Errorf("got %d answers of %d, want most of them", len(got), len(want))
	}
}

// checkNoOtherPart is checkNoOtherAnswer for an index of passages.
func checkNoOtherPart(t *testing.T, data []byte, terms []string, want map[string]string) (refused bool) {
	t.Helper()
	x, err := termindex.OpenPassages(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		if !errors.Is(err, termindex.ErrInvalid) {
			t.Fatal(err)
		}
		return true
	}
	got := partAnswers(t, x, terms)
	for question, answer := range got {
		if answer != want[question] {
			t.Fatalf("%s: got %s, want %s", question, answer, want[question])
		}
	}
	return len(got) < len(want)
}

func TestAnIndexOfAnotherKindIsRefused(t *testing.T) {
	pages, _ := numberedPages(2, 10)
	data := writePages(t, pages, collectPages(pages))
	if _, err := termindex.Open(bytes.NewReader(data), int64(len(data))); !errors.Is(err, termindex.ErrInvalid) {
		t.Errorf("passages: got %v, want %v", err, termindex.ErrInvalid)
	}
	data, _ = write(t, [][]byte{[]byte("one")})
	if _, err := termindex.OpenPassages(bytes.NewReader(data), int64(len(data))); !errors.Is(err, termindex.ErrInvalid) {
		t.Errorf("documents: got %v, want %v", err, termindex.ErrInvalid)
	}
}

// A passagesToWrite is what WritePassages is given.
type passagesToWrite struct {
	header   termindex.Header
	firsts   []uint32
	passages []termindex.Passage
	sources  termindex.Sources
}

func TestWritePassagesRefusesWhatMakesNoIndex(t *testing.T) {
	pages, _ := numberedPages(3, 10) // of 1, 2 and 3 passages
	data := writePages(t, pages, collectPages(pages))
	for name, spoil := range map[string]func(w *passagesToWrite){
		"no firsts":              func(w *passagesToWrite) { w.firsts = nil },
		"not from 0":             func(w *passagesToWrite) { w.firsts[0] = 1 },
		"a page without":         func(w *passagesToWrite) { w.firsts[2] = w.firsts[1] },
		"not rising":             func(w *passagesToWrite) { w.firsts[1], w.firsts[2] = w.firsts[2], w.firsts[1] },
		"fewer passages":         func(w *passagesToWrite) { w.firsts[3]-- },
		"more passages":          func(w *passagesToWrite) { w.firsts[3]++ },
		"no pages":               func(w *passagesToWrite) { w.firsts = w.firsts[:1] },
		"before the page":        func(w *passagesToWrite) { w.passages[1].Start = -1 },
		"ends before it starts":  func(w *passagesToWrite) { w.passages[1].End = w.passages[1].Start - 1 },
		"larger than a page":     func(w *passagesToWrite) { w.passages[1].End = document.MaxSize + 1 },
		"a slug too long":        func(w *passagesToWrite) { w.passages[1].Slug = strings.Repeat("s", 1<<16+1) },
		"a sketch too long":      func(w *passagesToWrite) { w.passages[1].Sketch = make([]byte, document.MaxSize+1) },
		"a length too low":       func(w *passagesToWrite) { w.passages[5].Length-- },
		"a length too high":      func(w *passagesToWrite) { w.passages[0].Length++ },
		"a manifest of negative": func(w *passagesToWrite) { w.header.ManifestSize = -1 },
		"added twice":            func(w *passagesToWrite) { pages[2][2].addTo(w.sources.Collectors[0], 5) },
		"not added":              func(w *passagesToWrite) { w.sources.Collectors = nil },
		"left out":               func(w *passagesToWrite) { w.sources.Ordinals = []int{0, 1, 2, 3, 4, -1} },
		"beyond":                 func(w *passagesToWrite) { w.sources.Ordinals = []int{0, 1, 2, 3, 4, 6} },
		"kept and added": func(w *passagesToWrite) {
			w.sources.Previous, w.sources.Kept = &openPassages(t, data).InvertedIndex, identity(6)
		},
		"kept beyond": func(w *passagesToWrite) {
			w.sources = termindex.Sources{Previous: &openPassages(t, data).InvertedIndex, Kept: []int{0, 1, 2, 3, 4, 6}}
		},
		"kept of nothing": func(w *passagesToWrite) { w.sources.Kept = identity(6) },
	} {
		firsts, passages := columnsOf(pages)
		w := passagesToWrite{header, firsts, passages, collectPages(pages)}
		spoil(&w)
		if err := termindex.WritePassages(io.Discard, w.header, w.firsts, w.passages, w.sources); err == nil || errors.Is(err, termindex.ErrInvalid) {
			t.Errorf("%s: got %v, want an error that is not %v", name, err, termindex.ErrInvalid)
		}
	}
	firsts, passages := columnsOf(pages)
	passages[3].Length++
	kept := termindex.Sources{Previous: &openPassages(t, data).InvertedIndex, Kept: identity(6)}
	if err := termindex.WritePassages(io.Discard, header, firsts, passages, kept); !errors.Is(err, termindex.ErrInvalid) {
		t.Errorf("another length than before: got %v, want %v", err, termindex.ErrInvalid)
	}
}

func TestWritePassagesReturnsTheWritersError(t *testing.T) {
	full := errors.New("disk full")
	pages, _ := numberedPages(3, 10)
	firsts, passages := columnsOf(pages)
	for room := range len(writePages(t, pages, collectPages(pages))) {
		if err := termindex.WritePassages(&limitedWriter{room, full}, header, firsts, passages, collectPages(pages)); err != full {
			t.Fatalf("room for %d bytes: got %v, want %v", room, err, full)
		}
	}
}
