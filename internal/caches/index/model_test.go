package index_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
)

// This file contains the model that indexes are compared with. It stores documents as
// plain values and knows the answer of their index to every question.

// A model contains the documents of an index, in the order of their IDs.
type model struct {
	selection int
	pages     []page
}

// A page is a document of a model.
type page struct {
	index.Record
	units []postingUnit // exactly one for selection 0
}

// A postingUnit is a document or section that postings refer to.
type postingUnit struct {
	content []byte              // for selection 0
	section index.SectionRecord // for selection 1
	weights map[string]uint32
}

// eachSelection runs a test for each selection.
func eachSelection(t *testing.T, test func(t *testing.T, selection int)) {
	for selection := range 2 {
		t.Run(fmt.Sprintf("selection=%d", selection), func(t *testing.T) { test(t, selection) })
	}
}

// counts returns how often a content has each term.
func counts(content []byte) map[string]uint32 {
	n := map[string]uint32{}
	for _, word := range words.Split(string(content)) {
		n[words.Lower(word)]++
	}
	return n
}

func (u *postingUnit) sum() (sum uint32) {
	for _, weight := range u.weights {
		sum += weight
	}
	return sum
}

// newPage returns a page that sorts after all pages with lower numbers.
func newPage(number int, units ...postingUnit) page {
	content := units[0].content
	for k := range units {
		units[k].section.Traits &^= 1
	}
	units[0].section.Traits = units[0].section.Traits&^2 | 1
	p := page{units: units, Record: index.Record{
		Size:  len(content),
		Words: int(units[0].sum()),
	}}
	if content == nil {
		content = fmt.Appendf(nil, "%v", units)
		p.Size, p.Words = 7*number, 0
	}
	p.ID = document.ID(fmt.Sprintf("docs/%06d.md", number))
	p.Version = document.VersionOf(content)
	p.Name = fmt.Sprintf("%s-%d.json", p.Version.Stem(), number)
	p.FileSize = int64(len(content) + 1000 + number)
	p.FileSum = sha256.Sum256(append([]byte("file of "), content...))
	p.ContentOffset = int64(100 + number%800)
	p.ContentLength = int64(len(content) + 2)
	return p
}

// modelOf returns a model with a unit for each content. For selection 1, each page
// contains one to three units.
func modelOf(selection int, contents [][]byte) model {
	m := model{selection: selection}
	for at := 0; at < len(contents); {
		number := len(m.pages)
		size := 1
		if selection == 1 {
			size = min(1+number%3, len(contents)-at)
		}
		var units []postingUnit
		for k, content := range contents[at:][:size] {
			units = append(units, unitOf(selection, number, k, content))
		}
		m.pages = append(m.pages, newPage(number, units...))
		at += size
	}
	return m
}

func unitOf(selection, number, k int, content []byte) postingUnit {
	u := postingUnit{weights: counts(content)}
	if selection == 0 {
		u.content = append([]byte{}, content...)
		return u
	}
	u.section = index.SectionRecord{
		Start: k, End: number + 2*k, Length: u.sum(), Traits: uint8(k) << 1, Digest: uint64(number),
		Slug: fmt.Sprint("slug-", k), Sketch: fmt.Appendf(nil, "%d", number),
	}
	if k > 0 {
		u.section.Lead, u.section.Tail = document.Range{Start: 0, End: k}, document.Range{Start: number + 2*k, End: 2*number + 3*k}
	}
	return u
}

// pieces combine to difficult texts.
var pieces = []string{
	" ", "\n", "\t", "\r\n", "\v", "\u0085", "\u00A0", "\u1680", "\u2003", "\u2028", "\u202F", "\u205F", "\u3000",
	"\x00", "\x1C", "\x7F", "\uFEFF", "\u200B", "\xC2", "\xE2", "\xE2\x80", "\xE3\x80", "\x80", "\x85", "\xA0", "\xFF", "\xF0\x9F", "\xED\xA0\x80",
	"İ", "I", "Σ", "ΑΣ", "ΟΔΟΣ", "σ", "ς", "\u0307", "'", "K", "Ⱥ", "ſ", "ẞ", "é", "E\u0301", "文", "𐐀", "🙂",
	"a", "b", "A", "B", "the", "The", "THE", "term", "@", "[", "`", "{", "Z", "z", ".",
	strings.Repeat("x", 63), strings.Repeat("Y", 300), strings.Repeat("word ", 700),
}

func texts() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		return []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces"), ""))
	})
}

func sectionTerms() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"a", "b", "term", "検索", "\x00", "\xFF", strings.Repeat("x", 300)}),
		rapid.StringMatching("t[0-9]{1,3}"),
	)
}

func sectionWeights() *rapid.Generator[uint32] {
	return rapid.OneOf(rapid.Uint32Range(1, 5), rapid.Uint32Range(1, document.MaxSize))
}

func drawUnit(t *rapid.T) postingUnit {
	u := postingUnit{weights: rapid.MapOfN(sectionTerms(), sectionWeights(), 0, 12).Draw(t, "weights")}
	s := &u.section
	s.Start = rapid.IntRange(0, document.MaxSize).Draw(t, "start")
	s.End = rapid.IntRange(s.Start, document.MaxSize).Draw(t, "end")
	s.Lead, s.Tail = drawRange(t, "lead", 0, s.Start), drawRange(t, "tail", s.End, document.MaxSize)
	s.Digest = rapid.Uint64().Draw(t, "digest")
	s.Slug = rapid.SampledFrom([]string{"", "install", "größe-1", strings.Repeat("s", 300)}).Draw(t, "slug")
	s.Sketch = rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "sketch")
	s.Traits = rapid.ByteRange(0, 7).Draw(t, "traits")
	s.Length = u.sum()
	return u
}

// drawRange draws a range of bytes between two offsets, which may be empty.
func drawRange(t *rapid.T, label string, from, to int) (r document.Range) {
	if from == to || rapid.Bool().Draw(t, "no "+label) {
		return r
	}
	r.Start = rapid.IntRange(from, to-1).Draw(t, label)
	r.End = rapid.IntRange(r.Start+1, to).Draw(t, label+" end")
	return r
}

func drawPage(t *rapid.T, selection, number int) page {
	if selection == 0 {
		return newPage(number, unitOf(0, number, 0, texts().Draw(t, "content")))
	}
	return newPage(number, rapid.SliceOfN(rapid.Custom(drawUnit), 1, 4).Draw(t, "sections")...)
}

func drawModel(t *rapid.T, selection int) model {
	m := model{selection: selection}
	for number := range rapid.IntRange(0, 10).Draw(t, "pages") {
		m.pages = append(m.pages, drawPage(t, selection, number))
	}
	return m
}

func (m model) header() index.Header {
	return index.Header{
		CacheVersion: document.VersionOf([]byte("a cache")),
		ManifestSize: 1234,
		Selection:    m.selection,
		Origin:       []byte("by hand"),
		About:        []byte(strings.Repeat("about", m.selection)), // empty for selection 0
	}
}

func (m model) table() index.Table {
	var t index.Table
	for _, p := range m.pages {
		t.Documents = append(t.Documents, p.Record)
		if m.selection == 0 {
			continue
		}
		var sections []index.SectionRecord
		for _, u := range p.units {
			sections = append(sections, u.section)
		}
		t.Sections = append(t.Sections, sections)
	}
	return t
}

// units returns the units of all pages. The ordinal of each is its position.
func (m model) units() (all []postingUnit) {
	for _, p := range m.pages {
		all = append(all, p.units...)
	}
	return all
}

// postings returns the postings of every term.
func (m model) postings() map[string][]index.Posting {
	postings := map[string][]index.Posting{}
	for i, u := range m.units() {
		for term, weight := range u.weights {
			postings[term] = append(postings[term], index.Posting{Ordinal: uint32(i), Count: weight})
		}
	}
	return postings
}

// addTo adds the terms of u to a collector. It adds each term of a section twice.
func (u *postingUnit) addTo(c *index.Collector, ordinal int) {
	if u.content != nil {
		c.Add(ordinal, u.content)
		return
	}
	u.weigh(func(term words.TermWeight) { c.AddTerm(ordinal, term) })
}

// weigh calls add with the terms of a section.
func (u *postingUnit) weigh(add func(words.TermWeight)) index.SectionRecord {
	terms := slices.Sorted(maps.Keys(u.weights))
	for _, term := range terms {
		if half := u.weights[term] / 2; half > 0 {
			add(words.WeightOf([]byte(term), half))
		}
	}
	for _, term := range terms {
		add(words.WeightOf([]byte(term), u.weights[term]-u.weights[term]/2))
	}
	return u.section
}

// collect distributes all units among collectors.
func (m model) collect(collectors int) index.TermSources {
	var s index.TermSources
	for range collectors {
		s.Collectors = append(s.Collectors, new(index.Collector))
	}
	for i, u := range m.units() {
		u.addTo(s.Collectors[i%collectors], i)
	}
	return s
}

// write writes the index of m with a single collector.
func (m model) write(t rapid.TB) []byte {
	t.Helper()
	return m.encode(t, m.collect(1))
}

// encode writes the index of m from sources.
func (m model) encode(t rapid.TB, s index.TermSources) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := index.Write(&out, m.header(), m.table(), s); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(t rapid.TB, data []byte) *index.Index {
	t.Helper()
	x, err := index.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// identity returns the numbers from 0 to n-1.
func identity(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// rewrite writes an index again from its own contents.
func rewrite(x *index.Index) ([]byte, error) {
	h := x.Header()
	var err error
	if h.Origin, err = x.Origin(); err != nil {
		return nil, err
	}
	var table index.Table
	if table.Documents, err = x.AllDocuments(); err != nil {
		return nil, err
	}
	if table.Sections, err = x.AllSections(); err != nil {
		return nil, err
	}
	s := index.TermSources{Kept: []index.Kept{{Index: x, Places: identity(len(table.Documents))}}}
	if h.Selection == 1 {
		s.Kept[0].Places = identity(x.Sections())
	}
	var out bytes.Buffer
	err = index.Write(&out, h, table, s)
	return out.Bytes(), err
}

// Answers are the answers by question. Failed questions are missing.
type answers map[string]string

func (a answers) note(question string, answer any) { a[question] = fmt.Sprint(answer) }

// ask reads everything from an index. The only error allowed is ErrInvalid.
func ask(t rapid.TB, x *index.Index, terms []string) answers {
	t.Helper()
	all := answers{}
	note := func(question string, answer any, err error) {
		switch {
		case err == nil:
			all.note(question, answer)
		case !errors.Is(err, index.ErrInvalid):
			t.Errorf("%s: %v", question, err)
		}
	}
	note("header", x.Header(), nil)
	note("numbers", []int{x.Documents(), x.Sections(), x.Terms()}, nil)
	note("check", "sound", x.Check())
	origin, err := x.Origin()
	note("origin", origin, err)
	docs, err := x.AllDocuments()
	note("documents", docs, err)
	ids, err := x.IDs()
	note("ids", ids, err)
	found, err := x.AllSections()
	note("sections", found, err)
	for question, read := range map[string]func() ([]uint32, error){"words": x.Words, "sizes": x.Sizes, "firsts": x.Firsts} {
		numbers, err := read()
		note(question, numbers, err)
	}
	columns, err := x.SectionNumbers()
	note("columns", columns, err)
	for i := range x.Documents() {
		doc, err := x.Document(i)
		note(fmt.Sprint("document ", i), doc, err)
	}
	for _, how := range []string{"read", "held"} {
		for i := range x.Sections() {
			s, err := x.Section(i)
			note(fmt.Sprint("section ", i, how), s, err)
		}
		x.Hold()
	}
	again, err := rewrite(x)
	note("all of it", document.VersionOf(again), err)
	for _, term := range terms {
		postings, err := x.AppendPostings(nil, term)
		note("term "+term, postings, err)
	}
	return all
}

// answers returns the expected answers of the index of m if its bytes are data.
func (m model) answers(data []byte, terms []string) answers {
	all := answers{}
	table, postings := m.table(), m.postings()
	h := m.header()
	all.note("origin", h.Origin)
	h.Origin = nil
	all.note("header", h)
	all.note("numbers", []int{len(m.pages), len(slices.Concat(table.Sections...)), len(postings)})
	all.note("check", "sound")
	all.note("documents", table.Documents)
	all.note("sections", table.Sections)
	var sizes, words []int
	var lengths []uint32
	var traits []uint8
	var ids []document.ID
	for i, doc := range table.Documents {
		short := doc
		short.Size, short.Words = 0, 0
		all.note(fmt.Sprint("document ", i), short)
		ids = append(ids, doc.ID)
		sizes = append(sizes, doc.Size)
		if m.selection == 0 {
			words = append(words, doc.Words)
		}
	}
	for i, s := range slices.Concat(table.Sections...) {
		for _, how := range []string{"read", "held"} {
			all.note(fmt.Sprint("section ", i, how), index.SectionRecord{
				Start: s.Start, End: s.End, Lead: s.Lead, Tail: s.Tail, Digest: s.Digest, Slug: s.Slug, Sketch: s.Sketch,
			})
		}
		lengths = append(lengths, s.Length)
		traits = append(traits, s.Traits)
	}
	all.note("ids", ids)
	all.note("sizes", sizes)
	all.note("words", words)
	all.note("columns", index.NewSectionNumbers(lengths, traits))
	if m.selection == 1 {
		firsts := []int{0}
		for i, page := range table.Sections {
			firsts = append(firsts, firsts[i]+len(page))
		}
		all.note("firsts", firsts)
	}
	all.note("all of it", document.VersionOf(data))
	for _, term := range terms {
		all.note("term "+term, postings[term])
	}
	return all
}

// terms returns all terms of m in order.
func (m model) terms() []string { return slices.Sorted(maps.Keys(m.postings())) }

// someTerms returns every n-th term of m, and similar terms.
func (m model) someTerms(n int) []string {
	asked := []string{"", "absent", "every", "\xFF\xFF\xFF\xFF"}
	for i, term := range m.terms() {
		if i%n == 0 {
			asked = append(asked, term, term+"\x00", term+"a", term[:len(term)-1], strings.ToUpper(term))
		}
	}
	slices.Sort(asked)
	return slices.Compact(asked)
}

// check compares the index in data with m. It looks up the given terms.
func (m model) check(t rapid.TB, data []byte, terms []string) {
	t.Helper()
	want := m.answers(data, terms)
	got := ask(t, open(t, data), terms)
	for question, answer := range want {
		if got[question] != answer {
			t.Errorf("%.60q: got %.300s, want %.300s", question, got[question], answer)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d answers, want %d", len(got), len(want))
	}
}
