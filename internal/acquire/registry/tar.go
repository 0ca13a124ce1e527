package registry

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// A layer is a tar archive with a single form (docs/distribution.md): USTAR headers without
// times and owners, sorted names, and two blocks of zeros at the end. So an archive is
// sound if its headers are the headers that we would write, which leaves no room for
// links, devices, other owners or names in two spellings.

const (
	blockSize  = 512
	maxTarName = 100           // bytes; longer names would need a prefix
	maxTarFile = 1<<33 - 1     // bytes; the field has 11 octal digits
	endBlocks  = 2 * blockSize // zeros
)

// tarHeader returns the header of a file, or of a directory if the name ends in a slash.
func tarHeader(name string, size int64) (block [blockSize]byte, err error) {
	if len(name) > maxTarName {
		return block, fmt.Errorf("the name %q is longer than %d bytes", name, maxTarName)
	}
	if size < 0 || size > maxTarFile {
		return block, fmt.Errorf("%s has %d bytes, of at most %d", name, size, int64(maxTarFile))
	}
	mode, kind := "0000644", byte('0')
	if strings.HasSuffix(name, "/") {
		mode, kind = "0000755", '5'
	}
	copy(block[0:], name)
	copy(block[100:], mode)
	copy(block[108:], "0000000") // owner
	copy(block[116:], "0000000") // group
	copy(block[124:], fmt.Sprintf("%011o", size))
	copy(block[136:], "00000000000") // time
	copy(block[148:], "        ")    // the checksum counts itself as spaces
	block[156] = kind
	copy(block[257:], "ustar\x0000")
	copy(block[329:], "0000000") // device numbers
	copy(block[337:], "0000000")
	sum := 0
	for _, b := range block {
		sum += int(b)
	}
	copy(block[148:], fmt.Sprintf("%06o\x00 ", sum))
	return block, nil
}

// paddingOf returns the number of zeros after a file.
func paddingOf(size int64) int64 { return -size & (blockSize - 1) }

var zeros [endBlocks]byte

// A tarWriter writes a layer. Names must be added in order.
type tarWriter struct{ out io.Writer }

// add writes a file, or a directory if the name ends in a slash.
func (w tarWriter) add(name string, size int64, content io.Reader) error {
	header, err := tarHeader(name, size)
	if err != nil {
		return err
	}
	if _, err := w.out.Write(header[:]); err != nil {
		return err
	}
	if size > 0 {
		if _, err := io.CopyN(w.out, content, size); err != nil {
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("%s became shorter while it was read", name)
			}
			return err
		}
	}
	_, err = w.out.Write(zeros[:paddingOf(size)])
	return err
}

func (w tarWriter) close() error {
	_, err := w.out.Write(zeros[:])
	return err
}

// readTar calls visit for each file of a layer, and fails unless a tarWriter could have
// written it. visit must read the whole content.
func readTar(in io.Reader, visit func(name string, size int64, content io.Reader) error) error {
	last := ""
	for {
		var block [blockSize]byte
		if _, err := io.ReadFull(in, block[:]); err != nil {
			return shortArchive(err)
		}
		if block == ([blockSize]byte{}) {
			return readTarEnd(in)
		}
		name, size, err := decodeTarHeader(block)
		if err != nil {
			return err
		}
		if name <= last {
			return fmt.Errorf("%q does not come after %q", name, last)
		}
		last = name
		content := &io.LimitedReader{R: in, N: size}
		if err := visit(name, size, content); err != nil {
			return err
		}
		if content.N > 0 {
			return shortArchive(io.ErrUnexpectedEOF)
		}
		var padding [blockSize]byte
		n := paddingOf(size)
		if _, err := io.ReadFull(in, padding[:n]); err != nil {
			return shortArchive(err)
		}
		if padding != ([blockSize]byte{}) {
			return fmt.Errorf("there are bytes between %q and the next file", name)
		}
	}
}

// decodeTarHeader decodes what tarHeader returns, and refuses any other block.
func decodeTarHeader(block [blockSize]byte) (name string, size int64, err error) {
	text, _, _ := bytes.Cut(block[:maxTarName], []byte{0})
	name = string(text)
	digits := string(block[124:135])
	size, err = strconv.ParseInt(digits, 8, 64)
	if err != nil {
		return "", 0, fmt.Errorf("the size of %q is %q", name, digits)
	}
	isDir := strings.HasSuffix(name, "/")
	if !fs.ValidPath(strings.TrimSuffix(name, "/")) || isDir && size != 0 {
		return "", 0, fmt.Errorf("%q is not a plain path", name)
	}
	if expected, err := tarHeader(name, size); err != nil || expected != block {
		return "", 0, fmt.Errorf("the header of %q contains a time, an owner, a link or another kind of file", name)
	}
	return name, size, nil
}

func readTarEnd(in io.Reader) error {
	var rest [blockSize + 1]byte
	n, err := io.ReadFull(in, rest[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if n != blockSize || rest != ([blockSize + 1]byte{}) {
		return errors.New("the archive doesn't end after two blocks of zeros")
	}
	return nil
}

func shortArchive(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the archive ends early")
	}
	return err
}
