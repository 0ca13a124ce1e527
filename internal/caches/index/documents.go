package index

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
)

// A Record is the entry of a document in an index, without its terms. Its ordinal
// is its position in the order of IDs.
type Record struct {
	ID      document.ID
	Version document.Version

	Name     string            // of its file in the cache's directory of documents
	FileSize int64             // bytes, at most 4 GiB - 1
	FileSum  [sha256.Size]byte // SHA-256 of the whole file

	// ContentOffset and ContentLength say where in the file the content is, as a JSON
	// string including its quotes.
	ContentOffset, ContentLength int64

	Size  int // bytes of the content, at most [document.MaxSize]
	Words int // of the content; 0 for selection 1
}

// maxNames is the most bytes of the ID and the file name of a document together.
const maxNames = 1 << 16

// isBounded reports whether the numbers of d are plausible.
func (d *Record) isBounded() bool {
	return 0 <= d.Words && d.Words <= d.Size && d.Size <= document.MaxSize && d.isFile()
}

// isFile is like isBounded, but only checks the numbers about the file.
func (d *Record) isFile() bool {
	return d.FileSize <= math.MaxUint32 && 0 <= d.ContentOffset && 0 <= d.ContentLength &&
		d.ContentOffset <= d.FileSize && d.ContentLength <= d.FileSize-d.ContentOffset
}

func writeRecords(w *blockWriter, t *Table) error {
	le := binary.LittleEndian
	names := 0
	b := make([]byte, 0, recordSize)
	return t.eachDocument(func(_ int, d *Record) error {
		b = append(b[:0], d.Version[:]...)
		b = append(b, d.FileSum[:]...)
		b = le.AppendUint32(b, uint32(d.FileSize))
		b = le.AppendUint32(b, uint32(d.ContentOffset))
		b = le.AppendUint32(b, uint32(d.ContentLength))
		w.write(appendPair(b, names, len(d.ID), len(d.Name)))
		names += len(d.ID) + len(d.Name)
		return nil
	})
}

func decodeRecord(b []byte) (Record, textPair) {
	le := binary.LittleEndian
	d := Record{
		Version:       document.Version(b[0:32]),
		FileSum:       [32]byte(b[32:64]),
		FileSize:      int64(le.Uint32(b[64:])),
		ContentOffset: int64(le.Uint32(b[68:])),
		ContentLength: int64(le.Uint32(b[72:])),
	}
	return d, decodePair(b[76:])
}

// A textPair consists of two consecutive texts in a part: the names of a document, or the
// slug and the sketch of a section.
type textPair struct{ start, first, second int64 }

func appendPair(b []byte, start, first, second int) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(start))
	b = binary.LittleEndian.AppendUint32(b, uint32(first))
	return binary.LittleEndian.AppendUint32(b, uint32(second))
}

func decodePair(b []byte) textPair {
	le := binary.LittleEndian
	return textPair{int64(le.Uint64(b)), int64(le.Uint32(b[8:])), int64(le.Uint32(b[12:]))}
}

func (p textPair) size() int64 { return p.first + p.second }

// check fails unless the texts are inside a part of size bytes.
func (p textPair) check(size int64) error {
	if p.start < 0 || p.start > size || p.size() > size-p.start {
		return invalid("a text of %d bytes at %d is outside of its part", p.size(), p.start)
	}
	return nil
}

func (p textPair) checkNames(size int64) error {
	if p.size() > maxNames {
		return invalid("names of %d bytes", p.size())
	}
	return p.check(size)
}

func (d *Record) setNames(b []byte, p textPair) error {
	d.ID, d.Name = document.ID(b[:p.first]), string(b[p.first:p.size()])
	return checkID(b[:p.first])
}

// checkID fails unless an ID can be printed as JSON, and names a page.
func checkID(id []byte) error {
	if len(id) == 0 || !utf8.Valid(id) {
		return invalid("the ID %q is empty or not UTF-8", id)
	}
	return nil
}

// Document returns the document at an ordinal without its size and words. It panics if
// the ordinal is out of range.
func (x *Index) Document(ordinal int) (d Record, err error) {
	if ordinal < 0 || ordinal >= x.Documents() {
		panic("index: no document has this ordinal")
	}
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	start, _ := x.footer.part(recordsKind)
	var b []byte
	if b, *buf, err = x.blocks.read(*buf, start+int64(ordinal)*recordSize, recordSize); err != nil {
		return d, err
	}
	d, names := decodeRecord(b)
	start, end := x.footer.part(namesKind)
	if err := names.checkNames(end - start); err != nil {
		return Record{}, err
	}
	if b, *buf, err = x.blocks.read(*buf, start+names.start, names.size()); err != nil {
		return Record{}, err
	}
	if err := d.setNames(b, names); err != nil {
		return Record{}, err
	}
	if !d.isFile() {
		return Record{}, invalid("numbers of document %d are out of bounds", ordinal)
	}
	return d, nil
}

// IDs returns the IDs of all documents by ordinal. The caller may keep it.
func (x *Index) IDs() ([]document.ID, error) {
	records, err := x.readPart(recordsKind)
	if err != nil {
		return nil, err
	}
	b, err := x.readPart(namesKind)
	if err != nil {
		return nil, err
	}
	names := string(b)
	ids := make([]document.ID, x.Documents())
	for i := range ids {
		_, p := decodeRecord(records[i*recordSize:])
		if err := p.checkNames(int64(len(names))); err != nil {
			return nil, err
		}
		if err := checkID(b[p.start:][:p.first]); err != nil {
			return nil, err
		}
		ids[i] = document.ID(names[p.start:][:p.first])
	}
	return ids, nil
}

// Sizes returns the bytes of each document's content. The caller may keep it.
func (x *Index) Sizes() ([]uint32, error) { return x.readBounded(sizesKind) }

// Words returns the words of each document's content, or an empty slice for selection 1.
// The caller may keep it.
func (x *Index) Words() ([]uint32, error) { return x.readBounded(wordsKind) }

// readBounded reads a part of numbers that cannot exceed the bytes of a document.
func (x *Index) readBounded(k partKind) ([]uint32, error) {
	numbers, err := x.readNumbers(k)
	if err != nil {
		return nil, err
	}
	for i, n := range numbers {
		if n > document.MaxSize {
			return nil, invalid("document %d claims %d bytes or words", i, n)
		}
	}
	return numbers, nil
}

// A RecordReader reads all documents of an index in order.
type RecordReader struct {
	index                        *Index
	records, names, sizes, words window
	next                         int   // ordinal
	end                          int64 // of the names so far, in their part
	skips                        bool  // documents before the next
	record                       Record
}

// NewRecordReader returns a reader at the first document. It reads ahead bytes of each
// part at once, or a block if that is more.
func (x *Index) NewRecordReader(ahead int64) *RecordReader {
	w := window{blocks: &x.blocks, ahead: ahead}
	return &RecordReader{index: x, records: w, names: w, sizes: w, words: w}
}

// Next returns the next document, which is valid until the next call. It returns nil after
// the last document.
func (r *RecordReader) Next() (*Record, error) {
	if r.next == r.index.Documents() {
		return nil, nil
	}
	f := &r.index.footer
	b, err := r.entry(&r.records, recordsKind, recordSize)
	if err != nil {
		return nil, err
	}
	d, p := decodeRecord(b)
	start, end := f.part(namesKind)
	if err := p.checkNames(end - start); err != nil {
		return nil, err
	}
	if p.start != r.end && !r.skips { // otherwise, shared names could need more memory than the index
		return nil, invalid("the names of document %d don't follow the previous names", r.next)
	}
	r.end, r.skips = p.start+p.size(), false
	if p.size() > 0 {
		if b, err = r.names.read(start+p.start, p.size()); err != nil {
			return nil, err
		}
		if err := d.setNames(b, p); err != nil {
			return nil, err
		}
	}
	if b, err = r.entry(&r.sizes, sizesKind, numberSize); err != nil {
		return nil, err
	}
	d.Size = int(binary.LittleEndian.Uint32(b))
	if f.header.Selection == 0 {
		if b, err = r.entry(&r.words, wordsKind, numberSize); err != nil {
			return nil, err
		}
		d.Words = int(binary.LittleEndian.Uint32(b))
	}
	if !d.isBounded() {
		return nil, invalid("numbers of document %d are out of bounds", r.next)
	}
	r.record = d
	r.next++
	return &r.record, nil
}

// eachRecord yields all documents in order. They are valid until the next iteration.
func (x *Index) eachRecord(yield func(*Record, error) bool) {
	r := x.NewRecordReader(readAhead)
	for d, err := r.Next(); d != nil || err != nil; d, err = r.Next() {
		if !yield(d, err) || err != nil {
			return
		}
	}
}

// at returns the document at an ordinal, which must not be before the next document.
func (r *RecordReader) at(ordinal int) (*Record, error) {
	if ordinal < r.next || ordinal >= r.index.Documents() {
		return nil, invalid("document %d is out of order", ordinal)
	}
	r.skips = ordinal > r.next
	r.next = ordinal
	return r.Next()
}

func (r *RecordReader) entry(w *window, k partKind, size int64) ([]byte, error) {
	start, _ := r.index.footer.part(k)
	return w.read(start+int64(r.next)*size, size)
}
