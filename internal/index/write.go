package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
)

// A Table contains the entries of an index, without its terms.
type Table struct {
	Documents []Record          // in the order of their IDs
	Sections  [][]SectionRecord // by document; empty for selection 0

	pages pages // replaces Sections, which would need much memory; may be nil
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
		if err != nil {
			return err
		}
		if err := visit(page); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) eachSection(visit func(*SectionRecord)) error {
	return t.eachPage(func(page []SectionRecord) error {
		for i := range page {
			visit(&page[i])
		}
		return nil
	})
}

func (t *Table) eachTotal(of postingUnit, visit func(total uint64)) error {
	if of == ofSections {
		return t.eachSection(func(s *SectionRecord) { visit(uint64(s.Length)) })
	}
	for i := range t.Documents {
		visit(uint64(t.Documents[i].Words))
	}
	return nil
}

// Write writes the index of t with the terms of s. It reads the sources without changing
// them.
//
// Write fails with the writer's error, with [ErrInvalid] if the previous index is
// damaged, and if t and s cannot form an index, for example because documents are out of
// order, numbers are out of bounds, or a document is in no source or in two. After an
// error, the writer contains a part of an index, which no reader accepts.
func Write(out io.Writer, h Header, t Table, s TermSources) error {
	sections, err := t.check(h)
	if err != nil {
		return err
	}
	f := footer{header: h, documents: int64(len(t.Documents)), sections: sections}
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
		writeRecords(w, t.Documents)
	case namesKind:
		for i := range t.Documents {
			w.write([]byte(t.Documents[i].ID))
			w.write([]byte(t.Documents[i].Name))
		}
	case sizesKind:
		for i := range t.Documents {
			w.writeNumber(t.Documents[i].Size)
		}
	case wordsKind:
		for i := range t.Documents {
			w.writeNumber(t.Documents[i].Words)
		}
	case firstsKind:
		first := 0
		return t.eachPage(func(page []SectionRecord) error {
			w.writeNumber(first)
			first += len(page)
			return nil
		})
	case lengthsKind:
		return t.eachSection(func(s *SectionRecord) { w.writeNumber(int(s.Length)) })
	case traitsKind:
		return t.eachSection(func(s *SectionRecord) { w.write([]byte{s.Traits}) })
	case sectionsKind:
		return writeSections(w, t)
	case framesKind:
		return writeFrames(w, t)
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

// check fails if a table cannot be in an index. It returns the number of its sections.
func (t *Table) check(h Header) (sections int64, err error) {
	if h.Selection < 0 || h.Selection >= len(layouts) {
		return 0, fmt.Errorf("index: no layout for selection %d", h.Selection)
	}
	if !isCount(int64(len(t.Documents))) || h.ManifestSize < 0 || len(h.Origin) > MaxOrigin || len(h.About) > MaxAbout {
		return 0, fmt.Errorf("index: %d documents, a manifest of %d bytes, an origin of %d and an about of %d",
			len(t.Documents), h.ManifestSize, len(h.Origin), len(h.About))
	}
	for i := range t.Documents {
		d := &t.Documents[i]
		if i > 0 && d.ID <= t.Documents[i-1].ID {
			return 0, fmt.Errorf("index: %q does not come after %q", d.ID, t.Documents[i-1].ID)
		}
		if !d.isBounded() || len(d.ID)+len(d.Name) > maxNames {
			return 0, fmt.Errorf("index: numbers or names of %.100q are out of bounds", d.ID)
		}
	}
	return t.checkSections(h)
}

func (t *Table) checkSections(h Header) (sections int64, err error) {
	documents := len(t.Documents)
	if h.Selection == 0 {
		documents = 0 // are expected to contain sections
	}
	n := 0
	err = t.eachPage(func(page []SectionRecord) error {
		if n == documents {
			return fmt.Errorf("index: got sections of more than %d documents", documents)
		}
		if len(page) == 0 {
			return fmt.Errorf("index: %q contains no section", t.Documents[n].ID)
		}
		for k := range page {
			if !page[k].isBounded() {
				return fmt.Errorf("index: section %d of %q is out of bounds", k, t.Documents[n].ID)
			}
		}
		n++
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
	ordinal := 0
	var wrong error
	err = t.eachTotal(f.layout().postings, func(want uint64) {
		if total := totals[ordinal]; wrong == nil && total != want {
			wrong = s.wrongTotal(ordinal, total, want)
		}
		ordinal++
	})
	return cmp.Or(wrong, err)
}
