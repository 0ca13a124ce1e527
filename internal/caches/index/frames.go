package index

import (
	"encoding/binary"
	"sort"
	"sync/atomic"

	"github.com/contextcompiler/context/document"
)

// frames are the encoded records of sections with a lead or a tail, sorted by ordinal.
// Few sections need them.
type frames []byte

// isFramed reports whether the lead and the tail of a section can be printed before and
// after it.
func (s *SectionRecord) isFramed() bool {
	none := document.Range{}
	lead := s.Lead == none || 0 <= s.Lead.Start && s.Lead.Start < s.Lead.End && s.Lead.End <= s.Start
	return lead && (s.Tail == none || s.End <= s.Tail.Start && s.Tail.Start < s.Tail.End && s.Tail.End <= document.MaxSize)
}

// appendFrame appends the frame of a section, if it has one.
func (s *SectionRecord) appendFrame(dst frames, ordinal int) frames {
	if none := (document.Range{}); s.Lead == none && s.Tail == none {
		return dst
	}
	for _, n := range []int{ordinal, s.Lead.Start, s.Lead.End, s.Tail.Start, s.Tail.End} {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	return dst
}

func (x *Index) readFrames() (frames, error) {
	return x.readSparse(&x.frames, framesKind, frameSize)
}

// frame sets the lead and the tail of the section at an ordinal. It fails if they cannot
// belong to the section.
func (f frames) frame(ordinal int, s *SectionRecord) error {
	frame := findSparse(f, frameSize, uint32(ordinal))
	if frame == nil {
		return nil
	}
	at := func(k int) int { return int(binary.LittleEndian.Uint32(frame[4*k:])) }
	s.Lead, s.Tail = document.Range{Start: at(1), End: at(2)}, document.Range{Start: at(3), End: at(4)}
	if !s.isFramed() {
		return invalid("section %d: impossible lead at %d or tail at %d", ordinal, s.Lead.Start, s.Tail.Start)
	}
	return nil
}

// readSparse reads a part of entries for few sections, once, and keeps it in held.
func (x *Index) readSparse(held *atomic.Pointer[[]byte], k partKind, size int) ([]byte, error) {
	if b := held.Load(); b != nil {
		return *b, nil
	}
	b, err := x.readPart(k)
	if err == nil && len(b)%size != 0 {
		err = invalid("part %d is %d bytes long", k, len(b))
	}
	if err != nil {
		return nil, err
	}
	held.Store(&b)
	return b, nil
}

// findSparse returns the entry for a section, or nil. Entries are sorted by the ordinals with which
// they begin.
func findSparse(entries []byte, size int, ordinal uint32) []byte {
	n := len(entries) / size
	at := func(i int) uint32 { return binary.LittleEndian.Uint32(entries[i*size:]) }
	i := sort.Search(n, func(i int) bool { return at(i) >= ordinal })
	if i == n || at(i) != ordinal {
		return nil
	}
	return entries[i*size:][:size]
}
