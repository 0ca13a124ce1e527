package termindex

import "encoding/binary"

// A cursor goes through bytes of an index in order and holds one page of them.
// What is not there to be read, or does not make sense, is an error that it
// keeps: from then on it reads zeros, and nothing of what it read is to be
// used. Every loop over a cursor therefore asks for its error.
type cursor struct {
	pages   *pageReader
	at, end int64
	err     error

	page      []byte // in buf
	pageStart int64
	buf       []byte
}

// seek moves to the bytes from start to end.
func (c *cursor) seek(start, end int64) {
	c.at, c.end = start, end
}

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.at = c.end
}

// more reports whether there is anything left to read.
func (c *cursor) more() bool { return c.err == nil && c.at < c.end }

// window returns some of the bytes ahead, at least one and not past the end.
// It fails and returns nothing if there are none.
func (c *cursor) window() []byte {
	if c.err != nil {
		return nil
	}
	if c.at >= c.end {
		c.fail(invalid("a block of the dictionary ends early"))
		return nil
	}
	if c.at < c.pageStart || c.at >= c.pageStart+int64(len(c.page)) {
		c.load(c.at / pageSize * pageSize)
		if c.err != nil {
			return nil
		}
	}
	ahead := c.page[c.at-c.pageStart:]
	return ahead[:min(int64(len(ahead)), c.end-c.at)]
}

func (c *cursor) load(start int64) {
	page, buf, err := c.pages.read(c.buf, start, min(pageSize, c.pages.end-start))
	c.page, c.pageStart, c.buf = page, start, buf
	if err != nil {
		c.page = nil
		c.fail(err)
	}
}

// skip passes over n bytes.
func (c *cursor) skip(n int64) {
	if n < 0 || n > c.end-c.at {
		c.fail(invalid("a length in the dictionary leads out of its block"))
		return
	}
	c.at += n
}

// length reads a varint that is to be a length or an offset: in its shortest
// form, and no more than all of the file.
func (c *cursor) length() int64 {
	var room [binary.MaxVarintLen64]byte
	encoded := room[:0]
	for {
		ahead := c.window()
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
	if n != len(encoded) || v > uint64(c.pages.end) {
		c.fail(invalid("a length in the dictionary is out of bounds"))
		return 0
	}
	return int64(v)
}
