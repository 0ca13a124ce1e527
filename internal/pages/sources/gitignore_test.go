package sources

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/internal/base/effort"
)

// git runs git without the user's configuration. With exit status 1, check-ignore says that nothing
// is ignored.
func git(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "core.excludesFile=", "-c", "core.ignoreCase=false", "-c", "user.name=a", "-c", "user.email=a"}, args...)...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("git %q: %v\n%s", args, err, &stderr)
	}
	return string(stdout)
}

func newRepository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skipf("git is not installed: %v", err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "", "init", "--quiet", "--template=")
	return dir
}

func writeTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// pagesIn returns the paths of the pages below a directory that follow git's ignore files.
func pagesIn(t *testing.T, mount Mount) []string {
	t.Helper()
	roots, err := OpenRoots(t.Context(), []Mount{mount})
	if err != nil {
		t.Fatal(err)
	}
	defer roots.Close()
	found, err := Discover(t.Context(), roots, SourceFilter{Gitignore: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	pages := []string{}
	for _, s := range found.Documents {
		pages = append(pages, s.Path)
	}
	return pages
}

// Whatever directory of a working tree the sources are, git and a build leave out the same pages.
func TestSourcesLeaveOutWhatGitIgnoresFromTheTopDown(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 37))
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	left, kept := 0, 0
	for range effort.Cases(12, 6) {
		top := newRepository(t)
		files := map[string]string{}
		for range 60 {
			at := ""
			for range 1 + random.IntN(3) {
				at = path.Join(at, pick("a", "b", "docs"))
			}
			files[path.Join(at, pick("a.md", "b.md", "plan.md", "x-y.md"))] = "# A\n"
		}
		line := func() string {
			return pick("", "", "!", "/") + pick("a", "b", "docs", "plan.md", "a.md", "*.md", "x*", "docs/a", "a/b", "docs/*", "**/plan.md", "docs/**/b.md", "a/**") + pick("", "", "/")
		}
		for _, file := range []string{".gitignore", "docs/.gitignore", "docs/a/.gitignore", "docs/a/b/.gitignore", ".git/info/exclude"} {
			if random.IntN(3) > 0 {
				files[file] = line() + "\n" + line() + "\n"
			}
		}
		files["docs/a/b/a.md"] = "# A\n" // so that the directories exist
		writeTree(t, top, files)
		visible := strings.Split(git(t, top, "", "ls-files", "-z", "--others", "--exclude-standard"), "\x00")
		for _, dir := range []string{".", "docs", "docs/a", "docs/a/b"} {
			want := []string{}
			for _, file := range visible {
				if below, isBelow := strings.CutPrefix(path.Join("/", file), path.Join("/", dir)+"/"); (isBelow || dir == ".") && path.Ext(file) == ".md" {
					want = append(want, path.Join("prefix/a", strings.TrimPrefix(below, "/")))
				}
			}
			slices.Sort(want)
			got := pagesIn(t, Mount{Dir: filepath.Join(top, filepath.FromSlash(dir)), Prefix: "prefix/a"})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s with %q (-git +got):\n%s", dir, files, diff)
			}
			kept += len(got)
		}
		left += 4*len(files) - len(visible)
	}
	if kept == 0 || left == 0 {
		t.Errorf("got %d pages, and %d left out: want a fair mix", kept, left)
	}
}

// Worktrees, submodules and clones inside of the sources have rules of their own.
func TestEachWorkingTreeHasItsOwnRules(t *testing.T) {
	top := newRepository(t)
	writeTree(t, top, map[string]string{
		".gitignore":               "private/\n*.tmp.md\n/clones/ignored\n",
		".git/info/exclude":        "local.md\n",
		"docs/a.md":                "",
		"docs/local.md":            "",
		"docs/private/plan.md":     "",
		"clones/inner/local.md":    "",
		"clones/inner/own.md":      "",
		"clones/inner/x.tmp.md":    "",
		"clones/inner/deep/own.md": "",
		"clones/ignored/a.md":      "",
		"clones/none/.git/config":  "", // not a repository, because HEAD is missing
		"clones/none/x.tmp.md":     "",
		"clones/none/a.md":         "",
		".git/modules/none":        "",
	})
	git(t, filepath.Join(top, "clones/inner"), "", "init", "--quiet", "--template=")
	writeTree(t, top, map[string]string{"clones/inner/.git/info/exclude": "own.md\n"})
	git(t, top, "", "commit", "--quiet", "--allow-empty", "-m", "a")
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, top, "", "worktree", "add", "--quiet", linked)
	writeTree(t, linked, map[string]string{".gitignore": "drafts/\n", "docs/local.md": "", "docs/b.md": "", "docs/drafts/c.md": ""})
	absorbed := filepath.Join(top, "modules", "part")
	git(t, top, "", "init", "--quiet", "--template=", "--separate-git-dir", filepath.Join(top, ".git/modules/part"), absorbed)
	writeTree(t, top, map[string]string{".git/modules/part/info/exclude": "secret.md\n", "modules/part/docs/secret.md": "", "modules/part/docs/x.tmp.md": ""})

	for _, tc := range []struct {
		dir  string
		want []string
	}{
		{top, []string{"clones/inner/local.md", "clones/inner/x.tmp.md", "clones/none/a.md", "docs/a.md", "modules/part/docs/x.tmp.md"}},
		{filepath.Join(top, "docs"), []string{"a.md"}},
		{filepath.Join(top, "docs/private"), []string{}},
		{filepath.Join(top, "clones/inner"), []string{"local.md", "x.tmp.md"}},
		{filepath.Join(top, "clones/inner/deep"), []string{}},
		{filepath.Join(linked, "docs"), []string{"b.md"}},
		{filepath.Join(absorbed, "docs"), []string{"x.tmp.md"}},
	} {
		got := pagesIn(t, Mount{Dir: tc.dir})
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.dir, diff)
		}
		for _, page := range got { // each in the working tree around it
			dir, name := filepath.Split(filepath.Join(tc.dir, page))
			if out := git(t, dir, name, "check-ignore", "--stdin"); out != "" {
				t.Errorf("%s: git ignores it", filepath.Join(dir, name))
			}
		}
	}
}

// What was fetched or installed was published, so the ignore files around the store say nothing
// about it.
func TestLocatedSourcesDoNotFollowGit(t *testing.T) {
	top := newRepository(t)
	writeTree(t, top, map[string]string{".gitignore": "node_modules\n", "node_modules/next/docs/.gitignore": "*.md\n", "node_modules/next/docs/a.md": ""})
	m, err := Mount{Locate: func(_ context.Context, m Mount) (Mount, error) {
		m.Dir = filepath.Join(top, "node_modules/next")
		return m, nil
	}}.Located(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := pagesIn(t, m); len(got) != 1 {
		t.Errorf("got %q, want docs/a.md", got)
	}
}

// An ignore file that cannot be read fails the build: without it, there would be pages that nobody
// wanted. A symlink is none, as for git.
func TestIgnoreFilesAboveTheSourcesAreReadOrNamed(t *testing.T) {
	top := newRepository(t)
	writeTree(t, top, map[string]string{"rules": "*.md\n", "docs/a.md": ""})
	for _, name := range []string{".gitignore", "docs/.gitignore"} {
		if err := os.Symlink(filepath.Join(top, "rules"), filepath.Join(top, name)); err != nil {
			t.Skipf("this system makes no symlinks: %v", err)
		}
	}
	if got := pagesIn(t, Mount{Dir: filepath.Join(top, "docs")}); len(got) != 1 {
		t.Errorf("symlinks: got %q, want a.md", got)
	}
	if err := os.Remove(filepath.Join(top, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	writeTree(t, top, map[string]string{".gitignore": strings.Repeat("#", maxIgnoreSize+1)})
	roots, err := OpenRoots(t.Context(), []Mount{{Dir: filepath.Join(top, "docs")}})
	if err != nil {
		t.Fatal(err)
	}
	defer roots.Close()
	if _, err := Discover(t.Context(), roots, SourceFilter{Gitignore: true}, 1); err == nil || !strings.Contains(err.Error(), filepath.Join(top, ".gitignore")) {
		t.Errorf("a large file: got error %v, want its name", err)
	}
}

// A watcher must learn of all files that decide.
func TestTheFilesThatDecideAreThoseOfTheWorkingTree(t *testing.T) {
	top := newRepository(t)
	writeTree(t, top, map[string]string{"docs/guide/a.md": ""})
	_, files, err := Directories(t.Context(), []Mount{{Dir: filepath.Join(top, "docs/guide")}}, SourceFilter{Gitignore: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i], _ = filepath.Rel(top, files[i])
		files[i] = filepath.ToSlash(files[i])
	}
	want := []string{"docs/guide/.git", "docs/.git", ".git", ".git/info/exclude", ".gitignore", "docs/.gitignore"}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
