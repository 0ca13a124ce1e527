package termindex

import "io"

// An InvertedIndex is what both kinds of index have in common: which documents have which
// terms. It never changes and is safe for concurrent use if the reader is that
// it was opened on. There is nothing to close; the reader must stay open as long
// as the index is used.
type InvertedIndex struct {
	footer footer
	pages  pageReader
}

// open opens the index of a layout that r holds in its first size bytes.
func open(r io.ReaderAt, size int64, l *layout) (InvertedIndex, error) {
	footerSize := l.footerSize()
	if size < int64(openingSize+footerSize) {
		return InvertedIndex{}, invalid("it has %d bytes", size)
	}
	first, last := make([]byte, openingSize), make([]byte, footerSize)
	if err := readFull(r, first, 0); err != nil {
		return InvertedIndex{}, err
	}
	if string(first) != l.opening {
		return InvertedIndex{}, invalid("it begins like another file, or a version that is not known here")
	}
	if err := readFull(r, last, size-int64(footerSize)); err != nil {
		return InvertedIndex{}, err
	}
	f, err := decodeFooter(l, last)
	if err != nil {
		return InvertedIndex{}, err
	}
	if err := f.fits(size); err != nil {
		return InvertedIndex{}, err
	}
	sums := make([]byte, f.pages()*checksumSize)
	if err := readFull(r, sums, f.bodyEnd()); err != nil {
		return InvertedIndex{}, err
	}
	if checksum(sums) != f.sums {
		return InvertedIndex{}, invalid("its checksums are damaged")
	}
	return InvertedIndex{f, pageReader{r, f.bodyEnd(), sums}}, nil
}

// Header returns which manifest the index belongs to. The origin is not in it.
func (x *InvertedIndex) Header() Header { return x.footer.header }

// Len returns the number of documents, or of passages: one more than the highest
// ordinal.
func (x *InvertedIndex) Len() int { return int(x.footer.documents) }

// Terms returns the number of different terms.
func (x *InvertedIndex) Terms() int { return int(x.footer.terms) }

// readColumn returns a column, one value for each ordinal.
func (x *InvertedIndex) readColumn(k kind) ([]uint32, error) {
	start, end := x.footer.section(k)
	if (end-start)%columnWidth != 0 {
		return nil, invalid("a column ends within a value")
	}
	b, _, err := x.pages.read(nil, start, end-start)
	return decodeColumn(b), err
}
