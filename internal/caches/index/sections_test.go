package index_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/caches/index"
)

func TestWriteRefusesWrongSections(t *testing.T) {
	m := modelOf(1, numbered(6, 10)) // pages of 1, 2 and 3 sections
	section := func(spoil func(s *index.SectionRecord)) func(w *written) {
		return func(w *written) { spoil(&w.table.Sections[1][1]) }
	}
	for name, spoil := range map[string]func(w *written){
		"no sections":    func(w *written) { w.table.Sections = nil },
		"a page without": func(w *written) { w.table.Sections[1] = nil },
		"of fewer pages": func(w *written) { w.table.Sections = w.table.Sections[:2] },
		"of more pages": func(w *written) {
			w.table.Sections = append(w.table.Sections, []index.SectionRecord{{Length: 1, Traits: 1}})
		},
		"fewer sections":        func(w *written) { w.table.Sections[2] = w.table.Sections[2][1:] },
		"more sections":         func(w *written) { w.table.Sections[2] = append(w.table.Sections[2], index.SectionRecord{Length: 1}) },
		"no documents":          func(w *written) { w.table.Documents, w.table.Sections = nil, nil },
		"before the page":       section(func(s *index.SectionRecord) { s.Start = -1 }),
		"ends before it starts": section(func(s *index.SectionRecord) { s.End = s.Start - 1 }),
		"larger than a page":    section(func(s *index.SectionRecord) { s.End = document.MaxSize + 1 }),
		"a lead behind it":      section(func(s *index.SectionRecord) { s.Lead = document.Range{Start: s.Start, End: s.Start + 1} }),
		"a lead of no bytes":    section(func(s *index.SectionRecord) { s.Lead = document.Range{Start: s.Start, End: s.Start} }),
		"a lead before a page":  section(func(s *index.SectionRecord) { s.Lead = document.Range{Start: -1, End: s.Start} }),
		"a tail in it":          section(func(s *index.SectionRecord) { s.Tail = document.Range{Start: s.End - 1, End: s.End + 1} }),
		"a tail of no bytes":    section(func(s *index.SectionRecord) { s.Tail = document.Range{Start: s.End + 1, End: s.End + 1} }),
		"a tail beyond a page":  section(func(s *index.SectionRecord) { s.Tail = document.Range{Start: s.End, End: document.MaxSize + 1} }),
		"a slug too long":       section(func(s *index.SectionRecord) { s.Slug = strings.Repeat("s", 1<<16+1) }),
		"a sketch too long":     section(func(s *index.SectionRecord) { s.Sketch = make([]byte, document.MaxSize+1) }),
		"unknown traits":        section(func(s *index.SectionRecord) { s.Traits = 8 }),
		"a first continues":     func(w *written) { w.table.Sections[1][0].Traits |= 2 },
		"two first sections":    section(func(s *index.SectionRecord) { s.Traits |= 1 }),
		"no first section":      func(w *written) { w.table.Sections[1][0].Traits &^= 1 },
		"a length too low":      section(func(s *index.SectionRecord) { s.Length-- }),
		"a length too high":     section(func(s *index.SectionRecord) { s.Length++ }),
	} {
		m.refused(t, name, spoil)
	}
}

func TestSectionsOfTheGreatestSizeAreKept(t *testing.T) {
	m := modelOf(1, numbered(3, 10))
	want := &m.pages[1].units[1].section
	want.Start, want.End = document.MaxSize, document.MaxSize
	want.Lead, want.Tail = document.Range{Start: 0, End: document.MaxSize}, document.Range{}
	want.Slug, want.Sketch = strings.Repeat("s", 1<<16), bytes.Repeat([]byte("k"), document.MaxSize)
	x := open(t, m.write(t))
	all, err := x.AllSections()
	if diff := cmp.Diff(m.table().Sections, all, cmp.Comparer(bytes.Equal)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%.300s", err, diff)
	}
	got, err := x.Section(2)
	if err != nil || got.Start != want.Start || got.End != want.End || got.Lead != want.Lead || got.PrintedSize() != document.MaxSize {
		t.Errorf("got %v, %v, want %v", got, err, want.End)
	}
	if got.Slug != want.Slug {
		t.Errorf("got a slug of %d bytes", len(got.Slug))
	}
	if !bytes.Equal(got.Sketch, want.Sketch) {
		t.Errorf("got a sketch of %d bytes", len(got.Sketch))
	}
}
