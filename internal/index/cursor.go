package index

import "encoding/binary"

// A cursor goes through bytes of an index. It holds a few blocks of them. The
// first thing that it cannot read, or that makes no sense, is an error that it
// keeps; from then on it reads zeros, which its caller must not use. So every
// loop over a cursor ends with a look at its error.
type cursor struct {
	blocks  *blockReader
	ahead   int64 // bytes to read at once; less than a block stands for a block
	at, end int64
	err     error

	window []byte // the bytes from start on that it holds, in buf
	start  int64
	buf    []byte
}

// seek moves to the bytes from start to end.
func (c *cursor) seek(start, end int64) { c.at, c.end = start, end }

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.at = c.end
}

// more reports whether there is anything left to read.
func (c *cursor) more() bool { return c.err == nil && c.at < c.end }

// peek returns some of the bytes ahead: at least one, and none past the end. It
// fails and returns nothing if there are none.
func (c *cursor) peek() []byte {
	if c.err != nil {
		return nil
	}
	if c.at >= c.end {
		c.fail(invalid("a node of the dictionary ends early"))
		return nil
	}
	if c.at < c.start || c.at >= c.start+int64(len(c.window)) {
		if c.load(c.at / blockSize * blockSize); c.err != nil {
			return nil
		}
	}
	ahead := c.window[c.at-c.start:]
	return ahead[:min(int64(len(ahead)), c.end-c.at)]
}

func (c *cursor) load(start int64) {
	var err error
	c.start = start
	c.window, c.buf, err = c.blocks.read(c.buf, start, min(max(blockSize, c.ahead), c.blocks.end-start))
	if err != nil {
		c.window = nil
		c.fail(err)
	}
}

// skip passes over n bytes.
func (c *cursor) skip(n int64) {
	if n < 0 || n > c.end-c.at {
		c.fail(invalid("a length in the dictionary leads out of its node"))
		return
	}
	c.at += n
}

// appendTo appends the n bytes ahead to dst.
func (c *cursor) appendTo(dst []byte, n int64) []byte {
	for n > 0 {
		ahead := c.peek()
		if ahead == nil {
			return dst
		}
		ahead = ahead[:min(n, int64(len(ahead)))]
		dst = append(dst, ahead...)
		c.at += int64(len(ahead))
		n -= int64(len(ahead))
	}
	return dst
}

// length reads a varint that is a length or an offset: in its shortest form, and
// no greater than the file.
func (c *cursor) length() int64 {
	var room [binary.MaxVarintLen64]byte
	encoded := room[:0]
	for {
		ahead := c.peek()
		if ahead == nil {
			return 0
		}
		b := ahead[0]
		c.at++
		if b < 0x80 && len(encoded) == 0 {
			return int64(b)
		}
		encoded = append(encoded, b)
		if b < 0x80 || len(encoded) == len(room) {
			break
		}
	}
	v, n := uvarint(encoded)
	if n != len(encoded) || v > uint64(c.blocks.end) {
		c.fail(invalid("a length in the dictionary is out of bounds"))
		return 0
	}
	return int64(v)
}

// A codedText is a text of a node. It has only a count of the bytes that it shares
// with the text before it.
type codedText struct {
	shared int64
	rest   int64 // offset of its other bytes
	length int64 // of the rest
}

// text reads a text and passes over its bytes.
func (c *cursor) text() codedText {
	t := codedText{shared: c.length(), length: c.length()}
	t.rest = c.at
	c.skip(t.length)
	return t
}

// An entry is a term in a leaf.
type entry struct {
	text     codedText
	count    int64 // of its postings, at least 1
	postings int64 // offset of its posting list
	size     int64 // bytes of that list
}

// A leaf goes through the entries of a leaf of the dictionary.
type leaf struct {
	cursor
	postings int64 // offset of the posting list of the next entry
	limit    int64 // end of the leaf, or of what can be in it
}

// begin goes to the leaf at start, which ends at limit or before.
func (l *leaf) begin(start, limit int64) {
	l.seek(start, limit)
	size := l.length()
	if size > limit-l.at {
		l.fail(invalid("a leaf of the dictionary ends early"))
		return
	}
	l.end = l.at + size
	l.postings, l.limit = l.end, limit
}

// next returns the next entry. The last has been returned, or the leaf has failed,
// if more reports false.
func (l *leaf) next() entry {
	e := entry{text: l.text(), count: l.length(), size: l.length(), postings: l.postings}
	if e.size > l.limit-l.postings || e.count < 1 || e.size < e.count || e.size/maxPosting > e.count {
		l.fail(invalid("a term has a posting list of %d bytes for %d postings", e.size, e.count))
		return entry{}
	}
	l.postings += e.size
	return e
}
