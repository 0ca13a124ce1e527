package index_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
)

// give adds the terms of p to a Builder or a TermCheck.
func (p page) give(to index.Adder) index.PageTerms {
	if p.units[0].content != nil {
		return to.AddWords(p.units[0].content, nil)
	}
	return to.AddSections(len(p.units), func(i int, add func(words.TermWeight)) index.SectionRecord {
		return p.units[i].weigh(add)
	})
}

// build adds pages to a Builder from several goroutines. It returns the lines by ID.
func build(b *index.Builder, pages []page, goroutines int) map[document.ID]index.Line {
	var mu sync.Mutex
	lines := map[document.ID]index.Line{}
	next := make(chan page)
	var adding sync.WaitGroup
	for range goroutines {
		adding.Go(func() {
			for p := range next {
				made := p.give(b)
				doc := p.Record
				doc.Words = -1 // because the page knows them
				line := index.Line{Record: doc, Terms: made}
				if len(p.ID)%2 == 0 {
					named := index.Record{ID: doc.ID, Version: doc.Version, Name: doc.Name}
					line = index.Line{Record: named, Stored: b.Store(doc, made)}
				}
				mu.Lock()
				lines[p.ID] = line
				mu.Unlock()
			}
		})
	}
	for _, p := range pages {
		next <- p
	}
	close(next)
	adding.Wait()
	return lines
}

// build returns the index of the new pages as a Builder writes it. The Builder gets pages
// in any order, including pages to leave out.
func (c change) build(t *rapid.T) []byte {
	var previous []*index.Whole
	if len(c.before.pages) > 0 || rapid.Bool().Draw(t, "has an empty index before") {
		before := model{c.before.selection, slices.Clone(c.before.pages)}
		for i := range before.pages {
			before.pages[i].Name = "another name"
		}
		whole, err := index.Read(open(t, before.write(t)))
		if err != nil {
			t.Fatal(err)
		}
		previous = append(previous, whole)
	}
	added := slices.DeleteFunc(slices.Clone(c.now.pages), func(p page) bool { return c.kept[p.ID] })
	for number := range rapid.IntRange(0, 3).Draw(t, "left out") {
		added = append(added, drawPage(t, c.now.selection, 1000+number))
	}
	scratch := &scratchFiles{}
	b := index.Builder{Scratch: scratch.make, Memory: rapid.SampledFrom([]int{0, 1, 100 << 10}).Draw(t, "memory")}
	if c.now.selection > 0 && rapid.Bool().Draw(t, "has half of a page that panicked") {
		panics(func() {
			b.AddSections(2, func(i int, add func(words.TermWeight)) index.SectionRecord {
				add(words.WeightOf([]byte("half"), 1))
				if i == 1 {
					panic("oops")
				}
				return index.SectionRecord{}
			})
		})
	}
	lines := build(&b, rapid.Permutation(added).Draw(t, "order"), rapid.IntRange(1, 5).Draw(t, "goroutines"))
	var inOrder []index.Line
	for _, p := range c.now.pages {
		line := lines[p.ID]
		if c.kept[p.ID] {
			found, before, err := previous[0].Find(p.ID)
			if err != nil || found.ID != p.ID {
				t.Fatalf("%s: found %q, %v", p.ID, found.ID, err)
			}
			line = index.Line{Record: index.Record{Name: p.Name}, Kept: before + 1}
		}
		inOrder = append(inOrder, line)
	}
	var out bytes.Buffer
	if err := b.Write(&out, c.now.header(), slices.Values(inOrder), previous, rapid.IntRange(0, 3).Draw(t, "jobs")); err != nil {
		t.Fatal(err)
	}
	if b.Close(); scratch.made != scratch.closed {
		t.Fatalf("it made %d scratch files and closed %d", scratch.made, scratch.closed)
	}
	return out.Bytes()
}

// scratchFiles makes scratch files in memory. It is safe for concurrent use.
type scratchFiles struct {
	sync.Mutex
	made, closed int
	spoil        func(written []byte) // may change what a file contains; may be nil
}

func (s *scratchFiles) make() (files.Scratch, error) {
	s.Lock()
	defer s.Unlock()
	s.made++
	return &scratchFile{files: s}, nil
}

type scratchFile struct {
	files *scratchFiles
	data  []byte
}

func (f *scratchFile) Name() string { return "scratch-1" }

func (f *scratchFile) Write(p []byte) (int, error) {
	f.data = append(f.data, p...)
	if f.files.spoil != nil {
		f.files.spoil(f.data)
	}
	return len(p), nil
}

func (f *scratchFile) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(f.data).ReadAt(p, at)
}

func (f *scratchFile) Close() error {
	f.files.Lock()
	defer f.files.Unlock()
	f.files.closed++
	return nil
}

func TestABuilderWritesTheIndexOfItsLines(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		rapid.Check(t, func(t *rapid.T) {
			c := drawChange(t, selection)
			if got, want := c.build(t), c.now.write(t); !bytes.Equal(got, want) {
				t.Fatal("the bytes differ")
			}
		})
	})
}

// There are enough pages for several goroutines at a time, and for several scratch files.
func TestABuilderIsSafeForConcurrentUse(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, generate(500, 1<<10))
		want := m.write(t)
		for _, memory := range []int{0, 1 << 20, 1} {
			var scratch scratchFiles
			b := index.Builder{Scratch: scratch.make, Memory: memory}
			byID := build(&b, m.pages, 8)
			var lines []index.Line
			for _, p := range m.pages {
				lines = append(lines, byID[p.ID])
			}
			for _, jobs := range []int{0, 3} {
				var out bytes.Buffer
				if err := b.Write(&out, m.header(), slices.Values(lines), nil, jobs); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(out.Bytes(), want) {
					t.Errorf("%d bytes, %d jobs: the bytes differ", memory, jobs)
				}
			}
			if isNone := scratch.made == 0; isNone != (memory == 0) {
				t.Errorf("%d bytes: it made %d scratch files", memory, scratch.made)
			}
		}
	})
}

// A damaged scratch file must not be mistaken for a damaged previous index.
func TestABuilderNoticesADamagedScratchFile(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, numbered(4, 200))
		scratch := &scratchFiles{spoil: func(written []byte) { written[len(written)/2] ^= 1 }}
		b := index.Builder{Scratch: scratch.make, Memory: 1}
		byID := build(&b, m.pages, 1)
		var lines []index.Line
		for _, p := range m.pages {
			lines = append(lines, byID[p.ID])
		}
		err := b.Write(io.Discard, m.header(), slices.Values(lines), nil, 1)
		if !errors.Is(err, index.ErrScratch) || errors.Is(err, index.ErrInvalid) || !strings.Contains(err.Error(), "scratch-1") {
			t.Errorf("got %v, want an error that names scratch-1", err)
		}
	})
}

func TestABuilderCountsWords(t *testing.T) {
	var b index.Builder
	if p := modelOf(0, [][]byte{[]byte("one two two")}).pages[0].give(&b); p.Words != 3 {
		t.Errorf("got %v, want 3 words", p)
	}
}

func TestABuilderRefusesWrongLines(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, [][]byte{[]byte("one"), []byte("two"), []byte("three")})
		for name, lines := range map[string]func(b *index.Builder) []index.Line{
			"order": func(b *index.Builder) []index.Line {
				return []index.Line{
					{Record: m.pages[1].Record, Terms: m.pages[1].give(b)},
					{Record: m.pages[0].Record, Terms: m.pages[0].give(b)},
				}
			},
			"a page twice": func(b *index.Builder) []index.Line {
				page := m.pages[0].give(b)
				return []index.Line{{Record: m.pages[0].Record, Terms: page}, {Record: m.pages[1].Record, Terms: page}}
			},
			"out of bounds": func(b *index.Builder) []index.Line {
				doc := m.pages[0].Record
				doc.Size = document.MaxSize + 1
				return []index.Line{{Record: doc, Terms: m.pages[0].give(b)}}
			},
		} {
			var b index.Builder
			if err := b.Write(io.Discard, m.header(), slices.Values(lines(&b)), nil, 1); err == nil || errors.Is(err, index.ErrInvalid) {
				t.Errorf("%s: got %v, want an error that is not %v", name, err, index.ErrInvalid)
			}
		}
	})
}

func TestAPageWithoutSectionsIsRefused(t *testing.T) {
	var b index.Builder
	made := b.AddSections(0, nil)
	lines := []index.Line{{Record: modelOf(1, [][]byte{nil}).pages[0].Record, Terms: made}}
	if err := b.Write(io.Discard, index.Header{Selection: 1}, slices.Values(lines), nil, 1); err == nil {
		t.Error("got no error")
	}
}

func TestReadNoticesAllDamage(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		data := modelOf(selection, numbered(4, 200)).write(t)
		for i := range data {
			spoiled := slices.Clone(data)
			spoiled[i] ^= 1 << (i % 8)
			x, err := index.Open(bytes.NewReader(spoiled), int64(len(spoiled)))
			if err == nil {
				_, err = index.Read(x)
			}
			if !errors.Is(err, index.ErrInvalid) {
				t.Fatalf("byte %d: got %v, want %v", i, err, index.ErrInvalid)
			}
		}
	})
}
