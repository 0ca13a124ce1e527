package sections

import (
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// framesIn returns the frames in a block of a page in order, except if they are too large
// to be printed again.
func framesIn(body markdown.Body, b markdown.Block) (frames []markdown.Frame) {
	for _, f := range body.Frames(b) {
		if f.Lead.Size()+f.Tail.Size() <= largestFrame {
			frames = append(frames, f)
		}
	}
	return frames
}

// frameAt returns the frame around an offset, which must be neither at its beginning nor at its
// end. Without a frame, it returns the zero frame.
func frameAt(frames []markdown.Frame, offset int) markdown.Frame {
	i, _ := slices.BinarySearchFunc(frames, offset, func(f markdown.Frame, offset int) int { return f.Tail.End - offset - 1 })
	if i < len(frames) && frames[i].Lead.Start < offset && offset < frames[i].Tail.End {
		return frames[i]
	}
	return markdown.Frame{}
}

// moveCut moves a cut found after start, so it is neither inside a lead nor before a tail. The
// result is also after start.
func moveCut(frames []markdown.Frame, start, offset int) int {
	switch f := frameAt(frames, offset); {
	case offset <= f.Body.Start && f.Lead.Start > start:
		return f.Lead.Start
	case offset < f.Body.Start:
		return f.Body.Start
	case offset == f.Tail.Start:
		return f.Tail.End
	}
	return offset
}

// addFrames adds leads and tails to sections. If a page is cut inside the body of a frame,
// the section after the cut begins with the lead, and the section before it ends with the
// tail.
func addFrames(sections []Section, frames []markdown.Frame) {
	for i := range sections {
		s := &sections[i]
		s.Lead = frameAt(frames, s.Start).Lead
		if s.Tail = frameAt(frames, s.End).Tail; s.Tail.Size() == 0 {
			s.Tail = document.Range{}
		}
	}
}
