// Package files opens and reads files that other programs could have put there. It never
// waits for another program to open a pipe, and never reads more than the caller allows.
//
// Its errors are [ErrNotRegular], [ErrTooLarge] and the errors of the system.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/contextcompiler/context/fault"
)

var (
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("too large")
)

// A Scratch is a temporary file to write first, from its start, and to read afterwards. Close
// removes it.
type Scratch interface {
	io.Writer
	io.ReaderAt
	Name() string // path of the file
	Close() error
}

// withoutWaiting opens a pipe immediately, even without a writer.
const withoutWaiting = os.O_RDONLY | syscall.O_NONBLOCK

// OpenRoot opens the directory at path. It fails with ENOTDIR if path is anything else.
func OpenRoot(path string) (*os.Root, error) { return openRoot(path, os.Stat, os.OpenRoot) }

// OpenRootIn is [OpenRoot] for a path below dir.
func OpenRootIn(dir *os.Root, path string) (*os.Root, error) {
	return openRoot(path, dir.Stat, dir.OpenRoot)
}

func openRoot(path string, stat func(string) (fs.FileInfo, error), open func(string) (*os.Root, error)) (*os.Root, error) {
	found, err := stat(path) // because opening a pipe would wait
	if err != nil {
		return nil, err
	}
	if !found.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	return open(path)
}

// OpenPlainRoot opens the directory with a name in dir. It returns nil if the name
// doesn't exist or belongs to anything else, such as a symlink to a directory.
func OpenPlainRoot(dir *os.Root, name string) (*os.Root, error) {
	found, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !found.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return dir.OpenRoot(name)
}

// Open opens the regular file at a path below dir. It follows symlinks unless they lead
// out of dir.
func Open(dir *os.Root, path string) (*os.File, fs.FileInfo, error) {
	return regular(dir.OpenFile(path, withoutWaiting, 0))
}

// OpenAnywhere opens the regular file at a path. It follows symlinks to any place.
func OpenAnywhere(path string) (*os.File, fs.FileInfo, error) {
	return regular(os.OpenFile(path, withoutWaiting, 0))
}

// ReadInput reads the regular file or the pipe at a path, such as a shell's <(...), if
// it contains at most limit bytes. A pipe without a writer counts as empty. ReadInput
// stops when ctx ends.
func ReadInput(ctx context.Context, path string, limit int64) ([]byte, error) {
	found, err := os.Stat(path) // because opening a device can have side effects
	switch {
	case err != nil:
		return nil, err
	case found.IsDir():
		return nil, syscall.EISDIR
	case found.Mode()&fs.ModeNamedPipe != 0:
		return readPipe(ctx, path, limit)
	}
	return ReadRegular(path, limit)
}

// ReadRegular reads the regular file at a path, if it contains at most limit bytes. It
// follows symlinks to any place.
func ReadRegular(path string, limit int64) ([]byte, error) {
	f, found, err := OpenAnywhere(path)
	return readWithin(f, found, err, nil, limit)
}

func readPipe(ctx context.Context, path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, withoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return nil, cause
	}
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	}
	return data, err
}

func regular(f *os.File, err error) (*os.File, fs.FileInfo, error) {
	if err != nil {
		return nil, nil, err
	}
	found, err := f.Stat()
	if err == nil && !found.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, found, nil
}

// OpenPlain is [Open], but refuses symlinks. It looks at the file first, because opening
// some devices has side effects.
func OpenPlain(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	found, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !found.Mode().IsRegular() {
		return nil, nil, ErrNotRegular
	}
	f, opened, err := Open(dir, name)
	if err != nil {
		return nil, nil, err
	}
	if !os.SameFile(found, opened) {
		f.Close()
		return nil, nil, ErrNotRegular
	}
	return f, opened, nil
}

// ReadPlain reads the file opened by [OpenPlain], if it contains at most limit bytes. It
// uses the memory of buf if that is large enough.
func ReadPlain(dir *os.Root, name string, buf []byte, limit int64) ([]byte, error) {
	f, found, err := OpenPlain(dir, name)
	return readWithin(f, found, err, buf, limit)
}

// readWithin reads and closes a file that was opened, if it contains at most limit bytes.
func readWithin(f *os.File, found fs.FileInfo, err error, buf []byte, limit int64) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size := found.Size(); size > limit {
		return nil, fmt.Errorf("%w: %d bytes, of at most %d", ErrTooLarge, size, limit)
	}
	return Read(f, buf, found.Size())
}

// Read reads size bytes of f, or fewer if the file has become shorter. It uses the
// memory of buf if that is large enough. Otherwise, it allocates a little more than it
// needs, to leave room for a slightly larger file next time.
func Read(f *os.File, buf []byte, size int64) ([]byte, error) {
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

// LookAt returns the info of the file at path, or nil if it doesn't exist. It fails with
// [fault.IO].
func LookAt(path string) (fs.FileInfo, error) {
	found, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "look at %s: %w", path, fault.Cause(err))
	}
	return found, nil
}

// Entries returns the entries of the directory at path by name, or nil if path is not a
// directory. It fails with [fault.IO].
func Entries(path string) (map[string]fs.DirEntry, error) {
	found, err := LookAt(path)
	if err != nil || found == nil || !found.IsDir() {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fault.Errorf(fault.IO, "read directory %s: %w", path, fault.Cause(err))
	}
	byName := make(map[string]fs.DirEntry, len(entries))
	for _, e := range entries {
		byName[e.Name()] = e
	}
	return byName, nil
}

// Absolute returns the absolute path for a path as the system reads it: if the path
// begins with "..", it starts from the real working directory instead of the symlink
// that a shell followed to get there and keeps in PWD.
func Absolute(path string) (string, error) {
	if filepath.IsAbs(path) || runtime.GOOS == "windows" { // Windows does not use PWD
		return filepath.Abs(path)
	}
	here, err := filepath.Abs(".")
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	return filepath.Join(here, path), err
}
