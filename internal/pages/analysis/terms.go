package analysis

import "github.com/contextcompiler/context/internal/base/words"

// A TermKind describes a term, as bits.
type TermKind uint8

const (
	Stop  TermKind = 1 << iota // an English word too common to search for
	Whole                      // an identifier, after its parts; or the plural of an abbreviation, after the singular
)

// Terms is a list of terms in a compact form. The zero Terms is empty and ready to use.
type Terms struct {
	text  []byte
	terms []termPlace
}

// A termPlace is the position of a term in the text of Terms.
type termPlace struct {
	hash uint64 // from words.Hash
	end  uint32
	size uint8
	kind TermKind
	look look
}

func (t *Terms) Len() int { return len(t.terms) }

// At returns the i-th term and its kind. The term is valid until the next Append or Reset.
func (t *Terms) At(i int) (term []byte, kind TermKind) {
	p := &t.terms[i]
	return t.text[p.end-uint32(p.size) : p.end], p.kind
}

// AppendTo appends the i-th term and a space.
func (t *Terms) AppendTo(dst []byte, i int) []byte {
	p := &t.terms[i]
	start, n := int(p.end)-int(p.size), len(dst)
	if p.size < longestCached && start+longestCached <= cap(t.text) && n+longestCached <= cap(dst) {
		copy(dst[n:n+longestCached], t.text[start:start+longestCached])
		dst = dst[:n+int(p.size)+1]
		dst[len(dst)-1] = ' '
		return dst
	}
	return append(append(dst, t.text[start:p.end]...), ' ')
}

// Hash returns the [words.Hash] of the i-th term.
func (t *Terms) Hash(i int) uint64 { return t.terms[i].hash }

// Sketch returns the [SketchOf] the i-th term.
func (t *Terms) Sketch(i int) byte { return t.terms[i].look.sketch }

func (t *Terms) HasDigit(i int) bool { return t.terms[i].look.hasDigit }

// Reset removes all terms and keeps the memory.
func (t *Terms) Reset() { t.text, t.terms = t.text[:0], t.terms[:0] }

func (t *Terms) add(term []byte, kind TermKind) {
	t.text = append(t.text, term...)
	t.close(termPlace{hash: words.Hash(term), size: uint8(len(term)), kind: kind, look: lookOf(term)})
}

func (t *Terms) addEntry(e *wordEntry, kind TermKind) {
	t.text = append(t.text, e.term[:]...)
	t.text = t.text[:len(t.text)-len(e.term)+int(e.size)]
	t.close(termPlace{hash: e.hash, size: e.size, kind: kind | e.kind, look: e.look})
}

func (t *Terms) addIdentifier(e *identifierEntry) {
	start := uint32(len(t.text))
	t.text = append(t.text, e.text[:]...)
	for _, p := range e.terms[:e.count] {
		p.end += start
		t.terms = append(t.terms, p)
	}
	t.text = t.text[:t.terms[len(t.terms)-1].end]
}

// close ends a term whose bytes were already appended to the text.
func (t *Terms) close(p termPlace) {
	p.end = uint32(len(t.text))
	t.terms = append(t.terms, p)
}
