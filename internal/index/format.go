package index

// This file is the frame of an index, which docs/format.md draws: the opening
// bytes, the parts in their order, and the footer that says how long they are.
// All integers are little-endian.

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
)

// A partKind names a part of an index. The numbers belong to the format.
type partKind uint32

const (
	recordsKind  partKind = 1 + iota // a record of each document
	namesKind                        // IDs and file names of the documents
	sizesKind                        // bytes of each document's content
	wordsKind                        // words of each document's content
	firstsKind                       // ordinal of each document's first section
	lengthsKind                      // sum of the term weights of each section
	sectionsKind                     // a record of each section
	textsKind                        // slugs and sketches of the sections
	termsKind                        // the dictionary and the posting lists
	originKind                       // Header.Origin
	traitsKind                       // the traits of each section
	aboutKind                        // Header.About
	framesKind                       // a record of each section that has a lead or a tail
)

// A part is a stretch of an index that holds one kind of thing.
type part struct {
	kind partKind
	of   postingUnit
	size int64 // bytes for each document or section
}

// A unit is the thing that a part has an entry of fixed size for.
type postingUnit int

const (
	ofNeither   postingUnit = iota // the part is as long as the footer says
	ofDocuments                    // an entry for each document
	ofSections                     // an entry for each section
)

// Sizes of entries in bytes.
const (
	recordSize   = 92
	sectionSize  = 32
	frameSize    = 20
	numberSize   = 4
	checksumSize = 4
)

// A layout lists the parts of an index. Each selection has its own, and its
// postings name documents or sections.
type layout struct {
	opening  string // the magic, the version of the format, the selection
	parts    []part // the last one only if the header has an About
	postings postingUnit
}

// openingSize is the number of bytes of every opening.
const openingSize = 16

// layouts holds the layout of each selection. Another version of one of these
// parts, or of the rules for terms, needs another version number in the opening.
var layouts = [...]layout{
	0: {
		opening:  "ctxindex" + "\x01\x00\x00\x00" + "\x00\x00\x00\x00",
		postings: ofDocuments,
		parts: []part{
			{recordsKind, ofDocuments, recordSize},
			{namesKind, ofNeither, 0},
			{sizesKind, ofDocuments, numberSize},
			{wordsKind, ofDocuments, numberSize},
			{termsKind, ofNeither, 0},
			{originKind, ofNeither, 0},
			{aboutKind, ofNeither, 0},
		},
	},
	1: {
		opening:  "ctxindex" + "\x01\x00\x00\x00" + "\x01\x00\x00\x00",
		postings: ofSections,
		parts: []part{
			{recordsKind, ofDocuments, recordSize},
			{namesKind, ofNeither, 0},
			{sizesKind, ofDocuments, numberSize},
			{firstsKind, ofDocuments, numberSize},
			{lengthsKind, ofSections, numberSize},
			{traitsKind, ofSections, 1},
			{sectionsKind, ofSections, sectionSize},
			{framesKind, ofNeither, 0},
			{textsKind, ofNeither, 0},
			{termsKind, ofNeither, 0},
			{originKind, ofNeither, 0},
			{aboutKind, ofNeither, 0},
		},
	},
}

// blockSize is the number of bytes that share a checksum: the least that a
// reader reads.
const blockSize = 16 << 10

// nodeTerms is the number of entries of a node of the dictionary. Only the last
// node of a level may have fewer.
const nodeTerms = 64

const partEntrySize = 4 + 8 // of a part in the footer

// footerSize returns the size of a footer for n parts.
func footerSize(n int) int { return 72 + 4 + n*partEntrySize + 12 }

// maxFooterSize returns the size of the footer with all parts.
func (l *layout) maxFooterSize() int { return footerSize(len(l.parts)) }

// castagnoli is CRC-32C, which processors compute.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// A footer is the end of an index. It describes the rest.
type footer struct {
	header    Header
	documents int64
	sections  int64 // 0 if the layout has none
	terms     int64
	root      int64   // offset of the dictionary's root in its part
	lengths   []int64 // of the parts, in order
	sums      uint32  // checksum of the block checksums
}

func (f *footer) layout() *layout { return &layouts[f.header.Selection] }

func (f *footer) size() int { return footerSize(len(f.lengths)) }

// encode returns the footer's only encoding.
func (f *footer) encode() []byte {
	le := binary.LittleEndian
	size := f.size()
	b := make([]byte, 0, size)
	b = append(b, f.header.CacheVersion[:]...)
	for _, n := range []int64{f.header.ManifestSize, f.documents, f.sections, f.terms, f.root} {
		b = le.AppendUint64(b, uint64(n))
	}
	b = le.AppendUint32(b, uint32(len(f.lengths)))
	for i, length := range f.lengths {
		b = le.AppendUint32(b, uint32(f.layout().parts[i].kind))
		b = le.AppendUint64(b, uint64(length))
	}
	b = le.AppendUint32(b, f.sums)
	b = le.AppendUint32(b, uint32(size))
	return le.AppendUint32(b, checksum(b))
}

// decodeFooter decodes the footer at the end of b, which has at least maxFooterSize
// bytes. It accepts only the bytes that encode writes, so the checksum, the number of
// parts and their kinds are right. fits checks the numbers.
func decodeFooter(selection int, b []byte) (footer, error) {
	le := binary.LittleEndian
	n := len(layouts[selection].parts)
	if int64(le.Uint32(b[len(b)-8:])) == int64(footerSize(n-1)) {
		n--
	}
	f := footer{header: Header{Selection: selection}, lengths: make([]int64, n)}
	b = b[len(b)-f.size():]
	copy(f.header.CacheVersion[:], b)
	for i, n := range []*int64{&f.header.ManifestSize, &f.documents, &f.sections, &f.terms, &f.root} {
		*n = int64(le.Uint64(b[32+8*i:]))
	}
	for i := range f.lengths {
		f.lengths[i] = int64(le.Uint64(b[76+i*partEntrySize+4:]))
	}
	f.sums = le.Uint32(b[len(b)-12:])
	if !bytes.Equal(f.encode(), b) {
		return footer{}, invalid("its footer is damaged, or of an unknown version")
	}
	return f, nil
}

// fits checks that the parts make a file of size bytes, and that the footer has the
// right number of entries for each part of entries of fixed size.
func (f *footer) fits(size int64) error {
	rest := size - openingSize - int64(f.size())
	for _, length := range f.lengths {
		if length < 0 || length > rest {
			return invalid("a part has %d bytes, more than the file", length)
		}
		rest -= length
	}
	if rest != f.blocks()*checksumSize {
		return invalid("it has %d bytes, not the sum of its parts", size)
	}
	terms := f.length(termsKind)
	switch {
	case !isCount(f.documents) || !isCount(f.sections) || f.header.ManifestSize < 0:
		return invalid("it claims to have %d documents and %d sections", f.documents, f.sections)
	case f.layout().postings == ofDocuments && f.sections != 0:
		return invalid("it claims to have %d sections, and is for documents", f.sections)
	case f.terms < 0 || f.terms > terms || (f.terms == 0) != (terms == 0):
		return invalid("it claims to have %d terms", f.terms)
	case f.root < 0 || f.root > terms || (f.root == terms) != (f.terms == 0):
		return invalid("the root of its dictionary is at %d, outside of its part", f.root)
	}
	for i := range f.lengths {
		p := f.layout().parts[i]
		if p.of != ofNeither && f.lengths[i] != f.count(p.of)*p.size {
			return invalid("part %d does not hold an entry for each of %d", p.kind, f.count(p.of))
		}
	}
	return nil
}

func isCount(n int64) bool { return 0 <= n && n <= math.MaxUint32 }

func (f *footer) count(u postingUnit) int64 {
	if u == ofSections {
		return f.sections
	}
	return f.documents
}

// ordinals returns how many documents or sections the postings name.
func (f *footer) ordinals() int64 { return f.count(f.layout().postings) }

func (f *footer) length(k partKind) int64 {
	start, end := f.part(k)
	return end - start
}

// part returns where in the file a part begins and ends. A part that the index does
// not have is empty.
func (f *footer) part(k partKind) (start, end int64) {
	start = openingSize
	for i, length := range f.lengths {
		if f.layout().parts[i].kind == k {
			return start, start + length
		}
		start += length
	}
	return start, start
}

// bodyEnd returns where the block checksums begin. They cover all before them.
func (f *footer) bodyEnd() int64 {
	end := int64(openingSize)
	for _, length := range f.lengths {
		end += length
	}
	return end
}

func (f *footer) blocks() int64 { return (f.bodyEnd() + blockSize - 1) / blockSize }

// height returns how many levels of the dictionary stand above the leaves.
func (f *footer) height() int {
	levels := 0
	for nodes := nodesOf(f.terms); nodes > 1; nodes = nodesOf(nodes) {
		levels++
	}
	return levels
}

// nodesOf returns how many nodes hold entries.
func nodesOf(entries int64) int64 {
	nodes := entries / nodeTerms
	if entries%nodeTerms != 0 {
		nodes++
	}
	return nodes
}
