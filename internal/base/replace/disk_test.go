package replace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
)

// A faultyDisk is the system's disk, but it counts its calls, and fate decides their
// outcome. Since only a single goroutine uses it, the n-th call is the same on every
// run.
type faultyDisk struct {
	noExchange bool // as on a system without such a call
	fate       func(n int, c call) fate

	calls  []call
	failed []call
}

// A call is a single call of a disk.
type call struct {
	name string
	path string
}

func (c call) String() string { return c.name + " " + filepath.Base(c.path) }

// A fate is the outcome of a call.
type fate struct {
	err  error // to return
	half bool  // do half of the work; otherwise, a call with err does nothing
	die  bool  // end the process afterwards
}

// dead is the exit status of a process that was fated to die.
const dead = 42

// do runs a call. half does part of the work of whole, or nothing if it is nil.
func (d *faultyDisk) do(name, path string, whole, half func() error) error {
	c := call{name, path}
	d.calls = append(d.calls, c)
	var f fate
	if d.fate != nil {
		f = d.fate(len(d.calls), c)
	}
	err := f.err
	switch {
	case f.half && half != nil:
		half()
	case err == nil:
		err = whole()
	}
	if f.die {
		os.Exit(dead)
	}
	if f.err != nil {
		d.failed = append(d.failed, c)
	}
	return err
}

func (d *faultyDisk) Mkdir(path string) error {
	return d.do("mkdir", path, func() error { return System{}.Mkdir(path) }, nil)
}

func (d *faultyDisk) WriteFile(path string, data []byte) error {
	return d.do("writeFile", path,
		func() error { return System{}.WriteFile(path, data) },
		func() error { return System{}.WriteFile(path, data[:len(data)/2]) })
}

func (d *faultyDisk) StreamFile(path string, write func(io.Writer) error) error {
	return d.do("streamFile", path,
		func() error { return System{}.StreamFile(path, write) },
		func() error {
			var whole bytes.Buffer
			if err := write(&whole); err != nil {
				return err
			}
			return System{}.WriteFile(path, whole.Bytes()[:whole.Len()/2])
		})
}

func (d *faultyDisk) Link(from, to string) error {
	return d.do("link", from, func() error { return System{}.Link(from, to) }, nil)
}

func (d *faultyDisk) Rename(from, to string) error {
	return d.do("rename", from, func() error { return System{}.Rename(from, to) }, nil)
}

func (d *faultyDisk) RenameNew(from, to string) error {
	return d.do("renameNew", from, func() error { return System{}.RenameNew(from, to) }, nil)
}

func (d *faultyDisk) Exchange(a, b string) error {
	if d.noExchange {
		return errors.ErrUnsupported
	}
	return d.do("exchange", a, func() error { return System{}.Exchange(a, b) }, nil)
}

// The sync calls do nothing, because hundreds of replacements would wait for the
// hardware, and a test cannot simulate a power failure anyway.

func (d *faultyDisk) SyncTree(dir string) error {
	return d.do("syncTree", dir, func() error { return nil }, nil)
}

func (d *faultyDisk) SyncDirectory(dir string) error {
	return d.do("syncDirectory", dir, func() error { return nil }, nil)
}

func (d *faultyDisk) RemoveAll(path string) error {
	if found, _ := files.LookAt(path); found == nil {
		return nil // nothing can go wrong
	}
	return d.do("removeAll", path,
		func() error { return System{}.RemoveAll(path) },
		func() error { return removeSome(path) })
}

func (d *faultyDisk) Scratch(path string) (file Scratch, err error) {
	err = d.do("scratch", path, func() (err error) {
		file, err = System{}.Scratch(path)
		return err
	}, nil)
	return file, err
}

// removeSome removes every other file below path.
func removeSome(path string) error {
	n := 0
	return filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		if n++; err == nil && !e.IsDir() && n%2 == 0 {
			os.Remove(path)
		}
		return err
	})
}

// A tree represents a directory. It maps slash paths to contents.
type tree map[string]string

// oldTree and newTree share a file, which replacements keep.
var (
	oldTree = tree{"a": "old\n", "b": "b\n", "deep/same": "same\n", "old": "gone soon\n"}
	newTree = tree{"a": "new\n", "c": "c\n", "deep/same": "same\n", "deep/streamed": "written piece by piece\n"}
)

// put replaces the directory at path with tr, and uses every call of a Staging.
func put(path string, replace bool, disk Disk, tr tree) error {
	s, err := begin(path, replace, disk)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := fill(s, tr); err != nil {
		return fault.Errorf(fault.IO, "fill: %w", err)
	}
	return s.Commit()
}

// begin admits only directories of this test, which contain a file named a.
func begin(path string, replace bool, disk Disk) (*Staging, error) {
	admit := func(at string) error {
		found, err := files.LookAt(at)
		if err != nil || found == nil {
			return err
		}
		entries, err := files.Entries(at)
		if err == nil && (!replace || entries == nil || len(entries) > 0 && entries["a"] == nil) {
			err = fault.Errorf(fault.IO, "%s is in use", path)
		}
		return err
	}
	return Begin(path, Options{Replace: replace, Admit: admit, Disk: disk})
}

func fill(s *Staging, tr tree) error {
	if err := s.Mkdir("deep"); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(tr)) {
		if err := fillOne(s, name, tr[name]); err != nil {
			return err
		}
	}
	return nil
}

func fillOne(s *Staging, name, content string) error {
	old, err := os.Stat(filepath.Join(s.Path(), name))
	switch {
	case strings.HasSuffix(name, "same") && err == nil && s.Keep(filepath.Join(s.Path(), name), old.ModTime(), name):
		return nil
	case strings.HasSuffix(name, "streamed"):
		return s.StreamFile(name, func(out io.Writer) error { return writeByScratch(s, out, content) })
	case name == "a":
		err := s.WriteFile("first", []byte(content))
		return errors.Join(err, s.Rename("first", name))
	}
	return s.WriteFile(name, []byte(content))
}

// writeByScratch writes a text after reading it from a scratch file.
func writeByScratch(s *Staging, out io.Writer, text string) error {
	file, err := s.Scratch()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(file, text); err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(file, 0, int64(len(text))))
	return cmp.Or(err, file.Close())
}

// snapshot returns the files at and below path, and "is TYPE" for anything except files
// and directories. It is empty if path does not exist.
func snapshot(t testing.TB, path string) tree {
	t.Helper()
	found := tree{}
	err := filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && p == path {
			return nil
		}
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(path, p)
		if err != nil {
			return err
		}
		content := []byte("is " + e.Type().String())
		if e.Type().IsRegular() {
			content, err = os.ReadFile(p)
		}
		found[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// restore makes a directory at path with the contents of tr.
func restore(t testing.TB, path string, tr tree) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(path, "deep"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range tr {
		if err := os.WriteFile(filepath.Join(path, filepath.FromSlash(name)), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// namesIn returns the names in dir, or none if dir does not exist.
func namesIn(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// wantOnly fails the test unless dir contains exactly these names.
func wantOnly(t testing.TB, dir string, names ...string) {
	t.Helper()
	if got := namesIn(t, dir); !slices.Equal(got, names) {
		t.Errorf("got %q in the directory, want %q", got, names)
	}
}

// generation identifies the tree at path.
func generation(t testing.TB, path string) string {
	t.Helper()
	found := snapshot(t, path)
	switch {
	case len(found) == 0:
		return "absent"
	case maps.Equal(found, oldTree):
		return "old"
	case maps.Equal(found, newTree):
		return "new"
	}
	return fmt.Sprintf("neither: %q", slices.Sorted(maps.Keys(found)))
}

// wantGeneration fails the test unless this tree is at path.
func wantGeneration(t testing.TB, path, want string) {
	t.Helper()
	if got := generation(t, path); got != want {
		t.Errorf("the directory is %s, want %s", got, want)
	}
}
