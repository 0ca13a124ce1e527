//go:build unix

package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func makePipe(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
}

// A command must be able to end even if the writer of its pipe stays silent.
func TestReadingAPipeEndsWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	makePipe(t, path)
	writer, err := os.OpenFile(path, os.O_RDWR, 0) // does not wait for a reader
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if data, err := ReadInput(ctx, path, 8); !errors.Is(err, context.Canceled) {
		t.Errorf("got %q, %v, want %v", data, err, context.Canceled)
	}
}
