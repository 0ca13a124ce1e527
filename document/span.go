package document

// A Span is a range of bytes of a document's content.
type Span struct {
	ID         ID
	Start, End int // Start is the first byte, End the one behind the last
}
