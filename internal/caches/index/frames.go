package index

import (
	"encoding/binary"
	"slices"
	"sort"

	"github.com/contextcompiler/context/document"
)

// frames are the encoded records of sections with a lead or a tail, sorted by ordinal.
// Few sections need them.
type frames []byte

func (f frames) len() int { return len(f) / frameSize }

// ordinal returns the section of the i-th frame.
func (f frames) ordinal(i int) uint32 { return binary.LittleEndian.Uint32(f[i*frameSize:]) }

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

// readFrames reads all frames once and keeps them.
func (x *Index) readFrames() (frames, error) {
	if held := x.frames.Load(); held != nil {
		return *held, nil
	}
	b, err := x.readPart(framesKind)
	if err == nil && len(b)%frameSize != 0 {
		err = invalid("its frames are %d bytes long", len(b))
	}
	f := frames(b)
	if err == nil && !f.isWritten() {
		err = invalid("its frames are not in order, or empty")
	}
	if err != nil {
		return nil, err
	}
	x.frames.Store(&f)
	return f, nil
}

// isWritten reports whether each section has at most a single frame, in order, and none has an
// empty one. A rebuild copies frames, so it must not copy any that no build writes.
func (f frames) isWritten() bool {
	next := uint64(0)
	for frame := range slices.Chunk(f, frameSize) {
		ordinal := uint64(binary.LittleEndian.Uint32(frame))
		if ordinal < next || [frameSize - 4]byte(frame[4:]) == [frameSize - 4]byte{} {
			return false
		}
		next = ordinal + 1
	}
	return true
}

// frame sets the lead and the tail of the section at an ordinal. It fails if they cannot
// belong to the section.
func (f frames) frame(ordinal int, s *SectionRecord) error {
	n := f.len()
	i := sort.Search(n, func(i int) bool { return f.ordinal(i) >= uint32(ordinal) })
	if i == n || f.ordinal(i) != uint32(ordinal) {
		return nil
	}
	at := func(k int) int { return int(binary.LittleEndian.Uint32(f[i*frameSize+4*k:])) }
	s.Lead, s.Tail = document.Range{Start: at(1), End: at(2)}, document.Range{Start: at(3), End: at(4)}
	if !s.isFramed() {
		return invalid("section %d: impossible lead at %d or tail at %d", ordinal, s.Lead.Start, s.Tail.Start)
	}
	return nil
}
