package analysis

// A TermKind has properties of a term, as bits.
type TermKind uint8

const (
	Stop  TermKind = 1 << iota // an English word too common to ask for
	Whole                      // an identifier of several parts, which come right before it
)

// Terms holds terms one after another. The zero Terms is empty and ready for
// use.
type Terms struct {
	text  []byte
	ends  []uint32
	kinds []TermKind
}

// Len returns the number of terms.
func (t *Terms) Len() int { return len(t.ends) }

// At returns the i-th term and its kind. The term is valid until the next Append or
// Reset.
func (t *Terms) At(i int) (term []byte, kind TermKind) {
	start := uint32(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.text[start:t.ends[i]], t.kinds[i]
}

// Reset removes all terms and keeps the memory.
func (t *Terms) Reset() {
	t.text, t.ends, t.kinds = t.text[:0], t.ends[:0], t.kinds[:0]
}

func (t *Terms) add(term []byte, kind TermKind) {
	t.text = append(t.text, term...)
	t.close(kind)
}

// close ends the term whose bytes were appended to the text.
func (t *Terms) close(kind TermKind) {
	t.ends = append(t.ends, uint32(len(t.text)))
	t.kinds = append(t.kinds, kind)
}
