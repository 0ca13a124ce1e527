package pipeline_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// A workshop is a tree of sources and a cache that is rebuilt from them again and again.
type workshop struct {
	*rapid.T
	dir       string
	sources   map[string]string // by path
	createdAt string
	selection int  // supported by the cache
	keeps     bool // a build with Force finds the selection in the cache
	about     document.About
}

// Regardless of any changes to the sources and the cache in between, a rebuild produces
// exactly the same cache as a clean build. It writes only if the cache differs, and
// Check predicts whether it does.
func TestRebuildsMakeWhatCleanBuildsMake(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		w := &workshop{T: rt, dir: dir, sources: trees.DrawSources(rt), createdAt: cache.Epoch}
		w.selection = rapid.IntRange(0, 1).Draw(rt, "selection")
		for path := range w.sources {
			w.write(path)
		}
		if err := os.MkdirAll(w.path("docs"), 0o777); err != nil {
			rt.Fatal(err)
		}
		w.rebuild()
		for range rapid.IntRange(1, 6).Draw(rt, "rounds") {
			for range rapid.IntRange(0, 3).Draw(rt, "edits") {
				edit := rapid.SampledFrom([]func(*workshop){
					(*workshop).add, (*workshop).change, (*workshop).remove, (*workshop).copy,
					(*workshop).recase, (*workshop).redate, (*workshop).damage,
					(*workshop).lengthen, (*workshop).switchSelection, (*workshop).describe,
				}).Draw(rt, "edit")
				edit(w)
			}
			w.rebuild()
		}
	})
}

func (w *workshop) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *workshop) write(source string) {
	path := w.path("docs/" + source)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(w.sources[source]), 0o666); err != nil {
		w.Fatal(err)
	}
}

// drawSource returns one of the sources, or "" if there are none.
func (w *workshop) drawSource() string {
	if len(w.sources) == 0 {
		return ""
	}
	return rapid.SampledFrom(slices.Sorted(maps.Keys(w.sources))).Draw(w.T, "source")
}

func (w *workshop) add() {
	path := rapid.SampledFrom(trees.Names).Draw(w.T, "name") + "-added.md"
	for other := range w.sources {
		if document.IDOf(other) == document.IDOf(path) {
			return
		}
	}
	w.sources[path] = trees.DrawText(12).Draw(w.T, "text")
	w.write(path)
}

func (w *workshop) change() {
	if source := w.drawSource(); source != "" {
		// The front matter is broken, so the build must repeat a warning.
		w.sources[source] = "---\na: [\n---\n" + trees.DrawText(12).Draw(w.T, "text")
		w.write(source)
	}
}

func (w *workshop) remove() {
	if source := w.drawSource(); source != "" {
		delete(w.sources, source)
		os.Remove(w.path("docs/" + source))
	}
}

// copy gives a source the content of another source, so that they compete for names.
func (w *workshop) copy() {
	if from, to := w.drawSource(), w.drawSource(); from != "" {
		w.sources[to] = w.sources[from]
		w.write(to)
	}
}

// recase changes a path, but not its ID.
func (w *workshop) recase() {
	source := w.drawSource()
	renamed := source
	if i := strings.IndexAny(source, "Baxy"); i >= 0 {
		other := map[byte]string{'B': "b", 'a': "A", 'x': "X", 'y': "Y"}[source[i]]
		renamed = source[:i] + other + source[i+1:]
	}
	if renamed != source {
		w.sources[renamed] = w.sources[source]
		delete(w.sources, source)
		os.Remove(w.path("docs/" + source))
		w.write(renamed)
	}
}

func (w *workshop) redate() {
	w.createdAt = rapid.SampledFrom([]string{cache.Epoch, "2026-01-02T03:04:05Z"}).Draw(w.T, "created at")
}

// lengthen makes a source long enough for several sections.
func (w *workshop) lengthen() {
	source := w.drawSource()
	if source == "" {
		return
	}
	var page strings.Builder
	for _, text := range rapid.SliceOfN(trees.DrawText(12), 2, 4).Draw(w.T, "sections") {
		page.WriteString("\n\n## " + text + "\n\n" + strings.Repeat("Section "+text+"\n", 60))
	}
	w.sources[source] = page.String()
	w.write(source)
}

func (w *workshop) switchSelection() { w.selection, w.keeps = 1-w.selection, false }

func (w *workshop) describe() {
	w.about = rapid.SampledFrom([]document.About{
		{},
		{Description: "Docs"},
		{Description: "docs"},
		{BaseURL: "https://example.com/"},
		{Description: "Docs", BaseURL: "https://example.com/"},
		{Product: document.Product{Name: "next", Version: "16"}},
		{Product: document.Product{Name: "next"}},
	}).Draw(w.T, "about")
}

// damage changes a byte of a file in the cache, cuts the file, removes it, or replaces
// it. It leaves the manifest and uses only names that caches use, because builds refuse
// to replace any other directory.
func (w *workshop) damage() {
	w.keeps = false // because the manifest and the index may be damaged
	files := slices.Sorted(maps.Keys(trees.ReadTree(w.T, w.path("cache"))))
	name := rapid.SampledFrom(append(files, "documents/0123456789ab.json")).Draw(w.T, "file")
	data, _ := os.ReadFile(w.path("cache/" + name))
	switch how := rapid.IntRange(0, 2).Draw(w.T, "damage"); {
	case len(data) == 0:
		data = []byte("{}")
	case how == 0:
		data[rapid.IntRange(0, len(data)-1).Draw(w.T, "byte")] ^= 1
	case how == 1:
		data = data[:rapid.IntRange(0, len(data)-1).Draw(w.T, "length")]
	case name != "manifest.json":
		os.Remove(w.path("cache/" + name))
		return
	}
	// Write a new file, because the old file may be a hard link from another cache.
	os.Remove(w.path("cache/" + name))
	if err := os.WriteFile(w.path("cache/"+name), data, 0o666); err != nil {
		w.Fatal(err)
	}
}

// rebuild checks the cache, builds it again, and compares it with a clean build.
func (w *workshop) rebuild() {
	before := trees.ReadTree(w.T, w.path("cache"))
	cfg := pipeline.Config{
		AllowEmpty: true, About: w.about,
		Sources: []pipeline.Mount{{Dir: w.path("docs")}}, Cache: w.path("cache"), CreatedAt: w.createdAt,
		Selection: selection.SpecOf(w.selection), Force: true, Jobs: rapid.SampledFrom([]int{1, 2, 8}).Draw(w.T, "jobs"),
	}
	if w.keeps && rapid.Bool().Draw(w.T, "keep the selection") {
		cfg.Selection = ""
	}
	w.keeps = true
	w.compareCheck(cfg, before)
	report, err := pipeline.Build(w.Context(), cfg)
	if err != nil {
		w.Fatal(err)
	}
	got := trees.ReadTree(w.T, cfg.Cache)
	clean, cleanReport := w.buildClean(w.createdAt)
	if !maps.Equal(got, clean) {
		w.Fatalf("got files %q, want %q, or some with other bytes", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(clean)))
	}
	if want := selection.SpecOf(w.selection); report.Selection != want {
		w.Errorf("selection: got %q, want %q", report.Selection, want)
	}
	if want := !maps.Equal(before, clean); report.Written != want {
		w.Errorf("written: got %v, want %v", report.Written, want)
	}
	if !slices.Equal(report.Warnings, cleanReport.Warnings) {
		w.Errorf("got warnings %q, want %q", report.Warnings, cleanReport.Warnings)
	}
}

// compareCheck makes sure that Check changes nothing and reports correctly whether
// before, the files of the cache, equal the files of a new build.
func (w *workshop) compareCheck(cfg pipeline.Config, before map[string]string) {
	everything := trees.ReadTree(w.T, w.dir)
	compared, err := pipeline.Check(w.Context(), cfg)
	if !maps.Equal(trees.ReadTree(w.T, w.dir), everything) {
		w.Error("Check wrote something")
	}
	if err != nil {
		_, exists := before["manifest.json"]
		if code := fault.CodeOf(err); code != fault.CacheMissing && (code != fault.CacheInvalid || !exists) {
			w.Errorf("check: got %v", err)
		}
		return
	}
	createdAt := w.createdAt
	if at := strings.Index(before["manifest.json"], `"created_at": "`); at >= 0 {
		found := before["manifest.json"][at+len(`"created_at": "`):][:len(cache.Epoch)]
		if _, err := time.Parse(time.RFC3339, found); err == nil { // a bad time is damage
			createdAt = found
		}
	}
	if want := selection.SpecOf(w.selection); compared.Wanted != want {
		w.Errorf("wanted selection: got %q, want %q", compared.Wanted, want)
	}
	clean, _ := w.buildClean(createdAt)
	if got, want := compared.IsUpToDate(), maps.Equal(before, clean); got != want {
		w.Errorf("up to date: got %v, want %v (%+v)", got, want, compared)
	}
}

// buildClean builds a cache where none exists yet.
func (w *workshop) buildClean(createdAt string) (map[string]string, pipeline.Report) {
	path := filepath.Join(w.dir, "clean")
	report, err := pipeline.Build(w.Context(), pipeline.Config{
		Sources: []pipeline.Mount{{Dir: w.path("docs")}}, Cache: path, CreatedAt: createdAt, Selection: selection.SpecOf(w.selection), About: w.about,
	})
	if err != nil {
		w.Fatal(err)
	}
	defer os.RemoveAll(path)
	return trees.ReadTree(w.T, path), report
}
