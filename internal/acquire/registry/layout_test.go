package registry

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gofrs/flock"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/replace"
)

// Several first pushes to a layout take turns, so they must agree on the lock before one of them
// makes anything else. A push that is killed earlier leaves a directory that the next push accepts.
func TestALayoutBeginsWithItsLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "layout")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	other := flock.New(filepath.Join(dir, ocispec.ImageLayoutFile))
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := createLayout(ctx, dir); err == nil {
		t.Error("a push went ahead while another push had the lock")
	}
	found, err := files.Entries(dir)
	if err != nil || len(found) != 1 {
		t.Errorf("expected the lock alone, got %v, %v", found, err)
	}
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	l, err := createLayout(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if l, err = openLayout(dir); err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// A push that is killed, or fails on a full disk, must not leave a layout that others cannot read,
// and the next push removes what it left.
func TestALayoutIsMarkedWholeOrNotAtAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "layout")
	blobs := filepath.Join(dir, "blobs", "sha256")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".oci-layout.context-newABC"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l, err := createLayout(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		if text, err := os.ReadFile(filepath.Join(dir, ocispec.ImageLayoutFile)); string(text) != `{"imageLayoutVersion":"1.0.0"}` {
			t.Errorf("got %q, %v", text, err)
		}
		if found, err := files.Entries(dir); err != nil || len(found) != 2 {
			t.Errorf("got %v, %v, want only the marker and blobs", found, err)
		}
		if found, err := files.Entries(blobs); err != nil || len(found) != 0 {
			t.Errorf("got %v, %v", found, err)
		}
		if err := os.WriteFile(filepath.Join(blobs, ".abc.context-new"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A fullDisk has no room for files.
type fullDisk struct{ replace.System }

func (fullDisk) StreamFile(path string, _ func(io.Writer) error) error {
	return &fs.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}
}

func TestAPullOntoAFullDiskNamesThePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "entry")
	entry, err := replace.Begin(path, replace.Options{Admit: func(string) error { return nil }, Disk: fullDisk{}})
	if err != nil {
		t.Fatal(err)
	}
	defer entry.Close()
	into := unpacker{entry: entry, packed: PackedCache{DocumentCount: 1}}
	err = into.visitorOf(0)("manifest.json", 0, strings.NewReader(""))
	if fault.CodeOf(err) != fault.IO || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want %v at %s", err, syscall.ENOSPC, path)
	}
}
