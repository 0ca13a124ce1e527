package files

import (
	"bytes"
	"errors"
	"io"
)

// ErrDiffers is returned by a [Comparer] for other bytes than expected.
var ErrDiffers = errors.New("other bytes")

// A Comparer is a writer that fails with [ErrDiffers] unless the bytes written to it are the
// bytes of a reader.
type Comparer struct {
	With io.Reader
	buf  []byte
}

func (c *Comparer) Write(p []byte) (int, error) {
	if len(c.buf) < len(p) {
		c.buf = make([]byte, len(p))
	}
	n, err := io.ReadFull(c.With, c.buf[:len(p)])
	if err == io.EOF || err == io.ErrUnexpectedEOF || err == nil && !bytes.Equal(c.buf[:n], p) {
		return 0, ErrDiffers
	}
	return n, err
}

// End fails unless the reader is at its end.
func (c *Comparer) End() error {
	n, err := io.ReadFull(c.With, make([]byte, 1))
	if n > 0 {
		return ErrDiffers
	}
	if err == io.EOF {
		return nil
	}
	return err
}
