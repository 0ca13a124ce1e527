// Package index writes and reads selection.idx, the file that makes answers
// independent of the size of a cache. It holds
//
//   - a record of every document: ID, version, file and content;
//   - for selection 1, a record of every section: place, length, slug and a sketch
//     of its words;
//   - a dictionary of terms with a posting list each. A posting names a document
//     and counts a word, or names a section and holds the weight of a term.
//
// A build gives the terms of each document to a [Builder], which writes the index. A
// reader opens it and asks for terms, documents and sections. [Write] is the place to
// start reading: the table of parts in format.go is the file from its first byte to
// its last.
//
//	build:  Builder → Collector: tally → term table → Write: ranges → dictionary → blocks
//	answer: Open → Lookup → postings → Document, Section
//	verify: TermCheck: Audit of the terms, then Write again and compare
//
// # Determinism
//
// The bytes are a pure function of the header and the table, and of the terms of
// each document. They do not depend on the number of collectors or jobs, on the
// order of documents, or on which documents come from an earlier index.
//
// # Trust
//
// A reader verifies the checksum of every block that it reads and checks every
// length and offset before it uses it. A damaged index fails with [ErrInvalid]
// and never gives another answer. A forged one cannot make a reader panic, loop
// or take more memory than a small multiple of the file's size. Checksums are no
// signatures: to learn whether an index tells the truth about its documents,
// compare them by an [Audit] and write the index anew from itself.
//
// docs/format.md describes the format.
package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/recent"
)

// ErrInvalid is wrapped by every error about the bytes of an index: they are damaged,
// of an unknown version, or of another kind of file. All other errors come from the
// reader of the index.
var ErrInvalid = errors.New("selection index is invalid")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// A Header says which manifest an index belongs to and how its documents were
// made.
type Header struct {
	CacheVersion document.Version
	ManifestSize int64 // bytes of manifest.json
	Selection    int   // 0: postings name documents; 1: postings name sections

	// About says what the cache is about, in at most [MaxAbout] bytes that this package
	// does not interpret.
	About []byte

	// Origin describes how the documents were made, in at most [MaxOrigin] bytes
	// that this package does not interpret. It may be large, so [Index.Header]
	// leaves it out and [Index.Origin] reads it.
	Origin []byte
}

// The most bytes that [Header.About] and [Header.Origin] may have.
const (
	MaxAbout  = 8 << 10
	MaxOrigin = 64 << 20
)

// A Posting says that a document or section has a term, and how much of it.
type Posting struct {
	Ordinal uint32 // position of the document or section
	Count   uint32 // occurrences, or the weight of the term; at least 1
}

// An Index is an open index. It never changes and is safe for concurrent use if
// its reader is. The reader must stay open while the index is used; the index
// itself needs no closing.
type Index struct {
	footer footer
	blocks blockReader
	frames atomic.Pointer[frames] // once readFrames has read them
}

// Open opens the index that is the first size bytes of r. It reads the checksums,
// 1/4096 of the index, and little more.
//
// It fails with [ErrInvalid] if they are not an index of this version, or if the part
// that it reads is damaged. Later reads find other damage.
func Open(r io.ReaderAt, size int64) (*Index, error) {
	first := make([]byte, openingSize)
	if size < openingSize {
		return nil, invalid("it has %d bytes", size)
	}
	if err := readFull(r, first, 0); err != nil {
		return nil, err
	}
	for selection := range layouts {
		if string(first) == layouts[selection].opening {
			return open(r, size, selection)
		}
	}
	return nil, invalid("it begins like another file, or is of an unknown version")
}

func open(r io.ReaderAt, size int64, selection int) (*Index, error) {
	last := make([]byte, layouts[selection].maxFooterSize())
	if size < int64(len(last)) {
		return nil, invalid("it has %d bytes", size)
	}
	if err := readFull(r, last, size-int64(len(last))); err != nil {
		return nil, err
	}
	f, err := decodeFooter(selection, last)
	if err != nil {
		return nil, err
	}
	if err := f.fits(size); err != nil {
		return nil, err
	}
	if n := f.length(originKind); n > MaxOrigin {
		return nil, invalid("it has an origin of %d bytes", n)
	}
	sums := make([]byte, f.blocks()*checksumSize)
	if err := readFull(r, sums, f.bodyEnd()); err != nil {
		return nil, err
	}
	if checksum(sums) != f.sums {
		return nil, invalid("its checksums are damaged")
	}
	x := &Index{footer: f, blocks: blockReader{in: r, end: f.bodyEnd(), sums: sums}}
	return x, x.readAbout()
}

// Hold makes the index keep the blocks that it reads, for callers that ask it often. All
// indexes of a process together keep a few of the last ones. A later call does nothing.
func (x *Index) Hold() {
	if x.blocks.owner.Load() == 0 {
		x.blocks.owner.CompareAndSwap(0, uint64(recent.NewOwner()))
	}
}

// readAbout reads Header.About, which is small.
func (x *Index) readAbout() (err error) {
	if len(x.footer.lengths) < len(x.footer.layout().parts) {
		return nil
	}
	if n := x.footer.length(aboutKind); n == 0 || n > MaxAbout {
		return invalid("it says in %d bytes what it is about", n)
	}
	x.footer.header.About, err = x.readPart(aboutKind)
	return err
}

// Header returns the header without its origin.
func (x *Index) Header() Header { return x.footer.header }

// Origin reads [Header.Origin], empty if there is none.
func (x *Index) Origin() ([]byte, error) { return x.readPart(originKind) }

// Documents returns the number of documents.
func (x *Index) Documents() int { return int(x.footer.documents) }

// Sections returns the number of sections, 0 in an index for selection 0.
func (x *Index) Sections() int { return int(x.footer.sections) }

// Terms returns the number of terms.
func (x *Index) Terms() int { return int(x.footer.terms) }

// ordinals returns how many documents or sections the postings name.
func (x *Index) ordinals() int { return int(x.footer.ordinals()) }

// Check reads all of the index and fails with [ErrInvalid] if a block is damaged.
func (x *Index) Check() error {
	const step = 64 * blockSize
	var buf []byte
	for at := int64(0); at < x.blocks.end; at += step {
		var err error
		if _, buf, err = x.blocks.read(buf, at, min(step, x.blocks.end-at)); err != nil {
			return err
		}
	}
	return nil
}

// buffers hold scratch memory for reads.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// readPart reads all of a part.
func (x *Index) readPart(k partKind) ([]byte, error) {
	start, end := x.footer.part(k)
	b, _, err := x.blocks.read(nil, start, end-start)
	return b, err
}

// readNumbers reads a part of numbers.
func (x *Index) readNumbers(k partKind) ([]uint32, error) {
	b, err := x.readPart(k)
	if err != nil {
		return nil, err
	}
	numbers := make([]uint32, len(b)/numberSize)
	for i := range numbers {
		numbers[i] = binary.LittleEndian.Uint32(b[i*numberSize:])
	}
	return numbers, nil
}
