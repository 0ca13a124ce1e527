package sources

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
)

// A File is an open source.
type File struct {
	Source Source
	file   *os.File
	size   int64    // when it was opened
	limit  int64    // most bytes to read
	parts  []Source // files of a Go package, instead of file
}

// Open opens a source. It fails with [fault.IO] if the system refuses, or if the source
// has disappeared since it was discovered.
func Open(source Source) (*File, error) {
	if source.parts() != nil {
		return openGoPackage(source)
	}
	open := files.OpenAnywhere
	if source.root != nil {
		open = source.root.open
	}
	file, found, err := open(source.file())
	if err != nil {
		return nil, readError(source, err)
	}
	return &File{Source: source, file: file, size: found.Size(), limit: document.MaxSize}, nil
}

// Close closes the file.
func (f *File) Close() {
	if f.file != nil {
		f.file.Close()
	}
}

// Size returns how many bytes Read needs in memory, unless the file grows in the
// meantime.
func (f *File) Size() int64 { return min(f.size, f.limit) }

// Read reads the file to its end, even if it has grown since it was opened. It fails
// with [fault.IO] if the system refuses, or if the file is larger than
// [document.MaxSize]. It uses the memory of buf if that is large enough.
func (f *File) Read(buf []byte) ([]byte, error) {
	if f.Source.parts() != nil {
		return f.readGoPackage()
	}
	if room := f.Size() + bytes.MinRead; int64(cap(buf)) < room {
		buf = make([]byte, room)
	}
	text := bytes.NewBuffer(buf[:0])
	if _, err := text.ReadFrom(io.LimitReader(f.file, f.limit+1)); err != nil {
		return nil, readError(f.Source, err)
	}
	if int64(text.Len()) > f.limit {
		return nil, fault.Errorf(fault.IO, "%s %w %d bytes", f.Source.fileName(), ErrTooLarge, f.limit)
	}
	return text.Bytes(), nil
}

func readFile(root *root, path string, limit int64) ([]byte, error) {
	f, err := Open(Source{root: root, other: &otherSource{file: path}})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.limit = limit
	return f.Read(nil)
}

// fileName returns the path of the file to read, as error messages show it: relative to
// the sources, or as the list spells it.
func (s Source) fileName() string {
	if s.root == nil {
		return fmt.Sprintf("%s (line %d)", s.file(), s.line())
	}
	return s.root.sourcePath(s.file())
}

func readError(source Source, err error) error {
	path := source.fileName()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Errorf(fault.IO, "read %s: it disappeared during the build; try again", path)
	case errors.Is(err, files.ErrNotRegular):
		return fault.Errorf(fault.IO, "read %s: it is no longer a regular file; try again", path)
	}
	return fault.Errorf(fault.IO, "%s %w: %w", path, ErrUnreadable, fault.Cause(err))
}
