package registry

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/contextcompiler/context/internal/files"
)

// Several first pushes to a layout take turns, so they must agree on the lock before one of them makes anything
// else. A push that is killed earlier leaves a directory that the next push accepts.
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
