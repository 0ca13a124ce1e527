package termindex

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"

	"github.com/contextcompiler/context/document"
)

// A Passage is what an index knows of a part of a page besides its terms. Its
// ordinal is its place among the passages of all pages, in the order of the pages
// and of what is in them.
type Passage struct {
	Start, End int    // bytes of the page's content
	Length     uint32 // weights of all its terms together
	Digest     uint64 // of its words: see package passage
	Slug       string // what its ID has behind the page's; may be empty
	Sketch     []byte // of its words, in order: see package passage
}

// WritePassages writes the index of the passages of pages, which are documents
// to the sources. What a posting counts there is the weight of the term. firsts
// has the ordinal of the first passage of each page and, behind these, how many
// passages there are. The header's Origin is not written. WritePassages fails as
// [Write] does.
func WritePassages(out io.Writer, h Header, firsts []uint32, passages []Passage, s Sources) error {
	if err := checkPassages(h, firsts, passages); err != nil {
		return err
	}
	if err := s.check(len(passages)); err != nil {
		return err
	}
	h.Origin = nil
	f := footer{layout: &passageLayout, header: h, documents: int64(len(passages))}
	return f.write(out, []sectionWriter{
		func(w *pageWriter) error {
			writeColumn(w, firsts, func(first *uint32) int { return int(*first) })
			return nil
		},
		func(w *pageWriter) error {
			writeColumn(w, passages, func(p *Passage) int { return int(p.Length) })
			return nil
		},
		func(w *pageWriter) error { writeParts(w, passages); return nil },
		func(w *pageWriter) error { writeTexts(w, passages); return nil },
		func(w *pageWriter) error {
			return f.writeTerms(w, &s, func(i int) uint64 { return uint64(passages[i].Length) })
		},
	})
}

// checkPassages says what is wrong with passages that an index cannot hold.
func checkPassages(h Header, firsts []uint32, passages []Passage) error {
	n := len(passages)
	if h.ManifestSize < 0 {
		return fmt.Errorf("termindex: a manifest of %d bytes", h.ManifestSize)
	}
	if int64(n) > math.MaxUint32 || !arePages(firsts, n) {
		return fmt.Errorf("termindex: %d passages are not those of %d pages", n, len(firsts)-1)
	}
	for i := range passages {
		p := &passages[i]
		if p.Start < 0 || p.End < p.Start || p.End > document.MaxSize || len(p.Slug) > maxNames || len(p.Sketch) > document.MaxSize {
			return fmt.Errorf("termindex: passage %d is out of bounds", i)
		}
	}
	return nil
}

// arePages reports whether firsts can be the first passages of pages that have so
// many together, and behind these how many. Every page has at least one.
func arePages(firsts []uint32, passages int) bool {
	if len(firsts) == 0 || firsts[0] != 0 || firsts[len(firsts)-1] != uint32(passages) {
		return false
	}
	for i, first := range firsts[1:] {
		if first <= firsts[i] {
			return false
		}
	}
	return true
}

func writeParts(w *pageWriter, passages []Passage) {
	le := binary.LittleEndian
	texts := uint64(0)
	b := make([]byte, 0, partSize)
	for i := range passages {
		p := &passages[i]
		b = le.AppendUint32(b[:0], uint32(p.Start))
		b = le.AppendUint32(b, uint32(p.End))
		b = le.AppendUint64(b, p.Digest)
		b = le.AppendUint64(b, texts)
		b = le.AppendUint32(b, uint32(len(p.Slug)))
		b = le.AppendUint32(b, uint32(len(p.Sketch)))
		w.write(b)
		texts += uint64(len(p.Slug) + len(p.Sketch))
	}
}

func writeTexts(w *pageWriter, passages []Passage) {
	for i := range passages {
		w.write([]byte(passages[i].Slug))
		w.write(passages[i].Sketch)
	}
}

// A PassageIndex is an index of passages that was opened. Its postings count the
// weights of terms.
type PassageIndex struct {
	InvertedIndex
	held atomic.Pointer[[]byte] // the records of all passages; nil until Hold
}

// OpenPassages is [Open] for an index of passages.
func OpenPassages(r io.ReaderAt, size int64) (*PassageIndex, error) {
	opened, err := open(r, size, &passageLayout)
	if err != nil {
		return nil, err
	}
	return &PassageIndex{InvertedIndex: opened}, nil
}

// Columns returns the first passage of each page, as for [WritePassages], and
// the length of each passage. That is what scoring needs to know besides
// postings. They are read at every call; the caller may keep and change them.
func (x *PassageIndex) Columns() (firsts, lengths []uint32, err error) {
	if firsts, err = x.readColumn(firstsKind); err != nil {
		return nil, nil, err
	}
	if !arePages(firsts, x.Len()) {
		return nil, nil, invalid("its pages make no sense")
	}
	if lengths, err = x.readColumn(lengthsKind); err != nil {
		return nil, nil, err
	}
	return firsts, lengths, nil
}

// Hold reads what there is to know of all passages but their lengths and texts,
// 32 bytes for each, and keeps it for those who ask an index often.
func (x *PassageIndex) Hold() error {
	if x.held.Load() != nil {
		return nil
	}
	start, end := x.footer.section(partsKind)
	b, _, err := x.pages.read(nil, start, end-start)
	if err == nil {
		x.held.Store(&b)
	}
	return err
}

// A partRecord is the record of a passage.
type partRecord struct {
	start, end   uint32
	digest       uint64
	texts        int64 // where its slug begins, and its sketch behind that
	slug, sketch int64 // bytes of these
}

func decodePart(b []byte) partRecord {
	le := binary.LittleEndian
	return partRecord{
		le.Uint32(b), le.Uint32(b[4:]), le.Uint64(b[8:]),
		int64(le.Uint64(b[16:])), int64(le.Uint32(b[24:])), int64(le.Uint32(b[28:])),
	}
}

// check fails if a record cannot be true in an index with so many bytes of
// texts.
func (r *partRecord) check(texts int64) error {
	if r.end < r.start || r.end > document.MaxSize {
		return invalid("a passage from %d to %d", r.start, r.end)
	}
	if r.slug > maxNames || r.sketch > document.MaxSize {
		return invalid("a slug of %d bytes, and a sketch of %d", r.slug, r.sketch)
	}
	if r.texts < 0 || r.texts > texts || r.slug+r.sketch > texts-r.texts {
		return invalid("a slug is outside of its section")
	}
	return nil
}

// readPart returns the record of the passage with an ordinal, and panics if
// there is none. It uses buf's memory if that suffices, and returns it for the
// next.
func (x *PassageIndex) readPart(ordinal int, buf []byte) (r partRecord, grown []byte, err error) {
	if ordinal < 0 || ordinal >= x.Len() {
		panic("termindex: no passage has this ordinal")
	}
	var b []byte
	if held := x.held.Load(); held != nil {
		b = (*held)[ordinal*partSize:]
	} else {
		start, _ := x.footer.section(partsKind)
		if b, buf, err = x.pages.read(buf, start+int64(ordinal)*partSize, partSize); err != nil {
			return r, buf, err
		}
	}
	r = decodePart(b)
	return r, buf, r.check(x.footer.length(textsKind))
}

// Passage returns the passage with an ordinal without its length, slug and
// sketch, and panics if there is none.
func (x *PassageIndex) Passage(ordinal int) (Passage, error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	r, grown, err := x.readPart(ordinal, *buf)
	*buf = grown
	return Passage{Start: int(r.start), End: int(r.end), Digest: r.digest}, err
}

// buffers are memory for what is read and not kept.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Slug returns the slug of the passage with an ordinal, and panics if there is
// none.
func (x *PassageIndex) Slug(ordinal int) (string, error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	r, grown, err := x.readPart(ordinal, *buf)
	*buf = grown
	if err != nil {
		return "", err
	}
	texts, _ := x.footer.section(textsKind)
	b, grown, err := x.pages.read(*buf, texts+r.texts, r.slug)
	*buf = grown
	return string(b), err
}

// Sketch returns the sketch of the passage with an ordinal, and panics if there
// is none. It uses buf's memory if that suffices, and returns it for the next.
func (x *PassageIndex) Sketch(ordinal int, buf []byte) (sketch, grown []byte, err error) {
	r, buf, err := x.readPart(ordinal, buf)
	if err != nil {
		return nil, buf, err
	}
	texts, _ := x.footer.section(textsKind)
	return x.pages.read(buf, texts+r.texts+r.slug, r.sketch)
}

// Passages returns the first passage of each page and all passages. It reads
// what it needs once, so it is cheaper than many calls of Passage and Slug.
func (x *PassageIndex) Passages() (firsts []uint32, passages []Passage, err error) {
	firsts, lengths, err := x.Columns()
	if err != nil {
		return nil, nil, err
	}
	start, end := x.footer.section(partsKind)
	parts, _, err := x.pages.read(nil, start, end-start)
	if err != nil {
		return nil, nil, err
	}
	start, end = x.footer.section(textsKind)
	texts, _, err := x.pages.read(nil, start, end-start)
	if err != nil {
		return nil, nil, err
	}
	passages = make([]Passage, x.Len())
	next := int64(0)
	for i := range passages {
		r := decodePart(parts[i*partSize:])
		if err := r.check(int64(len(texts))); err != nil {
			return nil, nil, err
		}
		if r.texts != next { // many copies of one text take more memory than the index
			return nil, nil, invalid("the texts of passage %d do not come behind those of the one before", i)
		}
		own := texts[r.texts:][:r.slug+r.sketch]
		next += int64(len(own))
		passages[i] = Passage{int(r.start), int(r.end), lengths[i], r.digest, string(own[:r.slug]), own[r.slug:]}
	}
	return firsts, passages, nil
}
