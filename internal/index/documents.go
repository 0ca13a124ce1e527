package index

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/contextcompiler/context/document"
)

// A Document is the entry of a document in an index, without its terms. Its ordinal
// is its position in the order of IDs.
type Document struct {
	ID      document.ID
	Version document.Version

	Name     string            // of its file in the cache's directory of documents
	FileSize int64             // bytes, at most 4 GiB - 1
	FileSum  [sha256.Size]byte // SHA-256 of the whole file

	// ContentOffset and ContentLength say where in the file the content is, as a
	// JSON string with its quotes.
	ContentOffset, ContentLength int64

	Size  int // bytes of the content, at most [document.MaxSize]
	Words int // words of the content, for selection 0; else 0
}

// maxNames is the most bytes that the ID and the file name of a document may have
// together.
const maxNames = 1 << 16

// isBounded reports whether the numbers of d can be true.
func (d *Document) isBounded() bool {
	return 0 <= d.Words && d.Words <= d.Size && d.Size <= document.MaxSize &&
		d.FileSize <= math.MaxUint32 && 0 <= d.ContentOffset && 0 <= d.ContentLength &&
		d.ContentOffset <= d.FileSize && d.ContentLength <= d.FileSize-d.ContentOffset
}

func writeRecords(w *blockWriter, docs []Document) {
	le := binary.LittleEndian
	names := uint64(0)
	b := make([]byte, 0, recordSize)
	for i := range docs {
		d := &docs[i]
		b = append(b[:0], d.Version[:]...)
		b = append(b, d.FileSum[:]...)
		b = le.AppendUint32(b, uint32(d.FileSize))
		b = le.AppendUint32(b, uint32(d.ContentOffset))
		b = le.AppendUint32(b, uint32(d.ContentLength))
		b = le.AppendUint64(b, names)
		b = le.AppendUint32(b, uint32(len(d.ID)))
		b = le.AppendUint32(b, uint32(len(d.Name)))
		w.write(b)
		names += uint64(len(d.ID) + len(d.Name))
	}
}

func writeNames(w *blockWriter, docs []Document) {
	for i := range docs {
		w.write([]byte(docs[i].ID))
		w.write([]byte(docs[i].Name))
	}
}

// A nameRange says where the ID of a document begins in the part of names, and
// how long it and the file name after it are.
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

// within checks that the names lie in a part of size bytes.
func (n nameRange) within(size int64) error {
	length := n.id + n.file
	if n.start < 0 || n.start > size || length > size-n.start {
		return invalid("a name is outside of its part")
	}
	if length > maxNames {
		return invalid("names of %d bytes", length)
	}
	return nil
}

// setNames takes the names of d from the bytes at which they begin.
func (d *Document) setNames(b []byte, n nameRange) {
	d.ID, d.Name = document.ID(b[:n.id]), string(b[n.id:][:n.file])
}

// Document returns the document at an ordinal. It panics if there is none.
func (x *Index) Document(ordinal int) (Document, error) {
	if ordinal < 0 || ordinal >= x.Documents() {
		panic("index: no document has this ordinal")
	}
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	records, _ := x.footer.part(recordsKind)
	b, grown, err := x.blocks.read(*buf, records+int64(ordinal)*recordSize, recordSize)
	*buf = grown
	if err != nil {
		return Document{}, err
	}
	d, names := decodeRecord(b)
	if *buf, err = x.readNames(&d, names, *buf); err != nil {
		return Document{}, err
	}
	if d.Words, *buf, err = x.readNumber(wordsKind, ordinal, *buf); err != nil {
		return Document{}, err
	}
	if d.Size, *buf, err = x.readNumber(sizesKind, ordinal, *buf); err != nil {
		return Document{}, err
	}
	if !d.isBounded() {
		return Document{}, invalid("numbers of document %d are out of bounds", ordinal)
	}
	return d, nil
}

func (x *Index) readNames(d *Document, n nameRange, buf []byte) ([]byte, error) {
	start, end := x.footer.part(namesKind)
	if err := n.within(end - start); err != nil {
		return buf, err
	}
	b, buf, err := x.blocks.read(buf, start+n.start, n.id+n.file)
	if err == nil {
		d.setNames(b, n)
	}
	return buf, err
}

// Sizes returns the bytes of each document's content. The caller may keep it.
func (x *Index) Sizes() ([]uint32, error) {
	sizes, err := x.readNumbers(sizesKind)
	if err != nil {
		return nil, err
	}
	for i, size := range sizes {
		if size > document.MaxSize {
			return nil, invalid("document %d has %d bytes", i, size)
		}
	}
	return sizes, nil
}

// Words returns the words of each document's content, none unless the index is
// for selection 0. The caller may keep it.
func (x *Index) Words() ([]uint32, error) {
	words, err := x.readNumbers(wordsKind)
	if err != nil {
		return nil, err
	}
	for i, n := range words {
		if n > document.MaxSize {
			return nil, invalid("document %d has %d words", i, n)
		}
	}
	return words, nil
}

// AllDocuments returns all documents by ordinal. It reads each part once, so it is
// cheaper than a call of Document for each.
func (x *Index) AllDocuments() ([]Document, error) {
	records, err := x.readPart(recordsKind)
	if err != nil {
		return nil, err
	}
	names, err := x.readPart(namesKind)
	if err != nil {
		return nil, err
	}
	sizes, err := x.readNumbers(sizesKind)
	if err != nil {
		return nil, err
	}
	words, err := x.readNumbers(wordsKind)
	if err != nil {
		return nil, err
	}
	docs := make([]Document, x.Documents())
	next := int64(0)
	for i := range docs {
		d, at := decodeRecord(records[i*recordSize:][:recordSize])
		if err := at.within(int64(len(names))); err != nil {
			return nil, err
		}
		if at.start != next { // copies of one name could take more memory than the index
			return nil, invalid("the names of document %d do not follow those of the one before", i)
		}
		d.setNames(names[at.start:], at)
		next += at.id + at.file
		d.Size = int(sizes[i])
		if len(words) > 0 {
			d.Words = int(words[i])
		}
		if !d.isBounded() {
			return nil, invalid("numbers of document %d are out of bounds", i)
		}
		docs[i] = d
	}
	return docs, nil
}
