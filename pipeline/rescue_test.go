package pipeline_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/stages"
)

// A bug that some pages set off names these pages, and --skip-invalid builds all others.
func TestAPanicOnlyCostsItsPage(t *testing.T) {
	dir := t.TempDir()
	pages := map[string]string{"a.md": "# A\n\ntea\n", "b.html": "<h1>B</h1><p>tea</p>", "c.md": "# C\n", "d.html": "<h1>D</h1><p>tea</p>"}
	trees.WriteTree(t, filepath.Join(dir, "docs"), pages)
	maps.DeleteFunc(pages, func(path, _ string) bool { return path == "b.html" || path == "d.html" })
	trees.WriteTree(t, filepath.Join(dir, "rest"), pages)
	build := func(docs string, jobs int, skipInvalid bool, at pipeline.Stage) (pipeline.Config, pipeline.Report, error) {
		cfg := pipeline.Config{
			Sources: []pipeline.Mount{{Dir: filepath.Join(dir, docs), Extensions: []string{"md", "html"}}},
			Cache:   filepath.Join(dir, fmt.Sprintf("%s-%d-%s", docs, jobs, at)), Jobs: jobs, SkipInvalid: skipInvalid, Force: true,
			Observer: func(e pipeline.Event) {
				if e.Stage == at && strings.HasSuffix(e.Source, ".html") {
					panic("oops in " + string(at))
				}
			},
		}
		report, err := pipeline.Build(t.Context(), cfg)
		return cfg, report, err
	}
	rest, _, err := build("rest", 1, false, "")
	if err != nil {
		t.Fatal(err)
	}
	want := trees.ReadTree(t, rest.Cache)
	for _, at := range []pipeline.Stage{pipeline.Read, pipeline.Convert, pipeline.Parse, pipeline.Normalize, pipeline.Hash, pipeline.Index} {
		var messages []string
		for _, jobs := range []int{1, 4} {
			_, _, err := build("docs", jobs, false, at)
			message := fmt.Sprint(err)
			messages = append(messages, message)
			if fault.CodeOf(err) != fault.IO || !strings.HasPrefix(message, "sources "+stages.ErrUnconvertible.Error()+": b.html: panic: oops in "+string(at)+" (in pipeline_test.") || !strings.Contains(message, "; d.html: panic: ") {
				t.Errorf("%s, %d jobs: got %v", at, jobs, err)
			}
			cfg, report, err := build("docs", jobs, true, at)
			if err != nil {
				t.Errorf("%s, %d jobs: got %v", at, jobs, err)
				continue
			}
			texts := strings.Join(textsOf(report.Warnings), "\n")
			if len(report.Warnings) != 2 || !strings.Contains(texts, "b.html: panic: oops") || strings.Count(texts, ", so it is skipped") != 2 {
				t.Errorf("%s, %d jobs: got the warnings %q", at, jobs, report.Warnings)
			}
			if got := trees.ReadTree(t, cfg.Cache); !maps.Equal(got, want) {
				t.Errorf("%s, %d jobs: got another cache than without the pages", at, jobs)
			}
		}
		if messages[0] != messages[1] {
			t.Errorf("%s: got %q and, with 4 jobs, %q", at, messages[0], messages[1])
		}
	}
	// Half of the page can be written already, so nothing may be published.
	if _, _, err := build("docs", 1, true, pipeline.Write); fault.CodeOf(err) != fault.Internal || !strings.HasPrefix(fmt.Sprint(err), "b.html: panic: oops in write") {
		t.Errorf("got %v for a panic while writing", err)
	}
}
