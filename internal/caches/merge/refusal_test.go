package merge

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/stages"
)

// emptyCache makes a cache by a compiler, without documents.
func emptyCache(t *testing.T, compiler string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "cache")
	w, err := cache.Create(path, cache.CreateOptions{Recipe: cache.Recipe{Compiler: compiler, Selection: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, _, err := w.Seal(t.Context(), nil, cache.Epoch); err != nil {
		t.Fatal(err)
	}
	return path
}

// A cache of another version is refused by its path and both versions.
func TestCachesOfAnotherCompilerAreRefused(t *testing.T) {
	own, other, unknown := emptyCache(t, stages.Versions), emptyCache(t, "parse 0"), emptyCache(t, "")
	for path, want := range map[string]string{
		other:   other + " was made by another version of this program (parse 0 instead of " + stages.Versions + "): build it again",
		unknown: unknown + " doesn't say which version made it",
	} {
		made := filepath.Join(t.TempDir(), "new")
		_, err := Caches(t.Context(), Plan{Inputs: []Input{{Path: own}, {Path: path, Prefix: "a"}}, Cache: made})
		if err == nil || fault.CodeOf(err) != fault.CacheInvalid || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if isOther := path == other; isOther != errors.Is(err, ErrOther) {
			t.Errorf("got %v, want %v: %t", err, ErrOther, isOther)
		}
		if _, err := os.Lstat(made); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v, want no cache", err)
		}
	}
}
