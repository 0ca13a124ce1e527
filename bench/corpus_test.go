// Package bench contains the benchmarks of builds, answers and the selection. They
// generate their corpora, which are always the same.
//
//	go test ./bench -run '^$' -bench . -count 10 | tee bench.txt
//	go tool -modfile=tools/go.mod benchstat -col /jobs bench.txt
//
// Absolute times depend on the machine, so compare ratios within a run. Module
// bench/programs measures whole programs.
package bench

import (
	"path/filepath"
	"testing"

	"github.com/contextcompiler/context/bench/corpus"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// writeCorpus writes docs pages, and returns their directory and their total size.
func writeCorpus(b *testing.B, docs int) (dir string, size int64) {
	b.Helper()
	dir = b.TempDir()
	size, err := corpus.Write(dir, docs)
	if err != nil {
		b.Fatal(err)
	}
	return dir, size
}

// buildCache compiles a corpus of docs pages and opens the cache.
func buildCache(b *testing.B, docs int, by selection.Spec) (path string, size int64) {
	b.Helper()
	dir, size := writeCorpus(b, docs)
	path = filepath.Join(b.TempDir(), "cache")
	if _, err := pipeline.Build(b.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: dir}}, Cache: path, Selection: by}); err != nil {
		b.Fatal(err)
	}
	return path, size
}

// open opens the cache at path until the benchmark ends.
func open(b *testing.B, path string) *answers.Cache {
	b.Helper()
	c, err := answers.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	return c
}
