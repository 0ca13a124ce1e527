package termindex

// This file is the frame of the two kinds of index, which docs/format.md draws:
// the opening bytes, the sections in their order, and the footer that says how
// long they are. All of its integers are little-endian.

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
)

// A layout says how an index of one kind is laid out.
type layout struct {
	// opening are the first bytes: the name of the format, the version of its
	// layout, and the number of the analyzer, which says what a term is. Terms
	// of another analyzer make another index, never another layout.
	opening string

	sections []section // in order
}

// A section is a part of an index. Most have a fixed width.
type section struct {
	kind  kind
	width int64 // bytes for each ordinal; 0 if it is not fixed
}

// openingSize is how many bytes every opening has.
const openingSize = 16

var documentLayout = layout{
	opening: "ctxterms" + "\x01\x00\x00\x00" + "\x01\x00\x00\x00",
	sections: []section{
		{recordsKind, recordSize},
		{namesKind, 0},
		{wordsKind, columnWidth},
		{sizesKind, columnWidth},
		{termsKind, 0},
		{originKind, 0},
	},
}

var passageLayout = layout{
	opening: "ctxparts" + "\x01\x00\x00\x00" + "\x02\x00\x00\x00",
	sections: []section{
		{firstsKind, 0},
		{lengthsKind, columnWidth},
		{partsKind, partSize},
		{textsKind, 0},
		{termsKind, 0},
	},
}

// pageSize is how many bytes share a checksum: the least that is read.
const pageSize = 16 << 10

// blockTerms is how many terms a block of the dictionary has. Only the last
// block of a level may have fewer.
const blockTerms = 64

// A kind names a section. The numbers are part of the format.
type kind uint32

const (
	recordsKind kind = 1 + iota // a record for each document
	namesKind                   // IDs and file names, which records point to
	wordsKind                   // a column: words of each document
	sizesKind                   // a column: bytes of each content
	termsKind                   // the dictionary and the postings
	originKind                  // what Header.Origin was
	firstsKind                  // the first passage of each page, and how many there are
	lengthsKind                 // a column: weights of all terms of each passage
	partsKind                   // a record for each passage
	textsKind                   // slugs and sketches, which these point to
)

// Widths of what has a fixed one.
const (
	recordSize   = 92
	columnWidth  = 4
	checksumSize = 4
	partSize     = 32
	sectionSize  = 12
)

func (l *layout) footerSize() int { return 64 + 4 + len(l.sections)*sectionSize + 12 }

// polynomial is CRC-32C, for which processors have instructions.
var polynomial = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, polynomial) }

// A footer is what the last bytes of an index say about the rest.
type footer struct {
	layout    *layout
	header    Header
	documents int64 // how many ordinals there are: documents, or passages
	terms     int64
	root      int64   // where in its section the dictionary's root begins
	lengths   []int64 // of the sections, in order
	sums      uint32  // checksum of the page checksums
}

// encode returns the footer's only encoding.
func (f *footer) encode() []byte {
	le := binary.LittleEndian
	size := f.layout.footerSize()
	b := make([]byte, 0, size)
	b = append(b, f.header.CacheVersion[:]...)
	b = le.AppendUint64(b, uint64(f.header.ManifestSize))
	b = le.AppendUint64(b, uint64(f.documents))
	b = le.AppendUint64(b, uint64(f.terms))
	b = le.AppendUint64(b, uint64(f.root))
	b = le.AppendUint32(b, uint32(len(f.lengths)))
	for i, length := range f.lengths {
		b = le.AppendUint32(b, uint32(f.layout.sections[i].kind))
		b = le.AppendUint64(b, uint64(length))
	}
	b = le.AppendUint32(b, f.sums)
	b = le.AppendUint32(b, uint32(size))
	return le.AppendUint32(b, checksum(b))
}

// decodeFooter decodes the last bytes of an index, as many as the footer of its
// layout has. What it returns encodes to these bytes, which covers the checksum,
// the number of sections and their kinds; whether the numbers fit the file is for
// fits.
func decodeFooter(l *layout, b []byte) (f footer, err error) {
	le := binary.LittleEndian
	f.layout, f.lengths = l, make([]int64, len(l.sections))
	copy(f.header.CacheVersion[:], b)
	f.header.ManifestSize = int64(le.Uint64(b[32:]))
	f.documents = int64(le.Uint64(b[40:]))
	f.terms = int64(le.Uint64(b[48:]))
	f.root = int64(le.Uint64(b[56:]))
	for i := range f.lengths {
		f.lengths[i] = int64(le.Uint64(b[68+i*sectionSize+4:]))
	}
	f.sums = le.Uint32(b[len(b)-12:])
	if !bytes.Equal(f.encode(), b) {
		return footer{}, invalid("its last bytes are damaged, or of a version that is not known here")
	}
	return f, nil
}

// fits checks that the parts make a file of that size, to the byte, and that
// the sections of fixed width have as many ordinals as the footer says.
func (f *footer) fits(size int64) error {
	rest := size - openingSize - int64(f.layout.footerSize())
	for _, length := range f.lengths {
		if length < 0 || length > rest {
			return invalid("a section has %d bytes, which is more than there are", length)
		}
		rest -= length
	}
	if rest != f.pages()*checksumSize {
		return invalid("it has %d bytes, which is not what its sections add up to", size)
	}
	n := f.documents
	switch {
	case n < 0 || n > math.MaxUint32 || f.header.ManifestSize < 0:
		return invalid("it claims to have %d documents", n)
	case f.terms < 0 || f.terms > f.length(termsKind) || (f.terms == 0) != (f.length(termsKind) == 0):
		return invalid("it claims to have %d terms", f.terms)
	case f.root < 0 || f.root > f.length(termsKind) || (f.root == f.length(termsKind)) != (f.terms == 0):
		return invalid("its dictionary begins at %d, outside of its section", f.root)
	}
	for i, s := range f.layout.sections {
		if s.width > 0 && f.lengths[i] != n*s.width {
			return invalid("its columns are not those of %d documents", n)
		}
	}
	return nil
}

func (f *footer) length(k kind) int64 {
	start, end := f.section(k)
	return end - start
}

// section returns where in the file a section begins and ends. One that the
// layout does not have is empty.
func (f *footer) section(k kind) (start, end int64) {
	start = openingSize
	for i, s := range f.layout.sections {
		if s.kind == k {
			return start, start + f.lengths[i]
		}
		start += f.lengths[i]
	}
	return start, start
}

// bodyEnd returns where the checksums of the pages begin. All that comes before
// is covered by them.
func (f *footer) bodyEnd() int64 {
	end := int64(openingSize)
	for _, length := range f.lengths {
		end += length
	}
	return end
}

func (f *footer) pages() int64 { return (f.bodyEnd() + pageSize - 1) / pageSize }

// height returns how many levels of the dictionary lie above the leaves.
func (f *footer) height() int {
	levels := 0
	for blocks := blocksOf(f.terms); blocks > 1; blocks = blocksOf(blocks) {
		levels++
	}
	return levels
}

// blocksOf returns how many blocks it takes to hold so many terms.
func blocksOf(terms int64) int64 {
	blocks := terms / blockTerms
	if terms%blockTerms != 0 {
		blocks++
	}
	return blocks
}
