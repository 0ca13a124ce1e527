package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/replace"
)

// readOld returns the text and mode of a regular file that is about to be replaced. A
// missing file is empty.
func readOld(path string) (text []byte, mode fs.FileMode, err error) {
	mode = 0o644
	if old, err := os.Stat(path); err == nil {
		if !old.Mode().IsRegular() {
			return nil, 0, fault.Errorf(fault.IO, "%s is not a regular file: name another", path)
		}
		mode = old.Mode().Perm()
	}
	text, err = os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fault.Errorf(fault.IO, "read %s: %w", path, fault.Cause(err))
	}
	return text, mode, nil
}

// replaceFile writes a file completely or not at all. It follows symlinks.
func replaceFile(path string, data []byte, mode fs.FileMode) error {
	target, err := filepath.EvalSymlinks(path)
	if _, absent := os.Lstat(path); errors.Is(absent, fs.ErrNotExist) {
		target, err = path, nil // a new file
	}
	if err == nil {
		err = writeBeside(target, data, mode)
	}
	if err != nil {
		return fault.Errorf(fault.IO, "write %s: %w", path, fault.Cause(err))
	}
	return nil
}

// writeBeside writes a temporary file next to path, and then renames it.
func writeBeside(path string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".context-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails if all goes well
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

var errWritten = errors.New("exists")

func existing(path string) error { return fault.Errorf(fault.IO, "%s %w", path, errWritten) }

// createFile writes a new file completely or not at all.
func createFile(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, os.ErrExist) {
		return existing(path)
	}
	if err == nil {
		_, err = f.Write(text)
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(path)
		}
	}
	if err != nil {
		return fault.Errorf(fault.IO, "write %s: %w", path, fault.Cause(err))
	}
	return nil
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fault.Errorf(fault.IO, "write the summary %s: %w", path, fault.Cause(err))
	}
	return nil
}

// keepOut refuses a path inside a cache, because a cache must only contain its own files.
// An empty path is allowed.
func keepOut(flag, path, cache string) error {
	if path == "" {
		return nil
	}
	file, err := replace.Locate(path)
	if err != nil {
		return err
	}
	dir, err := replace.Locate(cache)
	if err != nil {
		return err
	}
	if below, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(below) {
		return usagef("--%s %s is inside the cache %s: choose another path", flag, path, cache)
	}
	return nil
}
