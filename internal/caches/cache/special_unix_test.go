//go:build unix

package cache

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/contextcompiler/context/fault"
)

func makePipe(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNoDirectoryIsNoCache(t *testing.T) {
	base := t.TempDir()
	file, pipe, socket := filepath.Join(base, "file"), filepath.Join(base, "pipe"), filepath.Join(base, "s")
	if err := os.WriteFile(file, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	makePipe(t, pipe)
	paths := []string{
		file, pipe, "/dev/null", filepath.Join(file, "cache"), filepath.Join(pipe, "cache"),
		filepath.Join(base, "nothing"), filepath.Join(base, "nothing", "cache"), filepath.Join(base, "nul\x00"), "",
	}
	if listener, err := net.Listen("unix", socket); err == nil { // fails if the path is too long
		defer listener.Close()
		paths = append(paths, socket)
	}
	for _, target := range []string{"file", "pipe", "nothing", "loop"} {
		link := filepath.Join(base, "link to "+target)
		if target == "loop" {
			target = filepath.Base(link)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, link)
	}
	dir, err := os.OpenRoot(base)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	for _, path := range paths {
		wantMissing(t, path, "Open", func() (*Files, error) { return Open(path) })
		if name, err := filepath.Rel(base, path); err == nil {
			wantMissing(t, path, "OpenIn", func() (*Files, error) { return OpenIn(dir, name) })
		}
	}
}

func wantMissing(t *testing.T, path, how string, open func() (*Files, error)) {
	t.Helper()
	c, err := open()
	if err == nil {
		c.Close()
	}
	if err == nil || fault.CodeOf(err) != fault.CacheMissing {
		t.Errorf("%s: %s: got %v, want %v", path, how, err, fault.CacheMissing)
	}
}

// If anything else is in the place of a file or directory of the cache, it is reported.
// It is neither followed nor waited for: none of the pipes here has a writer.
func TestWhatIsNoRegularFileIsFoundAndNotFollowed(t *testing.T) {
	tree := treeOf(t, oldDocuments)
	document := manifestOf(oldDocuments).Documents[0].File
	outside := t.TempDir()
	restore(t, outside, tree)
	for kind, put := range map[string]func(path, name string) error{
		"pipe":              func(path, _ string) error { return syscall.Mkfifo(path, 0o666) },
		"symlink":           func(path, name string) error { return os.Symlink(filepath.Join(outside, name), path) },
		"symlink to itself": func(path, _ string) error { return os.Symlink(filepath.Base(path), path) },
		"directory":         func(path, _ string) error { return os.Mkdir(path, 0o777) },
		"nothing":           func(string, string) error { return nil },
	} {
		for _, name := range []string{ManifestPath, fileListName, DocumentsDir, document} {
			if kind == "directory" && name == DocumentsDir {
				continue
			}
			path := filepath.Join(t.TempDir(), "cache")
			restore(t, path, tree)
			at := filepath.Join(path, filepath.FromSlash(name))
			if err := os.RemoveAll(at); err != nil {
				t.Fatal(err)
			}
			if err := put(at, name); err != nil {
				t.Fatal(err)
			}
			wantFound(t, path, kind, name)
		}
	}
}

// wantFound fails the test unless opening or checking the cache at path reports damage
// of the file with this name.
func wantFound(t *testing.T, path, kind, name string) {
	c, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	m, err := c.UncheckedManifest()
	if name == ManifestPath {
		if f := ManifestFinding(err); f == nil || f.Code != ManifestMissing {
			t.Errorf("%s in place of %s: got %v, %v, want %s", kind, name, f, err, ManifestMissing)
		}
		return
	}
	if err != nil {
		t.Errorf("%s in place of %s: %v", kind, name, err)
		return
	}
	if name == fileListName {
		if found, err := c.CheckFileList(m); err != nil || len(found) != 1 || found[0].Code != FileListMissing {
			t.Errorf("%s in place of %s: got %v, %v, want %s", kind, name, found, err, FileListMissing)
		}
		return
	}
	if _, _, f, err := c.NewReader().Check(m.Documents[0]); err != nil || f == nil || f.Code != DocumentMissing {
		t.Errorf("%s in place of %s: got %v, %v, want %s", kind, name, f, err, DocumentMissing)
	}
}
