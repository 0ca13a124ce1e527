package index

import (
	"unsafe"

	"github.com/contextcompiler/context/internal/base/words"
)

// A Collector counts the terms of documents in a table of all terms. The zero Collector is
// ready for use. It is not safe for concurrent use: each worker of a build must use its
// own, and [Write] merges them.
type Collector struct {
	table  termTable
	chains []chain // of the terms of several documents
	store  chainStore
}

// Add counts the words of a document and returns their number. The ordinal must be below
// 2^32, and no other document of the index may use it, in any collector; rising ordinals
// need the least memory. Add doesn't keep the content, which must not exceed
// [document.MaxSize] bytes.
func (c *Collector) Add(ordinal int, content []byte) (total int) {
	return eachWord(content, func(term []byte, hash uint64) { c.add(uint32(ordinal), term, hash, 1) })
}

// AddTerm adds to the count of a term, which must not be empty, in a document. All calls for an
// ordinal must come together. AddTerm doesn't keep the text.
func (c *Collector) AddTerm(ordinal int, t words.TermWeight) {
	text, hash := storedWithHash(t)
	c.add(uint32(ordinal), text, hash, t.Weight)
}

func (c *Collector) add(ordinal uint32, text []byte, hash uint64, count uint32) {
	number, isNew := c.table.number(text, hash)
	if t := &c.table.terms[number]; isNew {
		t.document, t.count = ordinal, count
	} else {
		c.count(t, ordinal, count)
	}
}

func (c *Collector) count(t *termEntry, ordinal, count uint32) {
	if t.document == ordinal {
		t.count += count
		return
	}
	c.put(t)
	t.document, t.count = ordinal, count
}

// put moves the last document of a term into its chain. Because most terms occur in a
// single document, they need no chain.
func (c *Collector) put(t *termEntry) {
	if t.chain == 0 {
		c.chains = append(c.chains, chain{})
		t.chain = uint32(len(c.chains))
	}
	var room [maxPosting]byte
	// The difference wraps around if ordinals fall.
	encoded := appendPosting(room[:0], t.document-t.coded, t.count)
	c.store.write(&c.chains[t.chain-1], encoded)
	t.coded = t.document
}

// size returns the approximate number of bytes that the terms need.
func (c *Collector) size() int {
	const slotSize, termSize, chainSize = int(unsafe.Sizeof(slot(0))), int(unsafe.Sizeof(termEntry{})), int(unsafe.Sizeof(chain{}))
	return len(c.table.slots)*slotSize + len(c.table.terms)*termSize + len(c.chains)*chainSize +
		c.table.rests.size() + c.store.links.size()
}

// reset drops all documents, but keeps the memory for reuse.
func (c *Collector) reset() {
	c.table.reset()
	c.chains = c.chains[:0]
	c.store.links.reset()
}

// postings appends the postings of a term to dst in the order of the calls of Add. It
// uses buf as scratch space and returns it, grown if needed.
func (c *Collector) postings(dst []Posting, number uint32, buf []byte) (postings []Posting, grown []byte) {
	t := c.table.terms[number]
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
