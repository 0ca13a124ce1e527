package termindex

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/contextcompiler/context/document"
)

// Write writes the index of documents, which are in the order of their IDs and
// each of which has its words from one of the sources. It reads the sources and
// changes nothing, so they may be used again.
//
// Write fails with the writer's error, with [ErrInvalid] if the previous index
// is damaged, or if it was given what makes no index: documents out of order,
// numbers out of bounds, documents that are in no source or in more than one.
// What it has written by then is no index.
func Write(out io.Writer, h Header, docs []Document, s Sources) error {
	if err := check(h, docs); err != nil {
		return err
	}
	if err := s.check(len(docs)); err != nil {
		return err
	}
	words := func(i int) uint64 { return uint64(docs[i].Words) }
	f := footer{layout: &documentLayout, header: h, documents: int64(len(docs))}
	return f.write(out, []sectionWriter{
		func(w *pageWriter) error { writeRecords(w, docs); return nil },
		func(w *pageWriter) error { writeNames(w, docs); return nil },
		func(w *pageWriter) error { writeColumn(w, docs, func(d *Document) int { return d.Words }); return nil },
		func(w *pageWriter) error { writeColumn(w, docs, func(d *Document) int { return d.Size }); return nil },
		func(w *pageWriter) error { return f.writeTerms(w, &s, words) },
		func(w *pageWriter) error { w.write(h.Origin); return nil },
	})
}

// A sectionWriter writes one section. The errors of the page writer, which that
// keeps, are not among those that it returns.
type sectionWriter func(*pageWriter) error

// write writes an index with these sections and completes the footer with what is
// known of them by then.
func (f *footer) write(out io.Writer, sections []sectionWriter) error {
	w := &pageWriter{out: out}
	w.write([]byte(f.layout.opening))
	f.lengths = make([]int64, len(sections))
	for i, section := range sections {
		start := w.at()
		if err := section(w); err != nil {
			return err
		}
		f.lengths[i] = w.at() - start
	}
	return w.close(f)
}

// close writes what comes after the sections.
func (w *pageWriter) close(f *footer) error {
	w.endPage()
	f.sums = checksum(w.sums)
	for _, b := range [][]byte{w.sums, f.encode()} {
		if w.err == nil {
			_, w.err = w.out.Write(b)
		}
	}
	return w.err
}

// check says what is wrong with documents that an index cannot hold.
func check(h Header, docs []Document) error {
	if int64(len(docs)) > math.MaxUint32 || h.ManifestSize < 0 {
		return fmt.Errorf("termindex: %d documents and a manifest of %d bytes", len(docs), h.ManifestSize)
	}
	if len(h.Origin) > MaxOrigin {
		return fmt.Errorf("termindex: an origin of %d bytes", len(h.Origin))
	}
	for i := range docs {
		d := &docs[i]
		if i > 0 && d.ID <= docs[i-1].ID {
			return fmt.Errorf("termindex: %q does not come after %q", d.ID, docs[i-1].ID)
		}
		if !d.isBounded() || len(d.ID)+len(d.Name) > maxNames {
			return fmt.Errorf("termindex: numbers or names of %.100q are out of bounds", d.ID)
		}
	}
	return nil
}

// isBounded reports whether the numbers of a document can be true.
func (d *Document) isBounded() bool {
	return 0 <= d.Words && d.Words <= d.Size && d.Size <= document.MaxSize &&
		d.FileSize <= math.MaxUint32 && 0 <= d.ContentOffset && 0 <= d.ContentLength &&
		d.ContentOffset <= d.FileSize && d.ContentLength <= d.FileSize-d.ContentOffset
}

// writeRecords writes what is of fixed width, and where the names are.
func writeRecords(w *pageWriter, docs []Document) {
	le := binary.LittleEndian
	names := uint64(0)
	b := make([]byte, 0, recordSize)
	for i := range docs {
		d := &docs[i]
		b = append(b[:0], d.Version[:]...)
		b = append(b, d.FileSum[:]...)
		b = le.AppendUint32(b, uint32(d.FileSize))
		b = le.AppendUint32(b, uint32(d.ContentOffset))
		b = le.AppendUint32(b, uint32(d.ContentLength))
		b = le.AppendUint64(b, names)
		b = le.AppendUint32(b, uint32(len(d.ID)))
		b = le.AppendUint32(b, uint32(len(d.Name)))
		w.write(b)
		names += uint64(len(d.ID) + len(d.Name))
	}
}

func writeNames(w *pageWriter, docs []Document) {
	for i := range docs {
		w.write([]byte(docs[i].ID))
		w.write([]byte(docs[i].Name))
	}
}

func writeColumn[T any](w *pageWriter, all []T, value func(*T) int) {
	var b [columnWidth]byte
	for i := range all {
		binary.LittleEndian.PutUint32(b[:], uint32(value(&all[i])))
		w.write(b[:])
	}
}

// writeTerms writes the dictionary and the postings. Those of an ordinal must add
// up to its words, or to the length of a passage, which finds one that is in two
// sources, or in none.
func (f *footer) writeTerms(w *pageWriter, s *Sources, sum func(ordinal int) uint64) error {
	dictionary := &dictionaryWriter{out: w, start: w.at()}
	totals, err := dictionary.addSources(s, int(f.documents))
	if err != nil {
		return err
	}
	f.root = dictionary.close()
	f.terms = dictionary.terms
	for i, total := range totals {
		if want := sum(i); w.err == nil && total != want {
			return s.wrongTotal(i, total, want)
		}
	}
	return nil
}
