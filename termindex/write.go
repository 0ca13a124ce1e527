package termindex

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/contextcompiler/context/document"
)

// Write writes the index of documents, which are in the order of their IDs and
// whose contents were added to the collectors. It reads the collectors and
// changes nothing, so they may be used again.
//
// The ordinals say where in docs the document is that was added by an ordinal,
// and -1 where one was added and is to be left out. If they are nil, a document
// was added by its position in docs.
//
// Write fails with the writer's error, or if it was given what makes no index:
// documents out of order, numbers out of bounds, contents that were not added
// or not once. What it has written by then is no index.
func Write(out io.Writer, h Header, docs []Document, ordinals []int, collectors []*Collector) error {
	if err := check(h, docs); err != nil {
		return err
	}
	w := &pageWriter{out: out}
	w.write([]byte(opening))
	f := footer{header: h, documents: int64(len(docs))}
	var failed error
	for i, section := range [sectionCount]func(){
		func() { writeRecords(w, docs) },
		func() { writeNames(w, docs) },
		func() { writeColumn(w, docs, func(d *Document) int { return d.Words }) },
		func() { writeColumn(w, docs, func(d *Document) int { return d.Size }) },
		func() { f.terms, f.root, failed = writeTerms(w, docs, newMerger(collectors, ordinals, len(docs))) },
	} {
		start := w.at()
		section()
		f.lengths[i] = w.at() - start
	}
	if failed != nil {
		return failed
	}
	return w.close(&f)
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
	for i := range docs {
		d := &docs[i]
		if i > 0 && d.ID <= docs[i-1].ID {
			return fmt.Errorf("termindex: %q does not come after %q", d.ID, docs[i-1].ID)
		}
		if !d.isBounded() || len(d.ID)+len(d.File) > maxNames {
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
		b = le.AppendUint32(b, uint32(len(d.File)))
		w.write(b)
		names += uint64(len(d.ID) + len(d.File))
	}
}

func writeNames(w *pageWriter, docs []Document) {
	for i := range docs {
		w.write([]byte(docs[i].ID))
		w.write([]byte(docs[i].File))
	}
}

func writeColumn(w *pageWriter, docs []Document, value func(*Document) int) {
	var b [columnWidth]byte
	for i := range docs {
		binary.LittleEndian.PutUint32(b[:], uint32(value(&docs[i])))
		w.write(b[:])
	}
}

// writeTerms writes the dictionary. The postings of a document must add up to
// its words, which finds a content that was added twice, or never.
func writeTerms(w *pageWriter, docs []Document, m *merger) (terms, root int64, err error) {
	dictionary := &dictionaryWriter{out: w, start: w.at()}
	totals := make([]uint64, len(docs))
	for w.err == nil {
		text, postings, err := m.next()
		if err != nil {
			return 0, 0, err
		}
		if text == nil {
			break
		}
		for _, p := range postings {
			totals[p.Ordinal] += uint64(p.Count)
		}
		dictionary.add(text, postings)
	}
	root = dictionary.close()
	for i, total := range totals {
		if w.err == nil && total != uint64(docs[i].Words) {
			return 0, 0, fmt.Errorf("termindex: %d words of %q were added, but it has %d", total, docs[i].ID, docs[i].Words)
		}
	}
	return dictionary.terms, root, nil
}
