// Package index writes and reads selection.idx, the file that makes answers independent
// of the size of a cache. It contains
//
//   - a record of every document: ID, version, file and content;
//   - for selection 1, a record of every section: place, length, slug and a sketch
//     of its words;
//   - a dictionary of terms, each with a posting list. A posting names a document
//     and counts a word, or names a section and stores the weight of a term.
//
// A build adds the terms of each document to a [Builder], which writes the index. A
// reader opens it and looks up terms, documents and sections. To understand the package,
// start with [Write]: the table of parts in format.go describes the file from its first
// byte to its last.
//
//	build:  Builder → Collector: term table → Write: ranges → dictionary → blocks
//	answer: Open → Lookup → postings → Document, Section
//	verify: TermCheck: Audit of the terms, then Write again and compare
//
// # Determinism
//
// The bytes are a pure function of the header, the table and the terms of each document.
// They don't depend on the number of collectors or jobs, on the order of documents, or on
// which documents come from an earlier index.
//
// # Trust
//
// A reader verifies the checksum of every block that it reads and checks every length and
// offset before using it. A damaged index fails with [ErrInvalid] and never changes an
// answer. A forged index cannot make a reader panic, loop or use more memory than a small
// multiple of the file's size. However, checksums are not signatures: to find out whether
// an index matches its documents, you must compare them with an [Audit] and write the
// index again from its own contents.
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
	"github.com/contextcompiler/context/internal/base/recent"
)

// ErrInvalid is wrapped by every error about the bytes of an index: they are damaged, of
// an unknown version, or of another kind of file. All other errors come from the reader
// of the index.
var ErrInvalid = errors.New("selection index is invalid")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// A Header says which manifest an index belongs to and how its documents were made.
type Header struct {
	CacheVersion document.Version
	ManifestSize int64 // bytes of manifest.json
	Selection    int   // 0: postings name documents; 1: postings name sections

	// About describes the contents of the cache, in at most [MaxAbout] bytes. This package
	// doesn't interpret them.
	About []byte

	// Origin describes how the documents were made, in at most [MaxOrigin] bytes. This
	// package doesn't interpret them. Since they may be large, [Index.Header] leaves them
	// out; use [Index.Origin] to read them.
	Origin []byte
}

// Limits of [Header.About] and [Header.Origin] in bytes.
const (
	MaxAbout  = 8 << 10
	MaxOrigin = 64 << 20
)

// A Posting says which document or section contains a term, and how often.
type Posting struct {
	Ordinal uint32 // position of the document or section
	Count   uint32 // occurrences, or the weight of the term; at least 1
}

// An Index is an open index. It never changes and is safe for concurrent use if its
// reader is. The reader must stay open while the index is used; the index itself needs no
// closing.
type Index struct {
	footer footer
	blocks blockReader
	frames atomic.Pointer[[]byte] // set by readFrames
	long   atomic.Pointer[[]byte] // set by readLong

	owner    recent.Owner // of held sections
	sections sync.Pool    // of *sectionWindows
}

// Open opens the index in the first size bytes of r. It reads the checksums, which are
// 1/4096 of the index, and little more.
//
// It fails with [ErrInvalid] if the bytes are not an index of this version, or if the
// part that it reads is damaged. Other damage is only found by later reads.
func Open(r io.ReaderAt, size int64) (*Index, error) {
	first := make([]byte, openingSize)
	if size < openingSize {
		return nil, invalid("it is only %d bytes long", size)
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
		return nil, invalid("it is only %d bytes long", size)
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
		return nil, invalid("its origin is too long: %d bytes", n)
	}
	sums := make([]byte, f.blocks()*checksumSize)
	if err := readFull(r, sums, f.bodyEnd()); err != nil {
		return nil, err
	}
	if checksum(sums) != f.sums {
		return nil, invalid("its checksums are damaged")
	}
	x := &Index{footer: f, blocks: blockReader{in: r, end: f.bodyEnd(), sums: sums}, owner: recent.NewOwner()}
	return x, x.readAbout()
}

// Hold makes the index keep the blocks that it reads, for callers that read it often. All
// indexes of a process share the space for the blocks used last. Calling Hold again
// changes nothing.
func (x *Index) Hold() {
	if x.blocks.owner.Load() == 0 {
		x.blocks.owner.CompareAndSwap(0, uint64(recent.NewOwner()))
	}
}

func (x *Index) readAbout() (err error) {
	if len(x.footer.lengths) < len(x.footer.layout().parts) {
		return nil
	}
	if n := x.footer.length(aboutKind); n == 0 || n > MaxAbout {
		return invalid("its about is %d bytes long", n)
	}
	x.footer.header.About, err = x.readPart(aboutKind)
	return err
}

// Header returns the header without its origin.
func (x *Index) Header() Header { return x.footer.header }

// Origin reads [Header.Origin], which is empty if the index doesn't contain it.
func (x *Index) Origin() ([]byte, error) { return x.readPart(originKind) }

// Documents returns the number of documents.
func (x *Index) Documents() int { return int(x.footer.documents) }

// Sections returns the number of sections. It is 0 in an index for selection 0.
func (x *Index) Sections() int { return int(x.footer.sections) }

// Terms returns the number of terms.
func (x *Index) Terms() int { return int(x.footer.terms) }

func (x *Index) ordinals() int { return int(x.footer.ordinals()) }

// Check reads the whole index and fails with [ErrInvalid] if a block is damaged.
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

// buffers contains scratch memory for reads.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func (x *Index) readPart(k partKind) ([]byte, error) {
	start, end := x.footer.part(k)
	b, _, err := x.blocks.read(nil, start, end-start)
	return b, err
}

// readNumbers returns numbers with room for another.
func (x *Index) readNumbers(k partKind) ([]uint32, error) {
	b, err := x.readPart(k)
	if err != nil {
		return nil, err
	}
	n := len(b) / numberSize
	numbers := make([]uint32, n, n+1)
	for i := range numbers {
		numbers[i] = binary.LittleEndian.Uint32(b[i*numberSize:])
	}
	return numbers, nil
}
