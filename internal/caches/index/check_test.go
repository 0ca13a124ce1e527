package index_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/caches/index"
)

// compare compares the index whose bytes are data with m.
func (m model) compare(t rapid.TB, data []byte) (terms, bytesOfIt error) {
	t.Helper()
	k, err := index.NewTermCheck(open(t, data), len(m.pages))
	if err != nil {
		return err, err
	}
	m.giveAll(k)
	return k.CompareTerms(), k.CompareBytes(bytes.NewReader(data))
}

// giveAll adds all pages to a check concurrently.
func (m model) giveAll(k *index.TermCheck) {
	var adding sync.WaitGroup
	for i, p := range m.pages {
		adding.Go(func() {
			made := p.give(k.At(i, p.ID))
			doc := p.Record
			doc.Words = -1 // because the page knows them
			k.Add(i, doc, made)
		})
	}
	adding.Wait()
}

func TestACheckAcceptsTheIndexOfItsDocuments(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		rapid.Check(t, func(t *rapid.T) {
			m := drawModel(t, selection)
			if terms, all := m.compare(t, m.write(t)); terms != nil || all != nil {
				t.Fatalf("got %v and %v, want no error", terms, all)
			}
		})
		m := modelOf(selection, generate(300, 1<<10))
		if terms, all := m.compare(t, m.write(t)); terms != nil || all != nil {
			t.Fatalf("got %v and %v, want no error", terms, all)
		}
	})
}

func TestACheckAcceptsNoIndexOfOtherDocuments(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		rapid.Check(t, func(t *rapid.T) {
			c := drawChange(t, selection)
			before, now := c.before.write(t), c.now.write(t)
			terms, all := c.now.compare(t, before)
			if isSame := bytes.Equal(before, now); isSame != (terms == nil && all == nil) {
				t.Fatalf("got %v and %v; same bytes: %t", terms, all, isSame)
			}
			for _, err := range []error{terms, all} {
				if err != nil && !errors.Is(err, index.ErrDiffers) && !errors.Is(err, index.ErrInvalid) {
					t.Fatalf("got %v, want %v", err, index.ErrDiffers)
				}
			}
		})
	})
}

// A page changes, while the index still describes the old page.
func TestACheckFindsEveryChangeOfAPage(t *testing.T) {
	words := func(text string) func(units []postingUnit, k int) {
		return func(units []postingUnit, k int) {
			selection := min(1, len(units)-1)
			units[k] = unitOf(selection, 1, k, []byte(text))
		}
	}
	doc := func(change func(d *index.Record)) func(m model) {
		return func(m model) { change(&m.pages[1].Record) }
	}
	inTerms := map[string]func(units []postingUnit, k int){
		"another word":   words("two three drei"),
		"another number": words("two two three"),
		"one more":       words("two three three four"),
		"one less":       words("two three"),
	}
	inBytes := map[string]func(m model){
		"ID":             doc(func(d *index.Record) { d.ID += "!" }),
		"version":        doc(func(d *index.Record) { d.Version[31]++ }),
		"name":           doc(func(d *index.Record) { d.Name = strings.ToUpper(d.Name) }),
		"file size":      doc(func(d *index.Record) { d.FileSize++ }),
		"file sum":       doc(func(d *index.Record) { d.FileSum[0]++ }),
		"content offset": doc(func(d *index.Record) { d.ContentOffset++ }),
		"content length": doc(func(d *index.Record) { d.ContentLength-- }),
		"size":           doc(func(d *index.Record) { d.Size++ }),
	}
	section := func(change func(s *index.SectionRecord)) func(m model) {
		return func(m model) { change(&m.pages[1].units[1].section) }
	}
	inSections := map[string]func(m model){
		"start":  section(func(s *index.SectionRecord) { s.Start++ }),
		"end":    section(func(s *index.SectionRecord) { s.End-- }),
		"lead":   section(func(s *index.SectionRecord) { s.Lead = document.Range{} }),
		"tail":   section(func(s *index.SectionRecord) { s.Tail.End++ }),
		"traits": section(func(s *index.SectionRecord) { s.Traits ^= 2 }),
		"digest": section(func(s *index.SectionRecord) { s.Digest ^= 1 << 63 }),
		"slug":   section(func(s *index.SectionRecord) { s.Slug = "slug-!" }),
		"sketch": section(func(s *index.SectionRecord) { s.Sketch = []byte("!") }),
	}
	eachSelection(t, func(t *testing.T, selection int) {
		original := func() model {
			return modelOf(selection, [][]byte{[]byte("one"), []byte("two three three"), []byte("two three three"), []byte("four")})
		}
		data := original().write(t)
		changes := maps.Clone(inBytes)
		if selection == 1 {
			maps.Copy(changes, inSections)
		}
		for name, change := range changes {
			m := original()
			change(m)
			if terms, all := m.compare(t, data); terms != nil || !errors.Is(all, index.ErrDiffers) {
				t.Errorf("%s: got %v and %v, want no error and %v", name, terms, all, index.ErrDiffers)
			}
		}
		for name, change := range inTerms {
			for k := range original().pages[1].units {
				m := original()
				change(m.pages[1].units, k)
				terms, _ := m.compare(t, data)
				if !errors.Is(terms, index.ErrDiffers) || !strings.Contains(terms.Error(), string(m.pages[1].ID)) {
					t.Errorf("%s in %d: got %v, want %v with the name of the document", name, k, terms, index.ErrDiffers)
				}
			}
		}
	})
}

func TestACheckFindsAnotherNumberOfSections(t *testing.T) {
	m := modelOf(1, numbered(15, 10)) // pages of 1, 2, 3, 1, 2, 3, 1 and 2 sections
	data := m.write(t)
	for _, i := range []int{5, 2, 4} { // the first of them must be named in the error
		m.pages[i].units = m.pages[i].units[1:]
		m.pages[i].units[0].section.Traits = 1
	}
	m.pages[7].units = append(m.pages[7].units, m.pages[1].units[1])
	terms, all := m.compare(t, data)
	for _, err := range []error{terms, all} {
		if !errors.Is(err, index.ErrDiffers) || !strings.Contains(err.Error(), string(m.pages[2].ID)) {
			t.Errorf("got %v, want %v with the name of %s", err, index.ErrDiffers, m.pages[2].ID)
		}
	}
}

func TestACheckFindsAnotherNumberOfDocuments(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		x := open(t, modelOf(selection, numbered(2, 10)).write(t))
		for _, n := range []int{0, x.Documents() - 1, x.Documents() + 1} {
			if _, err := index.NewTermCheck(x, n); n != x.Documents() && !errors.Is(err, index.ErrDiffers) {
				t.Errorf("%d documents: got %v, want %v", n, err, index.ErrDiffers)
			}
		}
	})
}

func TestACheckReadsAllOfTheFile(t *testing.T) {
	broken := errors.New("broken disk")
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, numbered(5, 100))
		data := m.write(t)
		k, err := index.NewTermCheck(open(t, data), len(m.pages))
		if err != nil {
			t.Fatal(err)
		}
		m.giveAll(k)
		for what, file := range map[string]struct {
			io.Reader
			want error
		}{
			"the same":    {bytes.NewReader(data), nil},
			"one by one":  {iotest.OneByteReader(bytes.NewReader(data)), nil},
			"empty":       {bytes.NewReader(nil), index.ErrDiffers},
			"cut":         {bytes.NewReader(data[:len(data)-1]), index.ErrDiffers},
			"longer":      {io.MultiReader(bytes.NewReader(data), strings.NewReader("!")), index.ErrDiffers},
			"broken":      {io.MultiReader(bytes.NewReader(data[:99]), iotest.ErrReader(broken)), broken},
			"broken last": {io.MultiReader(bytes.NewReader(data), iotest.ErrReader(broken)), broken},
		} {
			if err := k.CompareBytes(file.Reader); !errors.Is(err, file.want) {
				t.Errorf("%s: got %v, want %v", what, err, file.want)
			}
		}
		for i := range data {
			spoiled := slices.Clone(data)
			spoiled[i]++
			if err := k.CompareBytes(bytes.NewReader(spoiled)); !errors.Is(err, index.ErrDiffers) {
				t.Errorf("byte %d: got %v, want %v", i, err, index.ErrDiffers)
			}
		}
	})
}

func TestACheckOfADamagedIndexSaysSo(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, generate(200, 2<<10))
		data := m.write(t)
		spoiled := slices.Clone(data)
		spoiled[len(data)*3/4] ^= 1
		terms, all := m.compare(t, spoiled)
		if !errors.Is(terms, index.ErrInvalid) || !errors.Is(all, index.ErrInvalid) && !errors.Is(all, index.ErrDiffers) {
			t.Errorf("got %v and %v, want %v", terms, all, index.ErrInvalid)
		}
	})
}
