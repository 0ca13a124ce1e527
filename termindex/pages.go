package termindex

// This file stands between the structures of an index and the disk. What is
// written comes out cut into pages, each with its checksum; what is read was
// compared with the checksums before anybody sees it.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A pageWriter hands bytes on to a writer and notes the checksum of each page.
// Its first error ends the writing and is kept in err.
type pageWriter struct {
	out     io.Writer
	page    []byte
	written int64  // bytes before the page
	sums    []byte // encoded checksums of the pages before it
	err     error
}

// at returns how many bytes were written.
func (w *pageWriter) at() int64 { return w.written + int64(len(w.page)) }

func (w *pageWriter) write(b []byte) {
	for len(b) > 0 && w.err == nil {
		if w.page == nil {
			w.page = make([]byte, 0, pageSize)
		}
		n := min(len(b), pageSize-len(w.page))
		w.page = append(w.page, b[:n]...)
		b = b[n:]
		if len(w.page) == pageSize {
			w.endPage()
		}
	}
}

func (w *pageWriter) endPage() {
	if len(w.page) == 0 || w.err != nil {
		return
	}
	w.sums = binary.LittleEndian.AppendUint32(w.sums, checksum(w.page))
	w.written += int64(len(w.page))
	_, w.err = w.out.Write(w.page)
	w.page = w.page[:0]
}

// A pageReader reads bytes of pages that have the right checksum. Safe for
// concurrent use if its reader is.
type pageReader struct {
	in   io.ReaderAt
	end  int64  // of the last page
	sums []byte // encoded checksums of the pages
}

// read returns the n bytes at an offset, and buf or what it had to become to
// hold the pages that these bytes are in.
func (r *pageReader) read(buf []byte, at, n int64) (b, grown []byte, err error) {
	if at < 0 || n < 0 || n > r.end-at {
		return nil, buf, invalid("%d bytes at %d are asked for, and %d there", n, at, r.end)
	}
	if n == 0 {
		return nil, buf, nil
	}
	first := at / pageSize
	start := first * pageSize
	end := min(r.end, (at+n+pageSize-1)/pageSize*pageSize)
	if end-start > math.MaxInt {
		return nil, buf, invalid("%d bytes are more than this machine can hold", end-start)
	}
	if int64(cap(buf)) < end-start {
		buf = make([]byte, end-start)
	}
	buf = buf[:end-start]
	if err := readFull(r.in, buf, start); err != nil {
		return nil, buf, err
	}
	if err := r.verify(buf, first); err != nil {
		return nil, buf, err
	}
	return buf[at-start:][:n], buf, nil
}

// verify compares pages with their checksums.
func (r *pageReader) verify(pages []byte, first int64) error {
	for i := first; len(pages) > 0; i++ {
		page := pages[:min(pageSize, len(pages))]
		if checksum(page) != binary.LittleEndian.Uint32(r.sums[i*checksumSize:]) {
			return invalid("page %d is damaged", i)
		}
		pages = pages[len(page):]
	}
	return nil
}

// readFull reads all of b. A file that ends before that has lost its end since
// somebody asked for its size, so that is damage like any other.
func readFull(in io.ReaderAt, b []byte, at int64) error {
	n, err := in.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return invalid("it ends after %d bytes", at+int64(n))
	}
	return fmt.Errorf("selection index: %w", err)
}
