package index

import (
	"encoding/binary"
	"slices"

	"github.com/contextcompiler/context/document"
)

// A Section is the entry of a section in an index, without its terms. Its ordinal is
// its position among the sections of all documents, in the order of documents and
// then of the text.
type Section struct {
	Start, End int    // bytes of the document's content
	Length     uint32 // sum of the weights of its terms
	Digest     uint64 // of its words
	Slug       string // what follows the document's ID in its own; may be empty
	Sketch     []byte // of its words, in order
}

// areFirsts reports whether firsts can be the first sections of documents that
// share this number of sections. Every document has at least one.
func areFirsts(firsts []uint32, sections int) bool {
	if len(firsts) == 0 {
		return sections == 0
	}
	for i := range firsts[1:] {
		if firsts[i] >= firsts[i+1] {
			return false
		}
	}
	return firsts[0] == 0 && int64(firsts[len(firsts)-1]) < int64(sections)
}

func (s *Section) isBounded() bool {
	return 0 <= s.Start && s.Start <= s.End && s.End <= document.MaxSize &&
		len(s.Slug) <= maxNames && len(s.Sketch) <= document.MaxSize
}

func writeSections(w *blockWriter, t *Table) {
	le := binary.LittleEndian
	texts := uint64(0)
	b := make([]byte, 0, sectionSize)
	for s := range t.sections {
		b = le.AppendUint32(b[:0], uint32(s.Start))
		b = le.AppendUint32(b, uint32(s.End))
		b = le.AppendUint64(b, s.Digest)
		b = le.AppendUint64(b, texts)
		b = le.AppendUint32(b, uint32(len(s.Slug)))
		b = le.AppendUint32(b, uint32(len(s.Sketch)))
		w.write(b)
		texts += uint64(len(s.Slug) + len(s.Sketch))
	}
}

// Firsts returns the ordinal of the first section of each document, followed by
// the number of sections. The caller may keep it.
func (x *Index) Firsts() ([]uint32, error) {
	firsts, err := x.readNumbers(firstsKind)
	if err != nil {
		return nil, err
	}
	if x.footer.header.Selection == 0 || !areFirsts(firsts, x.Sections()) {
		return nil, invalid("its sections are not those of its documents")
	}
	return append(firsts, uint32(x.Sections())), nil
}

// Lengths returns the length of each section. The caller may keep it.
func (x *Index) Lengths() ([]uint32, error) { return x.readNumbers(lengthsKind) }

// Hold reads the records of all sections, 32 bytes each, and keeps them for
// callers that ask an index often.
func (x *Index) Hold() error {
	if x.held.Load() != nil {
		return nil
	}
	b, err := x.readPart(sectionsKind)
	if err == nil {
		x.held.Store(&b)
	}
	return err
}

// A sectionRecord is the record of a section.
type sectionRecord struct {
	start, end   uint32
	digest       uint64
	text         int64 // offset of its slug in the part of texts; its sketch follows
	slug, sketch int64 // their lengths in bytes
}

func decodeSection(b []byte) sectionRecord {
	le := binary.LittleEndian
	return sectionRecord{
		le.Uint32(b), le.Uint32(b[4:]), le.Uint64(b[8:]),
		int64(le.Uint64(b[16:])), int64(le.Uint32(b[24:])), int64(le.Uint32(b[28:])),
	}
}

// check fails unless the record can be true in an index whose part of texts has
// texts bytes.
func (r *sectionRecord) check(texts int64) error {
	if r.end < r.start || r.end > document.MaxSize {
		return invalid("a section from %d to %d", r.start, r.end)
	}
	if r.slug > maxNames || r.sketch > document.MaxSize {
		return invalid("a slug of %d bytes and a sketch of %d", r.slug, r.sketch)
	}
	if r.text < 0 || r.text > texts || r.slug+r.sketch > texts-r.text {
		return invalid("the text of a section is outside of its part")
	}
	return nil
}

// readSection returns the record of the section at an ordinal and panics if there
// is none. It uses buf as scratch space and returns it, grown if needed.
func (x *Index) readSection(ordinal int, buf []byte) (r sectionRecord, grown []byte, err error) {
	if ordinal < 0 || ordinal >= x.Sections() {
		panic("index: no section has this ordinal")
	}
	var b []byte
	if held := x.held.Load(); held != nil {
		b = (*held)[ordinal*sectionSize:]
	} else {
		start, _ := x.footer.part(sectionsKind)
		if b, buf, err = x.blocks.read(buf, start+int64(ordinal)*sectionSize, sectionSize); err != nil {
			return r, buf, err
		}
	}
	r = decodeSection(b)
	return r, buf, r.check(x.footer.length(textsKind))
}

// Section returns the section at an ordinal without its length, slug and sketch.
// It panics if there is none.
func (x *Index) Section(ordinal int) (Section, error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	r, grown, err := x.readSection(ordinal, *buf)
	*buf = grown
	return Section{Start: int(r.start), End: int(r.end), Digest: r.digest}, err
}

// Slug returns the slug of the section at an ordinal. It panics if there is none.
func (x *Index) Slug(ordinal int) (string, error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	r, grown, err := x.readSection(ordinal, *buf)
	*buf = grown
	if err != nil {
		return "", err
	}
	texts, _ := x.footer.part(textsKind)
	b, grown, err := x.blocks.read(*buf, texts+r.text, r.slug)
	*buf = grown
	return string(b), err
}

// Sketch returns the sketch of the section at an ordinal. It panics if there is
// none. It uses buf for the sketch and returns buf, grown if needed.
func (x *Index) Sketch(ordinal int, buf []byte) (sketch, grown []byte, err error) {
	r, buf, err := x.readSection(ordinal, buf)
	if err != nil {
		return nil, buf, err
	}
	texts, _ := x.footer.part(textsKind)
	return x.blocks.read(buf, texts+r.text+r.slug, r.sketch)
}

// AllSections returns the sections of each document, none for selection 0. It reads
// each part once, so it is cheaper than a call of Section and Slug for each.
func (x *Index) AllSections() ([][]Section, error) {
	if x.Header().Selection == 0 {
		return nil, nil
	}
	firsts, err := x.Firsts()
	if err != nil {
		return nil, err
	}
	all, err := x.allSections()
	if err != nil {
		return nil, err
	}
	pages := make([][]Section, x.Documents())
	for i := range pages {
		pages[i] = all[firsts[i]:firsts[i+1]:firsts[i+1]]
	}
	return pages, nil
}

func (x *Index) allSections() ([]Section, error) {
	lengths, err := x.Lengths()
	if err != nil {
		return nil, err
	}
	records, err := x.readPart(sectionsKind)
	if err != nil {
		return nil, err
	}
	texts, err := x.readPart(textsKind)
	if err != nil {
		return nil, err
	}
	all := make([]Section, x.Sections())
	next := int64(0)
	for i := range all {
		r := decodeSection(records[i*sectionSize:])
		if err := r.check(int64(len(texts))); err != nil {
			return nil, err
		}
		if r.text != next { // copies of one text could take more memory than the index
			return nil, invalid("the text of section %d does not follow the text before", i)
		}
		text := texts[r.text:][:r.slug+r.sketch]
		next += int64(len(text))
		all[i] = Section{
			int(r.start), int(r.end), lengths[i], r.digest,
			string(text[:r.slug]), slices.Clip(text[r.slug:]),
		}
	}
	return all, nil
}
