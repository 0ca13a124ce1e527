package answers_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// The fields and their counts must match the documents, with and without an index, even
// if pages consist of several sections.
func TestFieldsAreCountedByPages(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("k", 245)
	trees.WriteTree(t, filepath.Join(dir, "docs"), map[string]string{
		"a.md": "---\ntags: [x, Y]\nTopic: guide\n---\n# A\n\nText.\n\n# B\n\n" + strings.Repeat("More text. ", 500),
		"b.md": "---\ntags: X\ntopic: Guide\n" + long + ": too long\n---\n# A\n", "c.md": "No title.",
	})
	want := []string{"tags=x 2", "tags=x, y 1", "tags=y 1", "title=a 2", "topic=guide 2"}
	for _, spec := range []selection.Spec{selection.Spec0, selection.Spec1} {
		cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, "cache"+string(spec)), Selection: spec}
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{cfg.Cache, trees.CopyWithoutIndex(t, cfg.Cache)} {
			c, err := answers.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			var got []string
			err = c.EachField(t.Context(), func(field string, pages int) error {
				got = append(got, fmt.Sprint(field, " ", pages))
				return nil
			})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
			}
			for _, field := range got {
				field = field[:strings.LastIndex(field, " ")]
				found, err := answers.EachDocument(t.Context(), c, selection.Filter{Where: []string{field}}, 1, func(n int, _ document.Document) (int, error) { return n, nil })
				if err != nil || !slices.Contains(want, fmt.Sprint(field, " ", len(found))) {
					t.Errorf("%s: a filter for %s allows %d pages, %v", path, field, len(found), err)
				}
			}
			wrong := errors.New("wrong")
			if err := c.EachField(t.Context(), func(string, int) error { return wrong }); err != wrong {
				t.Errorf("%s: got %v, want %v", path, err, wrong)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if err := c.EachField(ended, func(string, int) error { return nil }); err != context.Canceled {
				t.Errorf("%s: got %v, want the end of the context", path, err)
			}
		}
	}
}
