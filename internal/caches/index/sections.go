package index

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/recent"
)

// A SectionRecord is the entry of a section in an index, without its terms. Its ordinal
// is its position among the sections of all documents, ordered by document and then by
// position in the text.
type SectionRecord struct {
	Start, End int            // bytes of the document's content
	Lead, Tail document.Range // bytes of the content to print before and after it, if any
	Length     uint32         // sum of the weights of its terms
	Traits     uint8          // see package sections; the lowest bit says whether it is the first of its document
	Digest     uint64         // of its words
	Slug       string         // what follows the document's ID in the section's ID; may be empty
	Sketch     []byte         // of its words, in order
}

// PrintedSize returns the number of bytes to print: the lead, the section and the tail.
func (s *SectionRecord) PrintedSize() int { return s.Lead.Size() + s.End - s.Start + s.Tail.Size() }

// areFirsts reports whether firsts can be the first sections of documents with this
// number of sections. Every document must contain at least one section.
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

// isMarkedAs reports whether the traits fit the k-th section of a document.
func (s *SectionRecord) isMarkedAs(k int) bool {
	return (s.Traits&firstTrait != 0) == (k == 0) && (k > 0 || s.Traits&continuesTrait == 0)
}

func (s *SectionRecord) isBounded() bool {
	return 0 <= s.Start && s.Start <= s.End && s.End <= document.MaxSize && s.isFramed() && s.Traits>>traitBits == 0 &&
		len(s.Slug) <= maxNames && len(s.Sketch) <= document.MaxSize
}

func writeSections(w *blockWriter, t *Table) error {
	le := binary.LittleEndian
	texts := 0
	b := make([]byte, 0, sectionSize)
	return t.eachSection(func(s *SectionRecord) {
		b = le.AppendUint32(b[:0], uint32(s.Start))
		b = le.AppendUint32(b, uint32(s.End))
		b = le.AppendUint64(b, s.Digest)
		w.write(appendPair(b, texts, len(s.Slug), len(s.Sketch)))
		texts += len(s.Slug) + len(s.Sketch)
	})
}

// Firsts returns the ordinal of the first section of each document, followed by
// the number of sections. The caller may keep it.
func (x *Index) Firsts() ([]uint32, error) {
	firsts, err := x.readNumbers(firstsKind)
	if err != nil {
		return nil, err
	}
	if x.footer.header.Selection == 0 || !areFirsts(firsts, x.Sections()) {
		return nil, invalid("its sections don't match its documents")
	}
	return append(firsts, uint32(x.Sections())), nil
}

// decodeSection decodes the record of a section. It fails if the record is impossible in
// an index whose part of texts is texts bytes long.
func decodeSection(b []byte, texts int64) (SectionRecord, textPair, error) {
	le := binary.LittleEndian
	s := SectionRecord{Start: int(le.Uint32(b)), End: int(le.Uint32(b[4:])), Digest: le.Uint64(b[8:])}
	p := decodePair(b[16:])
	if !s.isBounded() || p.first > maxNames || p.second > document.MaxSize {
		return s, p, invalid("a section from %d to %d with texts of %d and %d bytes", s.Start, s.End, p.first, p.second)
	}
	return s, p, p.check(texts)
}

// setTexts sets the slug and the sketch, which shares the memory of b.
func (s *SectionRecord) setTexts(b []byte, p textPair) error {
	s.Slug, s.Sketch = string(b[:p.first]), b[p.first:]
	if !utf8.ValidString(s.Slug) { // answers print it
		return invalid("the slug %q isn't UTF-8", s.Slug)
	}
	return nil
}

// heldSections contains up to 8 MiB of the sections used last by all indexes of the
// process. The best sections for a question are often far apart, so holding the blocks
// around them would take much more memory.
var heldSections = recent.New[heldSectionKey, *SectionRecord](8 << 20)

type heldSectionKey struct {
	owner   recent.Owner
	ordinal int
}

// Section returns the section at an ordinal without its length and its traits. The caller must not
// change its sketch. It panics if the ordinal is out of range.
func (x *Index) Section(ordinal int) (SectionRecord, error) {
	if ordinal < 0 || ordinal >= x.Sections() {
		panic("index: no section has this ordinal")
	}
	key := heldSectionKey{x.owner, ordinal}
	if s, isHeld := heldSections.Get(key); isHeld {
		return *s, nil
	}
	s, err := x.readSection(ordinal)
	if err != nil {
		return SectionRecord{}, err
	}
	const overhead = 320 // of the record and its place in heldSections
	heldSections.Put(key, s, overhead+len(s.Slug)+len(s.Sketch))
	return *s, nil
}

// sectionWindows read sections. They don't hold blocks, because the sections themselves
// are held, but sections that come in order share a block.
type sectionWindows struct{ records, texts window }

// readSection reads what Section returns.
func (x *Index) readSection(ordinal int) (*SectionRecord, error) {
	windows, isKnown := x.sections.Get().(*sectionWindows)
	if !isKnown {
		unheld := &blockReader{in: x.blocks.in, end: x.blocks.end, sums: x.blocks.sums}
		windows = &sectionWindows{window{blocks: unheld}, window{blocks: unheld}}
	}
	defer x.sections.Put(windows)
	start, _ := x.footer.part(sectionsKind)
	b, err := windows.records.read(start+int64(ordinal)*sectionSize, sectionSize)
	if err != nil {
		return nil, err
	}
	s, texts, err := decodeSection(b, x.footer.length(textsKind))
	if err != nil {
		return nil, err
	}
	if texts.size() > 0 {
		start, _ = x.footer.part(textsKind)
		if b, err = windows.texts.read(start+texts.start, texts.size()); err != nil {
			return nil, err
		}
		if err := s.setTexts(b, texts); err != nil {
			return nil, err
		}
		s.Sketch = bytes.Clone(s.Sketch)
	}
	frames, err := x.readFrames()
	if err != nil {
		return nil, err
	}
	return &s, frames.frame(ordinal, &s)
}
