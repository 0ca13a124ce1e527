package termindex

import (
	"encoding/binary"
	"io"

	"github.com/contextcompiler/context/document"
)

// An Index is an index of documents that was opened.
type Index struct{ InvertedIndex }

// Open opens the index that r holds in its first size bytes, which are all of
// them. It reads the checksums, which are 1/4096 of the index, and little more.
//
// It fails with [ErrInvalid] if that is no index of this version or is damaged
// there; damage elsewhere is found by whoever reads it.
func Open(r io.ReaderAt, size int64) (*Index, error) {
	opened, err := open(r, size, &documentLayout)
	if err != nil {
		return nil, err
	}
	if n := opened.footer.length(originKind); n > MaxOrigin {
		return nil, invalid("it has an origin of %d bytes", n)
	}
	return &Index{opened}, nil
}

// Origin returns the [Header.Origin] that the index was written with, empty if
// there was none. Each call reads it, and nothing else does.
func (x *Index) Origin() ([]byte, error) {
	start, end := x.footer.section(originKind)
	b, _, err := x.pages.read(nil, start, end-start)
	return b, err
}

// maxNames is how many bytes the ID and the file name of a document may have
// together.
const maxNames = 1 << 16

// Document returns the document with an ordinal, and panics if there is none.
func (x *Index) Document(ordinal int) (Document, error) {
	if ordinal < 0 || ordinal >= x.Len() {
		panic("termindex: no document has this ordinal")
	}
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	records, _ := x.footer.section(recordsKind)
	b, grown, err := x.pages.read(*buf, records+int64(ordinal)*recordSize, recordSize)
	*buf = grown
	if err != nil {
		return Document{}, err
	}
	d, names := decodeRecord(b)
	if *buf, err = x.readNames(&d, names, *buf); err != nil {
		return Document{}, err
	}
	if d.Words, *buf, err = x.readValue(wordsKind, ordinal, *buf); err != nil {
		return Document{}, err
	}
	if d.Size, *buf, err = x.readValue(sizesKind, ordinal, *buf); err != nil {
		return Document{}, err
	}
	if !d.isBounded() {
		return Document{}, invalid("numbers of document %d are out of bounds", ordinal)
	}
	return d, nil
}

// A nameRange says where the ID of a document begins in the section of names,
// and how long it is and the file name after it.
type nameRange struct{ start, id, file int64 }

func decodeRecord(b []byte) (Document, nameRange) {
	le := binary.LittleEndian
	d := Document{
		Version:       document.Version(b[0:32]),
		FileSum:       [32]byte(b[32:64]),
		FileSize:      int64(le.Uint32(b[64:])),
		ContentOffset: int64(le.Uint32(b[68:])),
		ContentLength: int64(le.Uint32(b[72:])),
	}
	return d, nameRange{int64(le.Uint64(b[76:])), int64(le.Uint32(b[84:])), int64(le.Uint32(b[88:]))}
}

// readNames fills in the names of a document.
func (x *Index) readNames(d *Document, n nameRange, buf []byte) ([]byte, error) {
	start, end := x.footer.section(namesKind)
	if err := n.within(end - start); err != nil {
		return buf, err
	}
	b, buf, err := x.pages.read(buf, start+n.start, n.id+n.file)
	if err == nil {
		d.nameAs(b, n)
	}
	return buf, err
}

// within checks that the names lie in a section of names of that size.
func (n nameRange) within(section int64) error {
	size := n.id + n.file
	if n.start < 0 || n.start > section || size > section-n.start {
		return invalid("a name is outside of its section")
	}
	if size > maxNames {
		return invalid("names of %d bytes", size)
	}
	return nil
}

// nameAs takes the names of a document from the bytes where they begin.
func (d *Document) nameAs(b []byte, n nameRange) {
	d.ID, d.Name = document.ID(b[:n.id]), string(b[n.id:][:n.file])
}

// readValue returns the value of one document in a column.
func (x *InvertedIndex) readValue(k kind, ordinal int, buf []byte) (value int, grown []byte, err error) {
	start, _ := x.footer.section(k)
	b, buf, err := x.pages.read(buf, start+int64(ordinal)*columnWidth, columnWidth)
	if err != nil {
		return 0, buf, err
	}
	return int(binary.LittleEndian.Uint32(b)), buf, nil
}

// Columns returns, for all documents by ordinal, how many words each has and how
// many bytes its content has. That is all that scoring and the budget need to
// know, and it lies together. Whoever asks an index more than once may keep
// them.
func (x *Index) Columns() (words, sizes []uint32, err error) {
	if words, err = x.readColumn(wordsKind); err != nil {
		return nil, nil, err
	}
	if sizes, err = x.readColumn(sizesKind); err != nil {
		return nil, nil, err
	}
	for i, size := range sizes {
		if size > document.MaxSize || words[i] > size {
			return nil, nil, invalid("document %d has %d words in %d bytes", i, words[i], size)
		}
	}
	return words, sizes, nil
}

func decodeColumn(b []byte) []uint32 {
	column := make([]uint32, len(b)/columnWidth)
	for i := range column {
		column[i] = binary.LittleEndian.Uint32(b)
		b = b[columnWidth:]
	}
	return column
}
