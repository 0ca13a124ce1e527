package index

// This file defines the frame of an index: the opening bytes, the parts in their order,
// and the footer with the lengths of the parts. docs/format.md contains a drawing. All
// integers are little-endian.

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
)

// A partKind names a part of an index. The numbers are stored in footers, so they must
// not change.
type partKind uint32

const (
	recordsKind  partKind = 1 + iota // a record per document
	namesKind                        // IDs and file names of the documents
	sizesKind                        // bytes of content per document
	wordsKind                        // words of content per document
	firstsKind                       // ordinal of the first section per document
	lengthsKind                      // sum of the term weights and the traits per section
	sectionsKind                     // a record per section
	textsKind                        // slugs and sketches of the sections
	termsKind                        // the dictionary and the posting lists
	originKind                       // Header.Origin
	windowsKind                      // a record per window of sections
	aboutKind                        // Header.About
	framesKind                       // a record per section with a lead or a tail
	longKind                         // a record per section with a long length
)

// A part is a contiguous range of an index.
type part struct {
	kind partKind
	of   postingUnit
	size int64 // bytes per document or section
}

// A postingUnit says whether a part contains fixed-size entries for documents or
// sections.
type postingUnit int

const (
	ofNeither   postingUnit = iota // the footer says how long the part is
	ofDocuments                    // an entry per document
	ofSections                     // an entry per section
)

// Sizes of entries in bytes.
const (
	recordSize   = 92
	sectionSize  = 32
	frameSize    = 20
	numberSize   = 4
	checksumSize = 4
)

// A layout lists the parts of an index. Each selection uses its own, and its postings
// name either documents or sections.
type layout struct {
	opening  string // the magic, the version of the format and the selection
	parts    []part // the last part exists only if the header contains an About
	postings postingUnit
}

const openingSize = 16

// layouts contains the layout of each selection. If the contents of a part or the rules
// for terms change, the version number in the opening must change, too.
var layouts = [...]layout{
	0: {
		opening:  "ctxindex" + "\x04\x00\x00\x00" + "\x00\x00\x00\x00",
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
		opening:  "ctxindex" + "\x04\x00\x00\x00" + "\x01\x00\x00\x00",
		postings: ofSections,
		parts: []part{
			{recordsKind, ofDocuments, recordSize},
			{namesKind, ofNeither, 0},
			{sizesKind, ofDocuments, numberSize},
			{firstsKind, ofDocuments, numberSize},
			{lengthsKind, ofSections, cellSize},
			{longKind, ofNeither, 0},
			{windowsKind, ofNeither, 0},
			{sectionsKind, ofSections, sectionSize},
			{framesKind, ofNeither, 0},
			{textsKind, ofNeither, 0},
			{termsKind, ofNeither, 0},
			{originKind, ofNeither, 0},
			{aboutKind, ofNeither, 0},
		},
	},
}

// blockSize is the number of bytes with a common checksum, which is the least a reader
// can read.
const blockSize = 16 << 10

// nodeTerms is the number of entries of a node of the dictionary. Only the last node of a
// level may contain fewer.
const nodeTerms = 64

const partEntrySize = 4 + 8 // of a part in the footer

func footerSize(n int) int { return 72 + 4 + n*partEntrySize + 12 }

func (l *layout) maxFooterSize() int { return footerSize(len(l.parts)) }

// castagnoli is CRC-32C, because processors can compute it.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// A footer is at the end of an index and describes everything before it.
type footer struct {
	header    Header
	documents int64
	sections  int64 // 0 if the layout doesn't contain sections
	terms     int64
	root      int64   // offset of the dictionary's root in its part
	lengths   []int64 // of the parts, in order
	sums      uint32  // checksum of the block checksums
}

func (f *footer) layout() *layout { return &layouts[f.header.Selection] }

func (f *footer) size() int { return footerSize(len(f.lengths)) }

// encode returns the only valid encoding of the footer.
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

// decodeFooter decodes the footer at the end of b, which must contain at least
// maxFooterSize bytes. Since it accepts only the bytes that encode writes, the checksum,
// the number of parts and their kinds are right. The numbers must still be checked by
// fits.
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

// fits checks that the parts add up to a file of size bytes, and that each part with
// fixed-size entries contains the right number of them.
func (f *footer) fits(size int64) error {
	rest := size - openingSize - int64(f.size())
	for _, length := range f.lengths {
		if length < 0 || length > rest {
			return invalid("a part of %d bytes is larger than the file", length)
		}
		rest -= length
	}
	if rest != f.blocks()*checksumSize {
		return invalid("its size of %d bytes is not the sum of its parts", size)
	}
	terms := f.length(termsKind)
	switch {
	case !isCount(f.documents) || !isCount(f.sections) || f.header.ManifestSize < 0:
		return invalid("it claims to contain %d documents and %d sections", f.documents, f.sections)
	case f.layout().postings == ofDocuments && f.sections != 0:
		return invalid("it claims to contain %d sections, but is for documents", f.sections)
	case f.terms < 0 || f.terms > terms || (f.terms == 0) != (terms == 0):
		return invalid("it claims to contain %d terms", f.terms)
	case f.root < 0 || f.root > terms || (f.root == terms) != (f.terms == 0):
		return invalid("the root of its dictionary is at %d, outside of its part", f.root)
	}
	for i := range f.lengths {
		p := f.layout().parts[i]
		if p.of != ofNeither && f.lengths[i] != f.count(p.of)*p.size {
			return invalid("part %d doesn't contain exactly %d entries", p.kind, f.count(p.of))
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

func (f *footer) ordinals() int64 { return f.count(f.layout().postings) }

func (f *footer) length(k partKind) int64 {
	start, end := f.part(k)
	return end - start
}

// part returns where in the file a part begins and ends. If the index doesn't contain the
// part, start and end are equal.
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

// bodyEnd returns where the block checksums begin. They cover everything before them.
func (f *footer) bodyEnd() int64 {
	end := int64(openingSize)
	for _, length := range f.lengths {
		end += length
	}
	return end
}

func (f *footer) blocks() int64 { return (f.bodyEnd() + blockSize - 1) / blockSize }

// height returns the number of levels of the dictionary above the leaves.
func (f *footer) height() int {
	levels := 0
	for nodes := nodesOf(f.terms); nodes > 1; nodes = nodesOf(nodes) {
		levels++
	}
	return levels
}

// nodesOf returns the number of nodes needed for entries.
func nodesOf(entries int64) int64 {
	nodes := entries / nodeTerms
	if entries%nodeTerms != 0 {
		nodes++
	}
	return nodes
}
