package stages

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
)

// A Text is a source with its bytes, which are UTF-8 and otherwise as found.
type Text struct {
	Source
	Content []byte
}

// ErrNotUTF8 is the error of Read for a source that cannot be a document.
var ErrNotUTF8 = errors.New("not UTF-8")

// Read reads a source. It fails with [ErrNotUTF8], or with [fault.IO] if the
// system refuses, if the source has vanished since it was discovered, or if it
// is larger than [document.MaxSize].
func Read(root *Root, source Source) (Text, error) {
	content, err := readFile(root, source.file, document.MaxSize)
	if err != nil {
		return Text{}, err
	}
	if !utf8.Valid(content) {
		return Text{}, ErrNotUTF8
	}
	return Text{source, content}, nil
}

// readFile reads the regular file at path to its end, whatever its size was
// when it was opened.
func readFile(root *Root, path string, limit int64) ([]byte, error) {
	f, err := root.open(path)
	if err != nil {
		return nil, readError(path, err)
	}
	defer f.Close()
	found, err := f.Stat()
	if err != nil {
		return nil, readError(path, err)
	}
	if !found.Mode().IsRegular() {
		return nil, fault.Errorf(fault.IO, "read %s: it is no longer a regular file; try again", path)
	}
	buf := bytes.NewBuffer(make([]byte, 0, min(found.Size(), limit)+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, readError(path, err)
	}
	if int64(buf.Len()) > limit {
		return nil, fault.Errorf(fault.IO, "%s %w %d bytes", path, ErrTooLarge, limit)
	}
	return buf.Bytes(), nil
}

func readError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Errorf(fault.IO, "read %s: it vanished during the build; try again", path)
	}
	return fault.Errorf(fault.IO, "%s %w: %w", path, ErrUnreadable, fault.Cause(err))
}
