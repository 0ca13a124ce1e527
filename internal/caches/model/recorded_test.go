package model_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/caches/model"
)

// The model reads the contract in the same way as another implementation, whose caches and answers
// are recorded in testdata/caches/recorded.
func TestTheModelMakesTheRecordedCachesAndAnswers(t *testing.T) {
	for _, name := range []string{"small", "wide"} {
		dir := os.DirFS(filepath.Join("../../../testdata/caches/recorded", name))
		var manifest struct {
			CreatedAt string `json:"created_at"`
		}
		decode(t, dir, "cache/manifest.json", &manifest)
		sources := markdownIn(t, dir, "docs")
		files, err := model.Build(sources, manifest.CreatedAt)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"manifest.json", "index.json"} {
			if want := read(t, dir, "cache/"+file); files[file] != want {
				t.Errorf("%s: %s: got\n%s\nwant\n%s", name, file, files[file], want)
			}
		}
		var answers []struct {
			Query, Format, Stdout string
			Budget                uint64
		}
		decode(t, dir, "resolve.json", &answers)
		for _, a := range answers {
			if got := model.Resolve(sources, a.Query, a.Budget, a.Format == "pretty"); got != a.Stdout {
				t.Errorf("%s: query %q, budget %d:\n got %s\nwant %s", name, a.Query, a.Budget, got, a.Stdout)
			}
		}
	}
}

// markdownIn returns the contents of the Markdown files below root by path.
func markdownIn(t *testing.T, dir fs.FS, root string) map[string]string {
	t.Helper()
	sources := map[string]string{}
	err := fs.WalkDir(dir, root, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			sources[strings.TrimPrefix(path, root+"/")] = read(t, dir, path)
		}
		return err
	})
	if err != nil || len(sources) == 0 {
		t.Fatalf("got %d sources: %v", len(sources), err)
	}
	return sources
}

func decode(t *testing.T, dir fs.FS, path string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, dir, path)), into); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir fs.FS, path string) string {
	t.Helper()
	data, err := fs.ReadFile(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
