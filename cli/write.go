package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/replace"
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

// replaceFile writes a file completely or not at all. It follows symlinks. A new file
// gets the mode; otherwise, the mode stays.
func replaceFile(path string, data []byte, mode fs.FileMode) error {
	return replaceFiles(writtenFile{path, data, mode})
}

// A writtenFile is an argument of replaceFiles.
type writtenFile struct {
	path string
	data []byte
	mode fs.FileMode // of a new file
}

// replaceFiles is replaceFile for several files. If one of them cannot be written, all of them stay
// as they were. Only a process that is killed between two renames can leave some of them new.
func replaceFiles(all ...writtenFile) error {
	next, before := make([]stagedFile, len(all)), make([]stagedFile, len(all))
	defer func() {
		for i := range all {
			next[i].clear()
			before[i].clear()
		}
	}()
	for i, f := range all {
		err := next[i].write(f)
		if isLast := i == len(all)-1; err == nil && !isLast {
			if f.data, err = os.ReadFile(next[i].target); err == nil {
				err = before[i].write(f)
			} else if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
		}
		if err != nil {
			return writeError(f.path, err)
		}
	}
	for i, f := range all {
		if err := os.Rename(next[i].path, next[i].target); err != nil {
			for j := range i {
				if before[j].path == "" {
					os.Remove(next[j].target)
				} else {
					os.Rename(before[j].path, next[j].target)
				}
			}
			return writeError(f.path, err)
		}
	}
	return nil
}

func writeError(path string, err error) error {
	return fault.Errorf(fault.IO, "write %s: %w", path, fault.Cause(err))
}

// A stagedFile contains what another file is about to contain, and is next to it.
type stagedFile struct {
	target, path string
	release      func() // of the lock of path
}

// leftover returns the beginning of the names of the files next to a file that is being replaced.
func leftover(target string) string {
	const longest = 200 // because a name can have 255 bytes
	name := filepath.Base(target)
	return "." + name[:min(len(name), longest)] + ".context-"
}

// clearLeftovers removes what killed commands left next to a file. They no longer hold its lock.
func clearLeftovers(target string) {
	dir := filepath.Dir(target)
	names, _ := os.ReadDir(dir)
	for _, e := range names {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), leftover(target)) || runtime.GOOS == "windows" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if release, err := replace.Seize(path); err == nil {
			os.Remove(path)
			release()
		}
	}
}

// write writes the contents of f next to it. An existing file keeps its mode.
func (s *stagedFile) write(f writtenFile) (err error) {
	s.target, err = filepath.EvalSymlinks(f.path)
	if _, absent := os.Lstat(f.path); errors.Is(absent, fs.ErrNotExist) {
		s.target, err = f.path, nil
	}
	if err != nil {
		return err
	}
	if found, err := os.Stat(s.target); err == nil {
		f.mode = found.Mode().Perm()
	}
	clearLeftovers(s.target)
	out, err := s.create()
	if err != nil {
		return err
	}
	_, err = out.Write(f.data)
	return cmp.Or(err, out.Chmod(f.mode), out.Sync(), out.Close())
}

// create makes a locked file, so that no other command takes it for a leftover. It tries again if
// one has just done so.
func (s *stagedFile) create() (*os.File, error) {
	for {
		out, err := os.CreateTemp(filepath.Dir(s.target), leftover(s.target)+"*")
		if err != nil {
			return nil, err
		}
		release, inUse := replace.Seize(out.Name())
		if _, gone := os.Lstat(out.Name()); gone == nil && !errors.Is(inUse, replace.ErrInUse) {
			s.path, s.release = out.Name(), release
			return out, nil
		}
		out.Close()
	}
}

// clear removes the file unless it has been moved.
func (s *stagedFile) clear() {
	if s.path != "" {
		os.Remove(s.path)
	}
	if s.release != nil {
		s.release()
	}
}

var errWritten = errors.New("exists")

func existing(path string) error { return fault.Errorf(fault.IO, "%s %w", path, errWritten) }

// createFile writes a new file completely or not at all.
func createFile(path string, text []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return existing(path)
	}
	var s stagedFile
	defer s.clear()
	err := s.write(writtenFile{path, text, 0o644})
	if err == nil {
		err = replace.System{}.RenameNew(s.path, path)
	}
	if errors.Is(err, os.ErrExist) {
		return existing(path)
	}
	if err != nil {
		return writeError(path, err)
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
