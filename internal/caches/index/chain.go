package index

import (
	"encoding/binary"
	"math"
)

// An arena allocates many small pieces of memory in a few large chunks, so the garbage
// collector doesn't look at them, and nothing moves as the arena grows. The address of a
// piece is a number.
type arena struct {
	chunks [][]byte // up to the end of their last piece
}

const (
	chunkBits = 16
	chunkSize = 1 << chunkBits
)

// take returns the address of n bytes and the bytes, which are not cleared. n must be at
// most chunkSize.
func (a *arena) take(n int) (address uint64, piece []byte) {
	last := len(a.chunks) - 1
	if last < 0 || chunkSize-len(a.chunks[last]) < n {
		a.addChunk()
		last++
	}
	start := len(a.chunks[last])
	a.chunks[last] = a.chunks[last][:start+n]
	return uint64(last)<<chunkBits | uint64(start), a.chunks[last][start:]
}

// addChunk adds an empty chunk. If possible, it reuses a chunk from before reset.
func (a *arena) addChunk() {
	n := len(a.chunks)
	if n < cap(a.chunks) && a.chunks[:n+1][n] != nil {
		a.chunks = a.chunks[:n+1]
		a.chunks[n] = a.chunks[n][:0]
		return
	}
	a.chunks = append(a.chunks, make([]byte, 0, chunkSize))
}

// reset drops all pieces, but keeps the memory for reuse.
func (a *arena) reset() { a.chunks = a.chunks[:0] }

func (a *arena) size() int { return len(a.chunks) * chunkSize }

// at returns the bytes from an address to the end of the chunk.
func (a *arena) at(address uint64) []byte {
	return a.chunks[address>>chunkBits][address&(chunkSize-1):]
}

// A chain is a byte string that grows by a few bytes at a time: the postings of a term.
// It consists of links in an arena. Since later links are longer, neither short nor long
// chains waste much. The zero chain is empty.
type chain struct {
	first, last uint32 // addresses of links, in units
	used        uint16 // bytes of the last link, including its pointer
	level       uint8  // index of the last link's size plus 1
}

// linkSizes are the bytes of the links of a chain. All further links are as large as the
// last. The first 4 bytes of a link contain the address of the next link.
var linkSizes = [...]uint16{8, 16, 24, 40, 64, 96, 144, 216, 320, 480, 720, 1080}

// addressUnit divides the sizes and addresses of all links. Therefore, the address of a
// link in units fits into 32 bits up to 32 GiB.
const (
	addressUnit = 8
	pointerSize = 4
)

// A chainStore contains the links of chains.
type chainStore struct{ links arena }

func linkSize(level uint8) uint16 { return linkSizes[level-1] }

func (s *chainStore) write(c *chain, b []byte) {
	for len(b) > 0 {
		if c.level == 0 || c.used == linkSize(c.level) {
			s.lengthen(c)
		}
		link := s.link(c.last)[:linkSize(c.level)]
		n := copy(link[c.used:], b)
		c.used += uint16(n)
		b = b[n:]
	}
}

func (s *chainStore) lengthen(c *chain) {
	next := min(c.level+1, uint8(len(linkSizes)))
	address, _ := s.links.take(int(linkSize(next)))
	if address/addressUnit > math.MaxUint32 {
		panic("index: a collector has more than it can hold")
	}
	unit := uint32(address / addressUnit)
	if c.level == 0 {
		c.first = unit
	} else {
		binary.LittleEndian.PutUint32(s.link(c.last), unit)
	}
	c.last, c.used, c.level = unit, pointerSize, next
}

func (s *chainStore) appendTo(dst []byte, c chain) []byte {
	if c.level == 0 {
		return dst
	}
	level, at := uint8(1), c.first
	for at != c.last {
		link := s.link(at)[:linkSize(level)]
		dst = append(dst, link[pointerSize:]...)
		at = binary.LittleEndian.Uint32(link)
		level = min(level+1, uint8(len(linkSizes)))
	}
	return append(dst, s.link(at)[pointerSize:c.used]...)
}

func (s *chainStore) link(unit uint32) []byte { return s.links.at(uint64(unit) * addressUnit) }
