package cache

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
)

// Bounds on what a reader takes into memory, so that a hostile cache cannot
// exhaust it. A control character takes six bytes in JSON.
const (
	maxManifestSize     = 1 << 30
	maxDocumentFileSize = 6*document.MaxSize + 1<<20
)

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("too large")
)

// readRegular reads the regular file of that plain name in dir, using buf's
// memory if it suffices. Symlinks, directories, pipes and devices are
// errNotRegular: they are never opened for good, and never followed.
//
// What the system refuses is a [fault.IO]; fs.ErrNotExist, errNotRegular and
// errTooLarge, which are about the cache, come with [fault.CacheInvalid].
func readRegular(dir *os.Root, name string, buf []byte, limit int64) ([]byte, error) {
	f, found, err := openRegular(dir, name)
	if err != nil {
		return nil, readError(name, err)
	}
	defer f.Close()
	size := found.Size()
	if size > limit {
		return nil, fault.Errorf(fault.CacheInvalid, "%s: %w: %d bytes, of at most %d", name, errTooLarge, size, limit)
	}
	data, err := readAll(f, buf, size)
	if err != nil {
		return nil, readError(name, err)
	}
	return data, nil
}

func openRegular(dir *os.Root, name string) (f *os.File, opened fs.FileInfo, err error) {
	found, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !found.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	// Should a pipe have come in between, this does not wait for a writer.
	f, err = dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	opened, err = f.Stat()
	if err == nil && !os.SameFile(found, opened) {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, opened, nil
}

// readAll reads size bytes of f, or as many as there are by now. A buffer that
// it makes has room for the next file, too, if that is not much larger.
func readAll(f *os.File, buf []byte, size int64) ([]byte, error) {
	const tooSmallToRound, step = 1 << 20, 4 << 20
	if int64(cap(buf)) < size {
		room := size
		if size > tooSmallToRound {
			room = (size + step - 1) / step * step
		}
		buf = make([]byte, room)
	}
	n, err := io.ReadFull(f, buf[:size])
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return buf[:n], err
}

func readError(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotRegular) {
		return fault.Errorf(fault.CacheInvalid, "%s: %w", name, err)
	}
	return fault.Errorf(fault.IO, "read %s: %w", name, fault.Cause(err))
}

// openPlainDirectory opens the directory of that plain name in dir. It is nil
// if there is none; a symlink to a directory is none.
func openPlainDirectory(dir *os.Root, name string) (*os.Root, error) {
	found, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !found.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, readError(name, err)
	}
	opened, err := dir.OpenRoot(name)
	if err != nil {
		return nil, readError(name, err)
	}
	return opened, nil
}
