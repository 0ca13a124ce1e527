package index

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/words"
)

// A Collector counts the terms of documents in a table of all terms. It first counts words
// in a tally of their document, because finding a word again there is cheap. The terms of
// sections come with their hashes, so they go to the table at once. The zero Collector is
// ready for use. It is not safe for concurrent use: each worker of a build must use its
// own, and [Write] merges them.
type Collector struct {
	tally  tally // of the words of the current document
	table  termTable
	chains []chain // of the terms of several documents
	store  chainStore
	lower  []byte // scratch space
}

// Add counts the words of a document and returns their number. The ordinal must be below
// 2^32, and no other document of the index may use it, in any collector; rising ordinals
// need the least memory. Add doesn't keep the content, which must not exceed
// [document.MaxSize] bytes.
func (c *Collector) Add(ordinal int, content []byte) (total int) {
	if ordinal < 0 || int64(ordinal) > math.MaxUint32 || len(content) > document.MaxSize {
		panic(fmt.Sprintf("index: document %d of %d bytes is out of bounds", ordinal, len(content)))
	}
	for w := range words.Of(content) {
		total++
		if !c.tally.hasRoom() {
			c.empty(uint32(ordinal))
		}
		c.countWord(content, w)
	}
	c.empty(uint32(ordinal))
	return total
}

// AddTerm adds to the count of a term, which must not be empty, in a document. All calls for an
// ordinal must come together. AddTerm doesn't keep the text.
func (c *Collector) AddTerm(ordinal int, t words.TermWeight) {
	text, hash := t.Text, t.Hash
	if len(text) >= maxTerm {
		text = stored(text)
		hash = words.Hash(text)
	}
	k := termKey{hash, prefixOf(text), uint32(len(text))}
	c.add(&k, restOf(text), uint32(ordinal), t.Weight)
}

func (c *Collector) add(k *termKey, rest []byte, ordinal, count uint32) {
	number, isNew := c.table.number(k, rest)
	if t := &c.table.terms[number]; isNew {
		t.document, t.count = ordinal, count
	} else {
		c.count(t, ordinal, count)
	}
}

func (c *Collector) countTerm(term []byte, count uint32) {
	k := keyOf(term)
	c.tally.count(&k, restOf(term), count)
}

func (c *Collector) countWord(content []byte, w words.Word) {
	length := w.End - w.Start
	if length <= prefixLen && w.Start+prefixLen <= len(content) {
		prefix := binary.BigEndian.Uint64(content[w.Start:]) &^ (math.MaxUint64 >> (8 * length))
		if prefix&0x8080808080808080 == 0 { // ASCII
			k := shortKey(words.LowerEight(prefix), length)
			c.tally.count(&k, nil, 1)
			return
		}
	}
	var term []byte
	term, c.lower = termOf(content, w, c.lower)
	c.countTerm(term, 1)
}

// empty moves the tally of a document into the term table.
func (c *Collector) empty(ordinal uint32) {
	for batch := range slices.Chunk(c.tally.taken, batchTerms) {
		c.move(ordinal, batch)
	}
	c.tally.clear()
}

// batchTerms is how many terms move looks up together.
const batchTerms = 16

// move counts terms of a document. Since the places of terms in the term table don't
// depend on each other, the processor can wait for the memory of all of them at once.
func (c *Collector) move(ordinal uint32, batch []tallyEntry) {
	var homes [batchTerms]slot
	for i := range batch {
		homes[i] = c.table.home(batch[i].hash)
	}
	var found [batchTerms]uint32 // number plus 1
	for i := range batch {
		e := &batch[i]
		if s := homes[i]; s != 0 && s.hasHash(e.hash) && c.table.is(uint32(s)-1, &e.termKey, c.tally.restOf(e)) {
			found[i] = uint32(s)
		}
	}
	for i := range batch {
		e := &batch[i]
		if n := found[i]; n != 0 {
			c.count(&c.table.terms[n-1], ordinal, e.count)
			continue
		}
		c.add(&e.termKey, c.tally.restOf(e), ordinal, e.count)
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
