package answers_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

func TestEachDocumentVisitsWhatTheFilterAllows(t *testing.T) {
	dir := t.TempDir()
	trees.WriteTree(t, filepath.Join(dir, "docs"), map[string]string{
		"a.md": "---\ntags: [x, y]\n---\nA", "B/b.md": "---\ntags: x\n---\nB", "B/c.md": "C", "d.md": "D",
	})
	cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, "cache")}
	if _, err := pipeline.Build(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{cfg.Cache, trees.CopyWithoutIndex(t, cfg.Cache)} {
		c, err := answers.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if ids, err := c.Documents(); err != nil || !slices.Equal(ids, []document.ID{"a.md", "b/b.md", "b/c.md", "d.md"}) {
			t.Errorf("got IDs %q, %v", ids, err)
		}
		for _, test := range []struct {
			filter selection.Filter
			want   []string
		}{
			{selection.Filter{}, []string{"0 a.md", "1 B/b.md", "2 B/c.md", "3 d.md"}},
			{selection.Filter{Paths: []string{"b/"}}, []string{"1 B/b.md", "2 B/c.md"}},
			{selection.Filter{Paths: []string{"!b/c.md"}, Where: []string{"tags=X"}}, []string{"0 a.md", "1 B/b.md"}},
			{selection.Filter{Where: []string{"tags=x", "tags=y", "tags=x"}}, []string{"0 a.md"}},
			{selection.Filter{Where: []string{"tags=z"}}, nil},
		} {
			got, err := answers.EachDocument(t.Context(), c, test.filter, 2, func(n int, doc document.Document) (string, error) {
				return fmt.Sprint(n, " ", doc.Source), nil
			})
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("%+v: got %q, %v, want %q", test.filter, got, err, test.want)
			}
		}
		wrong := errors.New("wrong")
		got, err := answers.EachDocument(t.Context(), c, selection.Filter{}, 2, func(n int, _ document.Document) (int, error) {
			return n, map[int]error{2: wrong, 3: errors.New("later")}[n]
		})
		if err != wrong || got != nil {
			t.Errorf("got %v, %v, want %v", got, err, wrong)
		}
	}
}
