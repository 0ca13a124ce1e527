package pipeline_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// A reader can find every document knowing only JSON: the paths in manifest.json and
// index.json lead to existing files if they are joined to the path of the cache.
func TestEveryPathInManifestAndIndexIsAFile(t *testing.T) {
	work := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir := filepath.Join(work, rapid.StringMatching(`[a-z]{16}`).Draw(rt, "directory"))
		sources := trees.DrawSources(rt)
		trees.WriteTree(t, filepath.Join(dir, "docs"), sources)
		cfg := pipeline.Config{
			Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, "cache"), Force: true,
			Selection: selection.SpecOf(rapid.IntRange(0, 1).Draw(rt, "selection")),
		}
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			rt.Fatal(err)
		}
		files := trees.ReadTree(t, cfg.Cache)

		var manifest struct{ Documents []struct{ ID, File string } }
		index := map[string]string{}
		if err := json.Unmarshal([]byte(files["manifest.json"]), &manifest); err != nil {
			rt.Fatal(err)
		}
		if err := json.Unmarshal([]byte(files["index.json"]), &index); err != nil {
			rt.Fatal(err)
		}
		if len(manifest.Documents) != len(sources) || len(index) != len(sources) {
			rt.Fatalf("got %d documents in the manifest and %d in the index, want %d", len(manifest.Documents), len(index), len(sources))
		}
		for _, d := range manifest.Documents {
			if index[d.ID] != d.File {
				rt.Errorf("%s: the index says %q, the manifest %q", d.ID, index[d.ID], d.File)
			}
			var document struct{ ID string }
			if err := json.Unmarshal([]byte(files[d.File]), &document); err != nil || document.ID != d.ID {
				rt.Errorf("%s: %q holds %q, %v", d.ID, d.File, document.ID, err)
			}
			delete(files, d.File)
		}
		for name := range files {
			if strings.HasPrefix(name, "documents/") {
				rt.Errorf("%s is in no manifest", name)
			}
		}
	})
}
