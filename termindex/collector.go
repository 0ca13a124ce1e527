package termindex

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/words"
)

// A Collector counts the terms of documents. The zero Collector is empty and
// ready for use. It is not safe for concurrent use: each worker of a build has
// its own, and [Write] puts them together.
type Collector struct {
	vocabulary vocabulary
	chains     []chain // of the terms that more than one document has
	store      chainStore
	lower      []byte // the word at hand in lower case
}

// Add counts the words of a content, whatever its bytes are, and returns how
// many it has; a content has at most [document.MaxSize] bytes. The ordinal is a number below 2^32 that no other document of the
// same index has, in this collector or in another; see [Write]. Ordinals that
// rise from call to call take the least memory.
//
// The content is not kept.
func (c *Collector) Add(ordinal int, content []byte) (words int) {
	if ordinal < 0 || int64(ordinal) > math.MaxUint32 || len(content) > document.MaxSize {
		panic(fmt.Sprintf("termindex: document %d of %d bytes is out of bounds", ordinal, len(content)))
	}
	for {
		word, rest := nextWord(content)
		if len(word) == 0 {
			return words
		}
		words++
		c.count(uint32(ordinal), c.lowered(word))
		content = rest
	}
}

// count notes that a document has a term once more.
func (c *Collector) count(ordinal uint32, text []byte) {
	number, isNew := c.vocabulary.number(text)
	t := &c.vocabulary.terms[number]
	switch {
	case isNew:
		t.document, t.count = ordinal, 1
	case t.document == ordinal:
		t.count++
	default:
		c.put(t)
		t.document, t.count = ordinal, 1
	}
}

// put moves a term's last document into its chain. Most terms have only one
// document, and never a chain.
func (c *Collector) put(t *term) {
	if t.chain == 0 {
		c.chains = append(c.chains, chain{})
		t.chain = uint32(len(c.chains))
	}
	var room [maxPosting]byte
	// The step wraps around if documents come in another order.
	encoded := appendPosting(room[:0], t.document-t.coded, t.count)
	c.store.write(&c.chains[t.chain-1], encoded)
	t.coded = t.document
}

// postings appends the postings of a term to dst in the order in which the
// documents were added. It needs buf for itself and returns it for the next.
func (c *Collector) postings(dst []Posting, number uint32, buf []byte) (postings []Posting, grown []byte) {
	t := c.vocabulary.terms[number]
	buf = buf[:0]
	if t.chain != 0 {
		buf = c.store.appendTo(buf, c.chains[t.chain-1])
	}
	ordinal := uint32(0)
	for rest := buf; len(rest) > 0; {
		step, count, n := decodePosting(rest)
		ordinal += step
		dst = append(dst, Posting{ordinal, count})
		rest = rest[n:]
	}
	return append(dst, Posting{t.document, t.count}), buf
}

// lowered returns a word in lower case, until the next call.
func (c *Collector) lowered(word []byte) []byte {
	c.lower = c.lower[:0]
	for _, b := range word {
		if b >= utf8.RuneSelf {
			// The bytes before it count, too: a sigma looks back.
			c.lower = words.AppendLower(c.lower[:0], word)
			break
		}
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		c.lower = append(c.lower, b)
	}
	return c.lower
}
