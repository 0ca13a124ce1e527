package pipeline_test

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// testdata/caches/v1 was made once from testdata/corpus and must never be made again. If
// a build differs by a single byte, the format has changed.
const (
	frozenCorpus = "../testdata/corpus"
	frozenCache  = "../testdata/caches/v1"
)

func TestABuildMakesTheFrozenCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: frozenCorpus}}, Cache: path, Selection: selection.Spec0}); err != nil {
		t.Fatal(err)
	}
	got, want := trees.ReadTree(t, trees.CopyWithoutIndex(t, path)), trees.ReadTree(t, frozenCache)
	if got, want := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		t.Fatalf("got files %q, want %q", got, want)
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: got %q, want %q", name, got[name], want[name])
		}
	}
}

func TestTheFrozenCacheIsValid(t *testing.T) {
	v, err := verify.Path(t.Context(), frozenCache, 0)
	if err != nil || v.Err() != nil {
		t.Errorf("got %v, %v", err, v.Err())
	}
}
