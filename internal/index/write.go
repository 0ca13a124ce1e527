package index

import (
	"encoding/binary"
	"fmt"
	"io"
)

// A Table has the entries of an index, without its terms.
type Table struct {
	Documents []Document // in the order of their IDs

	// Sections and the ordinal of the first section of each document are empty in
	// an index for selection 0.
	Firsts   []uint32
	Sections []Section
}

// sum returns the sum that the postings of an ordinal must have. That finds an
// ordinal that is in two sources, or in none.
func (t *Table) sum(ordinal int, of unit) uint64 {
	if of == ofSections {
		return uint64(t.Sections[ordinal].Length)
	}
	return uint64(t.Documents[ordinal].Words)
}

// Write writes the index of t, whose terms come from s. It reads the sources and
// changes nothing in them.
//
// Write fails with the writer's error, with [ErrInvalid] if the previous index is
// damaged, and if t and s make no index: documents out of order, numbers out of
// bounds, documents in no source or in two. The writer then has a part of an index
// that no reader accepts.
func Write(out io.Writer, h Header, t Table, s Sources) error {
	if err := t.check(h); err != nil {
		return err
	}
	f := footer{header: h, documents: int64(len(t.Documents)), sections: int64(len(t.Sections))}
	if err := s.check(int(f.ordinals())); err != nil {
		return err
	}
	w := &blockWriter{out: out}
	w.write([]byte(f.layout().opening))
	for _, p := range f.layout().parts {
		start := w.at()
		if err := f.writePart(w, p.kind, &t, &s); err != nil {
			return err
		}
		f.lengths = append(f.lengths, w.at()-start)
	}
	return w.close(&f)
}

// writePart writes one part. It returns no errors of w, which w keeps.
func (f *footer) writePart(w *blockWriter, k kind, t *Table, s *Sources) error {
	switch k {
	case recordsKind:
		writeRecords(w, t.Documents)
	case namesKind:
		writeNames(w, t.Documents)
	case sizesKind:
		writeNumbers(w, t.Documents, func(d *Document) int { return d.Size })
	case wordsKind:
		writeNumbers(w, t.Documents, func(d *Document) int { return d.Words })
	case firstsKind:
		writeNumbers(w, t.Firsts, func(first *uint32) int { return int(*first) })
	case lengthsKind:
		writeNumbers(w, t.Sections, func(s *Section) int { return int(s.Length) })
	case sectionsKind:
		writeSections(w, t.Sections)
	case textsKind:
		writeTexts(w, t.Sections)
	case termsKind:
		return f.writeTerms(w, t, s)
	case originKind:
		w.write(f.header.Origin)
	}
	return nil
}

// close writes what follows the parts.
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

// check says why a table cannot be in an index.
func (t *Table) check(h Header) error {
	if !isCount(int64(len(t.Documents))) || !isCount(int64(len(t.Sections))) || h.ManifestSize < 0 {
		return fmt.Errorf("index: %d documents, %d sections and a manifest of %d bytes", len(t.Documents), len(t.Sections), h.ManifestSize)
	}
	if len(h.Origin) > MaxOrigin {
		return fmt.Errorf("index: an origin of %d bytes", len(h.Origin))
	}
	for i := range t.Documents {
		d := &t.Documents[i]
		if i > 0 && d.ID <= t.Documents[i-1].ID {
			return fmt.Errorf("index: %q does not come after %q", d.ID, t.Documents[i-1].ID)
		}
		if !d.isBounded() || len(d.ID)+len(d.Name) > maxNames {
			return fmt.Errorf("index: numbers or names of %.100q are out of bounds", d.ID)
		}
	}
	return t.checkSections(h)
}

func (t *Table) checkSections(h Header) error {
	if h.Selection < 0 || h.Selection >= len(layouts) {
		return fmt.Errorf("index: no layout for selection %d", h.Selection)
	}
	documents := len(t.Documents)
	if h.Selection == 0 {
		documents = 0 // have sections
	}
	if len(t.Firsts) != documents || !areFirsts(t.Firsts, len(t.Sections)) {
		return fmt.Errorf("index: %d sections are not those of %d documents", len(t.Sections), len(t.Documents))
	}
	for i := range t.Sections {
		if !t.Sections[i].isBounded() {
			return fmt.Errorf("index: section %d is out of bounds", i)
		}
	}
	return nil
}

func writeNumbers[T any](w *blockWriter, all []T, number func(*T) int) {
	var b [numberSize]byte
	for i := range all {
		binary.LittleEndian.PutUint32(b[:], uint32(number(&all[i])))
		w.write(b[:])
	}
}

// writeTerms writes the dictionary and the posting lists.
func (f *footer) writeTerms(w *blockWriter, t *Table, s *Sources) error {
	dictionary := &dictionaryWriter{out: w, start: w.at()}
	totals, err := dictionary.addSources(s, int(f.ordinals()))
	if err != nil {
		return err
	}
	f.root = dictionary.close()
	f.terms = dictionary.terms
	for i, total := range totals {
		if want := t.sum(i, f.layout().postings); w.err == nil && total != want {
			return s.wrongTotal(i, total, want)
		}
	}
	return nil
}
