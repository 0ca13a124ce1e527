package files

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// open makes a directory with a file of 5 bytes and returns its root.
func open(t *testing.T) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "file"), []byte("12345"), 0o666), os.Mkdir(filepath.Join(dir, "sub"), 0o777)); err != nil {
		t.Fatal(err)
	}
	root, err := OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, root
}

func TestReadPlainIsBounded(t *testing.T) {
	_, root := open(t)
	for limit, want := range map[int64]error{4: ErrTooLarge, 5: nil, 6: nil} {
		data, err := ReadPlain(root, "file", nil, limit)
		if !errors.Is(err, want) || want == nil && string(data) != "12345" {
			t.Errorf("at most %d bytes: got %q, %v, want %v", limit, data, err, want)
		}
	}
}

func TestReadUsesTheMemoryOfTheBuffer(t *testing.T) {
	_, root := open(t)
	buf := make([]byte, 0, 8)
	data, err := ReadPlain(root, "file", buf, 8)
	if err != nil || string(data) != "12345" || !bytes.Equal(buf[:5], data) {
		t.Errorf("got %q, %v, and %q in the buffer", data, err, buf[:5])
	}
}

// A file can become shorter after its size is known.
func TestReadStopsAtTheEnd(t *testing.T) {
	_, root := open(t)
	f, _, err := OpenPlain(root, "file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if data, err := Read(f, nil, 9); err != nil || string(data) != "12345" {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestOnlyRegularFilesAndDirectoriesOpen(t *testing.T) {
	dir, root := open(t)
	for name, target := range map[string]string{"to-file": "file", "to-sub": "sub", "out": "../file", "nowhere": "x"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no symlinks here: ", err)
		}
	}
	makePipe(t, filepath.Join(dir, "pipe"))
	for _, tc := range []struct {
		name              string
		file, plain, root bool
	}{
		{"file", true, true, false},
		{"sub", false, false, true},
		{"to-file", true, false, false},
		{"to-sub", false, false, false},
		{"out", false, false, false},
		{"nowhere", false, false, false},
		{"pipe", false, false, false},
		{"nothing", false, false, false},
	} {
		f, _, err := Open(root, tc.name)
		if f.Close(); (err == nil) != tc.file {
			t.Errorf("%s: Open: got %v, want a file: %v", tc.name, err, tc.file)
		}
		f, _, err = OpenPlain(root, tc.name)
		if f.Close(); (err == nil) != tc.plain {
			t.Errorf("%s: OpenPlain: got %v, want a file: %v", tc.name, err, tc.plain)
		}
		sub, err := OpenPlainRoot(root, tc.name)
		if (sub != nil) != tc.root || err != nil {
			t.Errorf("%s: OpenPlainRoot: got %v, %v, want a directory: %v", tc.name, sub, err, tc.root)
		}
		if sub != nil {
			sub.Close()
		}
	}
	for _, name := range []string{"file", "pipe", "to-file"} {
		if _, err := OpenRoot(filepath.Join(dir, name)); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%s: OpenRoot: got %v, want %v", name, err, syscall.ENOTDIR)
		}
		if _, err := OpenRootIn(root, name); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%s: OpenRootIn: got %v, want %v", name, err, syscall.ENOTDIR)
		}
	}
	if _, err := OpenRoot(filepath.Join(dir, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenRoot: got %v, want %v", err, fs.ErrNotExist)
	}
}

// The types must come from the directory itself: nothing in it is followed.
func TestReadDirListsTypesAndStaysInside(t *testing.T) {
	dir, root := open(t)
	want := map[string]fs.FileMode{"file": 0, "sub": fs.ModeDir}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "out")); err == nil {
		want["out"] = fs.ModeSymlink
		if entries, err := ReadDir(root, "out"); err == nil {
			t.Errorf("a directory outside of the root lists %v", entries)
		}
	}
	entries, err := ReadDir(root, ".")
	got := map[string]fs.FileMode{}
	for _, e := range entries {
		got[e.Name()] = e.Type()
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if entries, err := ReadDir(root, "sub"); err != nil || len(entries) > 0 {
		t.Errorf("got %v, %v for an empty directory", entries, err)
	}
	if _, err := ReadDir(root, "nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, fs.ErrNotExist)
	}
}
