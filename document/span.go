package document

// A Span is a range of bytes of a document's content.
type Span struct {
	ID         ID
	Start, End int // Start is the first byte, End the one behind the last
}

// A Range is a range of bytes of a content that the context names.
type Range struct {
	Start, End int // as those of a Span; both 0 if there are no bytes
}

// Size returns the number of bytes.
func (r Range) Size() int { return r.End - r.Start }
