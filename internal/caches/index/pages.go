package index

import (
	"encoding/binary"
	"iter"

	"github.com/contextcompiler/context/document"
)

// pages yields the sections of each document in turn. They are valid until the next
// iteration. After an error, nothing follows. It can be called again.
type pages iter.Seq2[[]SectionRecord, error]

// entrySize is the number of bytes of a section in a page, without its texts.
const entrySize = 45

// appendPage appends the encoding of the sections of a page: first their numbers, then
// their texts. Only this process can decode it.
func appendPage(dst []byte, sections []SectionRecord) []byte {
	le := binary.LittleEndian
	for i := range sections {
		s := &sections[i]
		for _, n := range []int{
			s.Start, s.End, s.Lead.Start, s.Lead.End, s.Tail.Start, s.Tail.End,
			int(s.Length), len(s.Slug), len(s.Sketch),
		} {
			dst = le.AppendUint32(dst, uint32(n))
		}
		dst = append(le.AppendUint64(dst, s.Digest), s.Traits)
	}
	for i := range sections {
		dst = append(append(dst, sections[i].Slug...), sections[i].Sketch...)
	}
	return dst
}

// decodePage appends the n sections of a page to dst. Their sketches share the memory of
// b.
func decodePage(dst []SectionRecord, b []byte, n int) []SectionRecord {
	le := binary.LittleEndian
	texts := b[n*entrySize:]
	for range n {
		at := func(i int) int { return int(le.Uint32(b[4*i:])) }
		slug, sketch := at(7), at(8)
		dst = append(dst, SectionRecord{
			Start: at(0), End: at(1),
			Lead: document.Range{Start: at(2), End: at(3)}, Tail: document.Range{Start: at(4), End: at(5)},
			Length: uint32(at(6)), Digest: le.Uint64(b[36:]), Traits: b[44],
			Slug: string(texts[:slug]), Sketch: texts[slug:][:sketch:sketch],
		})
		b, texts = b[entrySize:], texts[slug+sketch:]
	}
	return dst
}

// A sectionReader reads the sections of an index. It is fastest if they are read in
// order.
type sectionReader struct {
	index                 *Index
	cells, records, texts window
	next                  int   // ordinal after the last section read
	end                   int64 // of the texts of that section, in their part

	sections []SectionRecord
	pairs    []textPair
}

func (x *Index) newSectionReader() *sectionReader { return x.readSections(readAhead) }

func (x *Index) readSections(ahead int64) *sectionReader {
	w := window{blocks: &x.blocks, ahead: ahead}
	return &sectionReader{index: x, cells: w, records: w, texts: w}
}

// read returns the n sections of a document, at least one, from an ordinal on. The next call
// may overwrite them.
func (r *sectionReader) read(first, n int) ([]SectionRecord, error) {
	f := &r.index.footer
	records, err := r.entries(&r.records, sectionsKind, sectionSize, first, n)
	if err != nil {
		return nil, err
	}
	frames, err := r.index.readFrames()
	if err != nil {
		return nil, err
	}
	r.sections, r.pairs = r.sections[:0], r.pairs[:0]
	for i := range n {
		s, p, err := decodeSection(records[i*sectionSize:], f.length(textsKind))
		if err != nil {
			return nil, err
		}
		if (i > 0 || first == r.next) && p.start != r.end { // otherwise, shared texts could need more memory than the index
			return nil, invalid("the text of section %d doesn't follow the previous text", first+i)
		}
		r.end = p.start + p.size()
		if err := frames.frame(first+i, &s); err != nil {
			return nil, err
		}
		r.sections, r.pairs = append(r.sections, s), append(r.pairs, p)
	}
	r.next = first + n
	return r.sections, r.readColumns(first, n)
}

// readColumns reads the lengths, the traits and other columns of the sections.
func (r *sectionReader) readColumns(first, n int) error {
	cells, err := r.entries(&r.cells, lengthsKind, cellSize, first, n)
	if err != nil {
		return err
	}
	long, err := r.index.readLong()
	if err != nil {
		return err
	}
	var texts []byte
	start := r.pairs[0].start
	if size := r.end - start; size > 0 {
		part, _ := r.index.footer.part(textsKind)
		if texts, err = r.texts.read(part+start, size); err != nil {
			return err
		}
	}
	for i, p := range r.pairs {
		s := &r.sections[i]
		text := texts[p.start-start:][:p.size():p.size()]
		cell := cells[i*cellSize:]
		s.Length, s.Traits = long.lengthOf(uint32(first+i), cell), traitsOf(cell)
		if !s.isMarkedAs(i) {
			return invalid("the traits of section %d don't match its document", first+i)
		}
		if err := s.setTexts(text, p); err != nil {
			return err
		}
	}
	return nil
}

func (r *sectionReader) entries(w *window, k partKind, size int64, first, n int) ([]byte, error) {
	start, _ := r.index.footer.part(k)
	return w.read(start+int64(first)*size, int64(n)*size)
}

// pages yields the sections of all documents. firsts must come from [Index.Firsts].
func (x *Index) pages(firsts []uint32) pages {
	return func(yield func([]SectionRecord, error) bool) {
		r := x.newSectionReader()
		for i := range x.Documents() {
			page, err := r.read(int(firsts[i]), int(firsts[i+1]-firsts[i]))
			if !yield(page, err) || err != nil {
				return
			}
		}
	}
}
