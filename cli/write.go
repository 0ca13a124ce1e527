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
	staged := make([]stagedFile, len(all))
	for i, f := range all {
		target, err := filepath.EvalSymlinks(f.path)
		if _, absent := os.Lstat(f.path); errors.Is(absent, fs.ErrNotExist) {
			target, err = f.path, nil // a new file
		}
		if err != nil {
			return writeError(f.path, err)
		}
		staged[i].target = target
	}
	for i, f := range all {
		defer staged[i].clear()
		err := staged[i].write(f.data, f.mode)
		if isLast := i == len(all)-1; err == nil && !isLast {
			err = staged[i].save()
		}
		if err != nil {
			return writeError(f.path, err)
		}
	}
	for i, f := range all {
		if err := os.Rename(staged[i].next, staged[i].target); err != nil {
			for _, done := range staged[:i] {
				done.restore()
			}
			return writeError(f.path, err)
		}
	}
	return nil
}

func writeError(path string, err error) error {
	return fault.Errorf(fault.IO, "write %s: %w", path, fault.Cause(err))
}

// A stagedFile is a file that is about to be replaced, with the paths of two files next to it.
type stagedFile struct {
	target string
	next   string // with the new contents
	old    string // with the old contents; "" for a new file

	releases []func() // of the locks of both
}

// leftover returns the beginning of the names of the files next to a file that is being replaced.
func (f *stagedFile) leftover() string {
	const longest = 200 // because a name can have 255 bytes
	name := filepath.Base(f.target)
	return "." + name[:min(len(name), longest)] + ".context-"
}

// clearLeftovers removes what killed commands left next to the file. They no longer hold its lock.
func (f *stagedFile) clearLeftovers() {
	dir := filepath.Dir(f.target)
	names, _ := os.ReadDir(dir)
	for _, e := range names {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), f.leftover()) || runtime.GOOS == "windows" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if release, err := replace.Seize(path); err == nil {
			os.Remove(path)
			release()
		}
	}
}

// hold locks a new file, so that no other command takes it for a leftover. It reports whether one
// has just done so.
func (f *stagedFile) hold(path string) (isGone bool) {
	release, err := replace.Seize(path)
	if err == nil {
		f.releases = append(f.releases, release)
		_, err = os.Lstat(path)
	}
	return errors.Is(err, replace.ErrInUse) || errors.Is(err, fs.ErrNotExist)
}

// write writes the new contents next to the file.
func (f *stagedFile) write(data []byte, mode fs.FileMode) error {
	if found, err := os.Stat(f.target); err == nil {
		mode = found.Mode().Perm()
	}
	f.clearLeftovers()
	out, err := os.CreateTemp(filepath.Dir(f.target), f.leftover()+"*")
	for err == nil && f.hold(out.Name()) {
		out.Close()
		out, err = os.CreateTemp(filepath.Dir(f.target), f.leftover()+"*")
	}
	if err != nil {
		return err
	}
	f.next = out.Name()
	_, err = out.Write(data)
	return cmp.Or(err, out.Chmod(mode), out.Sync(), out.Close())
}

// save keeps the old contents next to the file.
func (f *stagedFile) save() error {
	saved := f.next + "-old"
	err := os.Link(f.target, saved)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil { // a file system without hard links
		var data []byte
		if data, err = os.ReadFile(f.target); err == nil {
			err = os.WriteFile(saved, data, 0o600)
		}
		if found, failed := os.Stat(f.target); err == nil && failed == nil {
			err = os.Chmod(saved, found.Mode().Perm())
		}
	}
	f.old = saved
	f.hold(saved)
	return err
}

func (f *stagedFile) restore() {
	if f.old == "" {
		os.Remove(f.target)
	} else {
		os.Rename(f.old, f.target)
	}
}

// clear removes the files next to the file, unless they have been moved.
func (f *stagedFile) clear() {
	os.Remove(f.next)
	if f.old != "" {
		os.Remove(f.old)
	}
	for _, release := range f.releases {
		release()
	}
}

var errWritten = errors.New("exists")

func existing(path string) error { return fault.Errorf(fault.IO, "%s %w", path, errWritten) }

// createFile writes a new file completely or not at all.
func createFile(path string, text []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return existing(path)
	}
	f := stagedFile{target: path}
	defer f.clear()
	err := f.write(text, 0o644)
	if err == nil {
		err = replace.System{}.RenameNew(f.next, path)
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
