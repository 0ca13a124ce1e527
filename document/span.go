package document

// A Span is a range of bytes in a document's content.
type Span struct {
	ID         ID
	Start, End int // Start is the first byte, End the byte after the last
}

// A Range is a range of bytes in a content that follows from the context.
type Range struct {
	Start, End int // as in a Span; both 0 for no bytes
}

// Size returns the number of bytes.
func (r Range) Size() int { return r.End - r.Start }
