package sources

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// An unreadable directory must not hide the others.
func TestDirectoriesAreThoseThatDecideWhatTheSourcesAre(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"docs/guide/deep/a.md", "docs/drafts/b.md", "docs/.shared/c.txt", "docs/.git/d.md", "docs/node_modules/e.md", "api/f.md"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// docs/link.md leads to a file in a skipped directory.
	for link, target := range map[string]string{"docs/link.md": ".shared/c.txt", "docs/guide/loop.md": "loop.md", "linked": "docs", "docs/inside": "guide"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("this system makes no symlinks: %v", err)
		}
	}
	mounts := []Mount{
		{Dir: filepath.Join(dir, "linked"), Exclude: []string{"drafts/"}, SkipHidden: true},
		{Dir: filepath.Join(dir, "api"), Prefix: "api"},
		{Dir: filepath.Join(dir, "missing"), Prefix: "missing"},
	}
	got, _, err := Directories(t.Context(), mounts, SourceFilter{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i], _ = filepath.Rel(dir, got[i])
		got[i] = filepath.ToSlash(got[i])
	}
	want := []string{"api", "docs", "docs/.shared", "docs/guide", "docs/guide/deep"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
