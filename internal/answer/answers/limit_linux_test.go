package answers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/selection"
)

// A call can take many caches, so each must keep few files open.
func TestAnOpenCacheKeepsFourFilesOpen(t *testing.T) {
	dir := t.TempDir()
	trees.WriteTree(t, filepath.Join(dir, "docs"), map[string]string{"a.md": "# Install\n"})
	build(t, filepath.Join(dir, "docs"), filepath.Join(dir, "cache"), selection.Spec1)
	open(t, filepath.Join(dir, "cache")) // opens files that the runtime keeps
	before := filesOpen(t)
	open(t, filepath.Join(dir, "cache"))
	if got := filesOpen(t) - before; got != 4 {
		t.Errorf("got %d, want 4", got)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	low := limit
	low.Cur = uint64(filesOpen(t)) // is one too high while it counts
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	_, err := answers.Open(filepath.Join(dir, "cache"))
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if err == nil || fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), "each cache needs 4") {
		t.Errorf("got %v", err)
	}
}

func filesOpen(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
