package bench

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/bench/corpus"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

var sizes = []int{100, 1000, 5000}

func someJobs() []int { return slices.Compact([]int{1, runtime.GOMAXPROCS(0)}) }

// Every build makes a new directory. The run never deletes them, because
// deleting thousands of files slows down making the next ones.
func BenchmarkBuild(b *testing.B) {
	for _, docs := range sizes {
		dir, size := writeCorpus(b, docs)
		for _, jobs := range someJobs() {
			b.Run(fmt.Sprintf("docs=%d/jobs=%d", docs, jobs), func(b *testing.B) {
				out := b.TempDir()
				b.SetBytes(size)
				b.ReportAllocs()
				runs := 0
				for b.Loop() {
					runs++
					cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: dir}}, Cache: filepath.Join(out, fmt.Sprint(runs)), Jobs: jobs, Selection: selection.Spec0}
					if _, err := pipeline.Build(b.Context(), cfg); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(docs*runs)/b.Elapsed().Seconds(), "docs/s")
			})
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	query, err := selection.ParseQuery(corpus.Question(0))
	if err != nil {
		b.Fatal(err)
	}
	for _, docs := range sizes {
		path, _ := buildCache(b, docs, selection.Spec0)
		for _, by := range []struct{ name, path string }{{"index", path}, {"stream", trees.CopyWithoutIndex(b, path)}} {
			c := open(b, by.path)
			for _, budget := range []uint64{0, 4_000, 100_000} {
				b.Run(fmt.Sprintf("by=%s/docs=%d/budget=%d", by.name, docs, budget), func(b *testing.B) {
					b.ReportAllocs()
					request := selection.Request{Query: query, Budget: budget}
					for b.Loop() {
						if err := c.Resolve(b.Context(), request, io.Discard); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	for _, docs := range sizes {
		path, size := buildCache(b, docs, selection.Spec0)
		c := open(b, path)
		b.Run(fmt.Sprintf("docs=%d", docs), func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Verify(b.Context(), 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// These are the stages of a build that don't touch the disk.
func BenchmarkStages(b *testing.B) {
	text := stages.Text{Source: sources.Source{ID: "a.md", Path: "a.md"}, Content: []byte(corpus.Page(1))}
	tree := stages.Parse(text)
	draft := stages.Normalize(tree)
	for _, stage := range []struct {
		name string
		run  func()
	}{
		{"parse", func() { stages.Parse(text) }},
		{"normalize", func() { stages.Normalize(tree) }},
		{"hash", func() { stages.Hash(draft) }},
	} {
		b.Run("stage="+stage.name, func(b *testing.B) {
			b.SetBytes(int64(len(text.Content)))
			b.ReportAllocs()
			for b.Loop() {
				stage.run()
			}
		})
	}
}

// Each text is Markdown that parsers are slow for. Its MB/s should not depend on its
// size.
func BenchmarkHostileMarkdown(b *testing.B) {
	for _, part := range []string{"> ", "- ", "[a]("} {
		for _, size := range []int{10_000, 1_000_000} {
			content := []byte(strings.Repeat(part, size/len(part)))
			b.Run(fmt.Sprintf("text=%s/size=%d", strings.TrimSpace(part), size), func(b *testing.B) {
				b.SetBytes(int64(len(content)))
				for b.Loop() {
					stages.Parse(stages.Text{Content: content})
				}
			})
		}
	}
}
