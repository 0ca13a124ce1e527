package index

import (
	"iter"
	"slices"
	"sort"
)

// A sectionSpan contains the sections of consecutive documents: those of a page, or those of
// documents in another index, whose entries can be copied. Copying takes a small part of the
// time of decoding and encoding, and a rebuild copies most sections.
type sectionSpan struct {
	page []SectionRecord

	from                *sectionReader // of whole; nil for a page
	whole               *Whole
	position            int // of whole
	document, documents int // the first ordinal in whole, and their number
	first, n            int // the same for their sections
}

// sectionSpans yields the sections of all documents in order. They are valid until the next
// iteration. After an error, nothing follows. It can be called again.
type sectionSpans iter.Seq2[sectionSpan, error]

// spans yields each page as a span.
func (p pages) spans(yield func(sectionSpan, error) bool) {
	for page, err := range p {
		if !yield(sectionSpan{page: page}, err) {
			return
		}
	}
}

// eachPage calls visit with the sections of each document.
func (s sectionSpan) eachPage(visit func(page []SectionRecord) error) error {
	if s.from == nil {
		return visit(s.page)
	}
	for i := range s.documents {
		page, err := s.from.read(s.whole.sectionsOf(s.document + i))
		if err != nil {
			return &KeptError{s.position, err}
		}
		if err := visit(page); err != nil {
			return err
		}
	}
	return nil
}

// entries calls visit with the entries of a column, several at a time. The entries must be
// size bytes long.
func (s sectionSpan) entries(column *window, k partKind, size int64, visit func(entries []byte)) error {
	const most = 1 << 12
	for n := 0; n < s.n; n += most {
		b, err := s.from.entries(column, k, size, s.first+n, min(most, s.n-n))
		if err != nil {
			return err
		}
		visit(b)
	}
	return nil
}

func (s sectionSpan) eachLength(visit func(length uint32, traits uint8)) error {
	long, err := s.from.index.readLong()
	if err != nil {
		return err
	}
	ordinal := uint32(s.first)
	return s.entries(&s.from.cells, lengthsKind, cellSize, func(b []byte) {
		for cell := range slices.Chunk(b, cellSize) {
			visit(long.lengthOf(ordinal, cell), traitsOf(cell))
			ordinal++
		}
	})
}

// eachRecord calls visit with the encoded record of each section.
func (s sectionSpan) eachRecord(visit func(record []byte)) error {
	return s.entries(&s.from.records, sectionsKind, sectionSize, func(b []byte) {
		for record := range slices.Chunk(b, sectionSize) {
			visit(record)
		}
	})
}

// eachText calls visit with the slugs and sketches of all sections, in pieces of any size.
func (s sectionSpan) eachText(visit func(texts []byte)) error {
	var ends [2]textPair // the texts of the first and the last section
	for i, ordinal := range []int{s.first, s.first + s.n - 1} {
		record, err := s.from.entries(&s.from.records, sectionsKind, sectionSize, ordinal, 1)
		if err != nil {
			return err
		}
		ends[i] = decodePair(record[16:])
	}
	part, _ := s.from.index.footer.part(textsKind)
	for at, end := ends[0].start, ends[1].start+ends[1].size(); at < end; at += readAhead {
		b, err := s.from.texts.read(part+at, min(readAhead, end-at))
		if err != nil {
			return err
		}
		visit(b)
	}
	return nil
}

// eachFrame calls visit with each frame, and the position of its section in the span.
func (s sectionSpan) eachFrame(visit func(position uint32, frame []byte)) error {
	all, err := s.from.index.readFrames()
	if err != nil {
		return err
	}
	n, first := all.len(), uint32(s.first)
	for i := sort.Search(n, func(i int) bool { return all.ordinal(i) >= first }); i < n && all.ordinal(i)-first < uint32(s.n); i++ {
		visit(all.ordinal(i)-first, all[i*frameSize:][:frameSize])
	}
	return nil
}
