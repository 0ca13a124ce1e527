package sections

import (
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/markdown"
)

// A frame is the frame of a table or of a code block in a page. If the page is cut in
// its body, the part behind the cut begins with the lead, and the one before it ends
// with the tail.
type frame struct{ lead, body, tail document.Range }

// framesIn returns the frames in a block of a page, in order. It leaves out those with
// too much in them to be printed again.
func framesIn(body markdown.Body, b markdown.Block) (frames []frame) {
	for _, f := range body.Frames(b) {
		frame := frame{
			lead: document.Range{Start: b.Start + f.Start, End: b.Start + f.Body},
			body: document.Range{Start: b.Start + f.Body, End: b.Start + f.Tail},
			tail: document.Range{Start: b.Start + f.Tail, End: b.Start + f.End},
		}
		if frame.lead.Size()+frame.tail.Size() <= largestFrame {
			frames = append(frames, frame)
		}
	}
	return frames
}

// frameAt returns the frame that has an offset in it, and neither at its beginning nor
// at its end. It returns the zero frame if there is none.
func frameAt(frames []frame, offset int) frame {
	i, _ := slices.BinarySearchFunc(frames, offset, func(f frame, offset int) int { return f.tail.End - offset - 1 })
	if i < len(frames) && frames[i].lead.Start < offset && offset < frames[i].tail.End {
		return frames[i]
	}
	return frame{}
}

// moveCut returns the place for a cut that was found at an offset behind start. It is
// behind start, too, and neither in the lead nor before the tail of a frame.
func moveCut(frames []frame, start, offset int) int {
	switch f := frameAt(frames, offset); {
	case offset <= f.body.Start && f.lead.Start > start:
		return f.lead.Start
	case offset < f.body.Start:
		return f.body.Start
	case offset == f.tail.Start:
		return f.tail.End
	}
	return offset
}

// addFrames gives the sections of a page the frames that they are cut from.
func addFrames(sections []Section, frames []frame) {
	for i := range sections {
		s := &sections[i]
		s.Lead = frameAt(frames, s.Start).lead
		if s.Tail = frameAt(frames, s.End).tail; s.Tail.Size() == 0 {
			s.Tail = document.Range{}
		}
	}
}
