package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"iter"

	"github.com/contextcompiler/context/document"
)

// A Table contains the entries of an index, without its terms.
type Table struct {
	Documents []Record          // in the order of their IDs
	Sections  [][]SectionRecord // by document; empty for selection 0

	records records // replaces Documents, if it isn't nil
	pages   pages   // replaces Sections, if it isn't nil

	// Set by check.
	firsts  []uint32 // the first section of each document
	numbers numbersMaker
	frames  frames
}

// records yields the documents of a table, which are only valid until the next iteration.
// After an error, nothing follows. It can be called again.
type records iter.Seq2[*Record, error]

// eachDocument calls visit with each document.
func (t *Table) eachDocument(visit func(i int, d *Record) error) error {
	if t.records == nil {
		for i := range t.Documents {
			if err := visit(i, &t.Documents[i]); err != nil {
				return err
			}
		}
		return nil
	}
	i := 0
	for d, err := range t.records {
		if err != nil {
			return err
		}
		if err := visit(i, d); err != nil {
			return err
		}
		i++
	}
	return nil
}

// eachPage calls visit with the sections of each document.
func (t *Table) eachPage(visit func(page []SectionRecord) error) error {
	if t.pages == nil {
		for _, page := range t.Sections {
			if err := visit(page); err != nil {
				return err
			}
		}
		return nil
	}
	for page, err := range t.pages {
		if err == nil {
			err = visit(page)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachSection calls visit with each section.
func (t *Table) eachSection(visit func(*SectionRecord)) error {
	return t.eachPage(func(page []SectionRecord) error {
		for i := range page {
			visit(&page[i])
		}
		return nil
	})
}

// Write writes the index of t with the terms of s. It reads the sources without changing
// them.
//
// Write fails with the writer's error, with [ErrInvalid] if the previous index is
// damaged, and if t and s cannot form an index, for example because documents are out of
// order, numbers are out of bounds, or a document is in no source or in two. After an
// error, the writer contains a part of an index, which no reader accepts.
func Write(out io.Writer, h Header, t Table, s TermSources) error {
	documents, sections, err := t.check(h)
	if err != nil {
		return err
	}
	f := footer{header: h, documents: documents, sections: sections}
	if err := s.check(int(f.ordinals())); err != nil {
		return err
	}
	w := &blockWriter{out: out}
	w.write([]byte(f.layout().opening))
	for _, p := range f.layout().parts {
		if p.kind == aboutKind && len(h.About) == 0 {
			break
		}
		start := w.at()
		if err := f.writePart(w, p.kind, &t, &s); err != nil {
			return err
		}
		f.lengths = append(f.lengths, w.at()-start)
	}
	return w.close(&f)
}

// writePart writes a single part. It doesn't return errors of w, because w keeps them.
func (f *footer) writePart(w *blockWriter, k partKind, t *Table, s *TermSources) error {
	switch k {
	case recordsKind:
		return writeRecords(w, t)
	case namesKind:
		return t.eachDocument(func(_ int, d *Record) error {
			w.write([]byte(d.ID))
			w.write([]byte(d.Name))
			return nil
		})
	case sizesKind:
		return t.eachDocument(func(_ int, d *Record) error {
			w.writeNumber(d.Size)
			return nil
		})
	case wordsKind:
		return t.eachDocument(func(_ int, d *Record) error {
			w.writeNumber(d.Words)
			return nil
		})
	case firstsKind:
		for _, first := range t.firsts {
			w.writeNumber(int(first))
		}
	case lengthsKind:
		w.write(t.numbers.cells)
	case longKind:
		w.write(t.numbers.long)
	case windowsKind:
		for _, window := range t.numbers.Windows {
			w.write(window.appendTo(nil))
		}
	case sectionsKind:
		return writeSections(w, t)
	case framesKind:
		w.write(t.frames)
	case textsKind:
		return t.eachSection(func(s *SectionRecord) {
			w.write([]byte(s.Slug))
			w.write(s.Sketch)
		})
	case termsKind:
		return f.writeTerms(w, t, s)
	case originKind:
		w.write(f.header.Origin)
	case aboutKind:
		w.write(f.header.About)
	}
	return nil
}

// close writes everything after the parts.
func (w *blockWriter) close(f *footer) error {
	w.endBlock()
	f.sums = checksum(w.sums)
	for _, b := range [][]byte{w.sums, f.encode()} {
		if w.err == nil {
			_, w.err = w.out.Write(b)
		}
	}
	return w.err
}

// check fails if a table cannot be in an index. It returns the numbers of its documents
// and sections.
func (t *Table) check(h Header) (documents, sections int64, err error) {
	if h.Selection < 0 || h.Selection >= len(layouts) {
		return 0, 0, fmt.Errorf("index: no layout for selection %d", h.Selection)
	}
	if h.ManifestSize < 0 || len(h.Origin) > MaxOrigin || len(h.About) > MaxAbout {
		return 0, 0, fmt.Errorf("index: a manifest of %d bytes, an origin of %d and an about of %d", h.ManifestSize, len(h.Origin), len(h.About))
	}
	var last document.ID
	err = t.eachDocument(func(i int, d *Record) error {
		if i > 0 && d.ID <= last {
			return fmt.Errorf("index: %q does not come after %q", d.ID, last)
		}
		if !d.isBounded() || len(d.ID)+len(d.Name) > maxNames {
			return fmt.Errorf("index: numbers or names of %.100q are out of bounds", d.ID)
		}
		last = d.ID
		documents++
		return nil
	})
	if err == nil && !isCount(documents) {
		err = fmt.Errorf("index: invalid number of documents: %d", documents)
	}
	if err == nil {
		sections, err = t.checkSections(h, documents)
	}
	return documents, sections, err
}

func (t *Table) checkSections(h Header, documents int64) (sections int64, err error) {
	if h.Selection == 0 {
		documents = 0 // are expected to contain sections
	}
	n := int64(0)
	err = t.eachPage(func(page []SectionRecord) error {
		if n == documents {
			return fmt.Errorf("index: got sections of more than %d documents", documents)
		}
		if len(page) == 0 {
			return fmt.Errorf("index: document %d contains no section", n)
		}
		for k := range page {
			if !page[k].isBounded() {
				return fmt.Errorf("index: section %d of document %d is out of bounds", k, n)
			}
			if !page[k].isMarkedAs(k) {
				return fmt.Errorf("index: the traits of section %d of document %d are wrong: %d", k, n, page[k].Traits)
			}
			t.frames = page[k].appendFrame(t.frames, int(sections)+k)
			t.numbers.add(page[k].Length, page[k].Traits)
		}
		n++
		t.firsts = append(t.firsts, uint32(sections))
		sections += int64(len(page))
		return nil
	})
	switch {
	case err != nil:
		return 0, err
	case n != documents:
		return 0, fmt.Errorf("index: got sections of %d documents instead of %d", n, documents)
	case !isCount(sections):
		return 0, fmt.Errorf("index: invalid number of sections: %d", sections)
	}
	return sections, nil
}

func (w *blockWriter) writeNumber(n int) {
	var b [numberSize]byte
	binary.LittleEndian.PutUint32(b[:], uint32(n))
	w.write(b[:])
}

func (f *footer) writeTerms(w *blockWriter, t *Table, s *TermSources) error {
	dictionary := &dictionaryWriter{out: w, start: w.at()}
	totals, err := dictionary.addSources(s, int(f.ordinals()))
	if err != nil {
		return err
	}
	f.root = dictionary.close()
	f.terms = dictionary.terms
	if w.err != nil {
		return nil
	}
	var wrong error
	compare := func(ordinal int, want uint32) {
		if total := totals[ordinal]; wrong == nil && total != want {
			wrong = s.wrongTotal(ordinal, total, want)
		}
	}
	if f.header.Selection > 0 {
		for ordinal := range totals {
			compare(ordinal, t.numbers.Length(uint32(ordinal)))
		}
		return wrong
	}
	err = t.eachDocument(func(i int, d *Record) error {
		compare(i, uint32(d.Words))
		return nil
	})
	return cmp.Or(wrong, err)
}
