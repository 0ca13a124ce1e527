package index

import (
	"encoding/binary"
	"math"
)

// This file keeps many byte strings that all grow a few bytes at a time, one
// for each term: too many for a slice each. A string is a chain of links in an
// arena; later links are longer, so that neither short strings nor long ones
// waste much.

// linkSizes are the bytes of the links of a chain. All later links are like the
// last of these. The first 4 bytes of a link say where the next one is.
var linkSizes = [...]uint16{8, 16, 24, 40, 64, 96, 144, 216, 320, 480, 720, 1080}

// addressUnit divides the size of every link, and so every link's address:
// divided by it, an address fits 32 bits up to 32 GiB.
const (
	addressUnit = 8
	pointerSize = 4
)

// A chain is one string. The zero chain is empty and has no links.
type chain struct {
	first, last uint32 // addresses of links, in units
	used        uint16 // bytes of the last link, its pointer included
	level       uint8  // index of the last link's size; 0 means no link
}

// A chainStore holds the links of chains.
type chainStore struct{ links arena }

func linkSize(level uint8) uint16 { return linkSizes[level-1] }

// write appends b to c.
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

// lengthen adds a link to c.
func (s *chainStore) lengthen(c *chain) {
	next := min(c.level+1, uint8(len(linkSizes)))
	address, _ := s.links.take(int(linkSize(next)))
	if address/addressUnit > math.MaxUint32 {
		panic("index: a collector was given more than it can hold")
	}
	unit := uint32(address / addressUnit)
	if c.level == 0 {
		c.first = unit
	} else {
		binary.LittleEndian.PutUint32(s.link(c.last), unit)
	}
	c.last, c.used, c.level = unit, pointerSize, next
}

// appendTo appends what was written to c to dst.
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
