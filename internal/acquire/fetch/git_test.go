package fetch

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/process"
	"github.com/contextcompiler/context/internal/acquire/store"
)

// A repository is served over HTTP on loopback, by git itself.
type repository struct {
	t   *testing.T
	dir string
	url string
}

func newRepository(t *testing.T, options ...string) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	base := t.TempDir()
	r := &repository{t: t, dir: filepath.Join(base, "docs.git")}
	if err := os.Mkdir(r.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	r.git(append([]string{"init", "--quiet", "--initial-branch=main"}, options...)...)
	r.git("config", "uploadpack.allowFilter", "true")
	r.git("config", "http.receivepack", "false")
	core := strings.TrimSpace(r.git("--exec-path"))
	server := httptest.NewServer(&cgi.Handler{
		Path:   filepath.Join(core, "git-http-backend"),
		Stderr: io.Discard,
		Env:    []string{"GIT_PROJECT_ROOT=" + base, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	})
	t.Cleanup(server.Close)
	r.url = server.URL + "/docs.git"
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = r.dir, cleanEnviron(r.t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// commit commits files and returns the commit. A file with the content "-> x" is a symlink to x.
func (r *repository) commit(files map[string]string) string {
	r.t.Helper()
	for name, content := range files {
		path := filepath.Join(r.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			r.t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(content), 0o666)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "--all")
	r.git("commit", "--quiet", "--message=a change")
	return strings.TrimSpace(r.git("rev-parse", "HEAD"))
}

// cleanEnviron is the environment of git without the user's configuration.
func cleanEnviron(t *testing.T) []string {
	t.Helper()
	return append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
}

func newFetcher(t *testing.T) Fetcher {
	t.Helper()
	return Fetcher{
		Store: store.Store{Dir: filepath.Join(t.TempDir(), "store")}, Now: time.Unix(1_800_000_000, 0),
		Environ: cleanEnviron(t), Client: http.DefaultClient,
	}
}

// list returns the files that a pin gives, with their contents.
func list(t *testing.T, f Fetcher, p Pin) map[string]string {
	t.Helper()
	files := map[string]string{}
	dir := f.Store.Path(p.Key())
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var content []byte
			content, err = os.ReadFile(path)
			name, _ := filepath.Rel(dir, path)
			files[filepath.ToSlash(name)] = string(content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestTagIsPinnedToItsCommit(t *testing.T) {
	r, f := newRepository(t), newFetcher(t)
	first := r.commit(map[string]string{"docs/install.md": "# Install\r\n", "README.md": "# Docs\n", ".gitattributes": "*.md text eol=crlf\n", "docs/link.md": "-> ../README.md"})
	r.git("tag", "--annotate", "--message=one", "v1")
	pin, err := f.Resolve(t.Context(), Origin{Git: r.url, Ref: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	if pin.Commit != first || !strings.HasPrefix(pin.Tree, "h1:") {
		t.Errorf("got %+v, want commit %s and a tree", pin, first)
	}
	// The bytes are those of the blobs: a checkout would add carriage returns to one file.
	want := map[string]string{"docs/install.md": "# Install\n", "README.md": "# Docs\n", ".gitattributes": "*.md text eol=crlf\n", "docs/link.md": "# Docs\n"}
	if got := list(t, f, pin); len(got) != len(want) || got["docs/install.md"] != r.git("cat-file", "blob", "v1:docs/install.md") || got["README.md"] != want["README.md"] {
		t.Errorf("got %q, want %q", got, want)
	}

	second := r.commit(map[string]string{"docs/install.md": "# Install it\n"})
	r.git("tag", "--force", "v1")
	moved, err := f.Resolve(t.Context(), Origin{Git: r.url, Ref: "v1"})
	if err != nil || moved.Commit != second {
		t.Errorf("got %+v, %v, want commit %s", moved, err, second)
	}
	empty := newFetcher(t) // a pin still finds its commit
	again, err := empty.Fetch(t.Context(), pin)
	if err != nil || again != pin {
		t.Errorf("got %+v, %v, want %+v", again, err, pin)
	}
}

func TestDirectoryIsFetchedAlone(t *testing.T) {
	r := newRepository(t)
	r.commit(map[string]string{"content/en/a.md": "# A\n", "content/en/b/c.md": "# C\n", "content/env/d.md": "# D\n", "large.bin": strings.Repeat("x", 1<<16)})
	for _, allowed := range []string{"true", "false"} { // servers may refuse filters
		r.git("config", "uploadpack.allowFilter", allowed)
		f := newFetcher(t)
		pin, err := f.Resolve(t.Context(), Origin{Git: r.url, Dir: "content/en"})
		if err != nil {
			t.Fatal(err)
		}
		if got := list(t, f, pin); len(got) != 2 || got["content/en/a.md"] != "# A\n" || got["content/en/b/c.md"] != "# C\n" {
			t.Errorf("filters %s: got %q", allowed, got)
		}
	}
	f := newFetcher(t)
	if _, err := f.Resolve(t.Context(), Origin{Git: r.url, Dir: "content/fr"}); err == nil || !strings.Contains(err.Error(), `contains no directory "content/fr": there are "content/en", "content/env"`) {
		t.Errorf("got %v", err)
	}
}

func TestBranchesAndCommitsAreRefs(t *testing.T) {
	r, f := newRepository(t), newFetcher(t)
	commit := r.commit(map[string]string{"a.md": "# A\n"})
	r.git("branch", "release/1.35")
	r.git("branch", "tag") // a keyword of git fetch
	r.git("tag", "--annotate", "--message=one", "v1")
	r.git("tag", "--annotate", "--message=of a tag", "nested", "v1")
	tag, nested := strings.TrimSpace(r.git("rev-parse", "v1")), strings.TrimSpace(r.git("rev-parse", "nested"))
	for _, ref := range []string{"", "HEAD", "main", "release/1.35", "tag", "refs/heads/main", "heads/main", "refs/tags/v1", "tags/v1", "nested", commit, strings.ToUpper(commit), tag, nested} {
		if pin, err := f.Resolve(t.Context(), Origin{Git: r.url, Ref: ref}); err != nil || pin.Commit != commit {
			t.Errorf("%q: got %+v, %v", ref, pin, err)
		}
	}
	if _, err := f.Resolve(t.Context(), Origin{Git: r.url, Ref: "v9"}); err == nil || !strings.Contains(err.Error(), `no branch or tag "v9"`) || fault.CodeOf(err) != fault.IO {
		t.Errorf("got %v", err)
	}
	r.git("symbolic-ref", "HEAD", "refs/heads/master")
	for _, ref := range []string{"", "HEAD"} {
		if _, err := f.Resolve(t.Context(), Origin{Git: r.url, Ref: ref}); err == nil || !strings.Contains(err.Error(), "no default branch: give a ref") {
			t.Errorf("%q: got %v", ref, err)
		}
	}
	r.git("tag", "tree", "main^{tree}")
	if _, err := f.Resolve(t.Context(), Origin{Git: r.url, Ref: "tree"}); err == nil || !strings.Contains(err.Error(), "is not a commit") {
		t.Errorf("got %v", err)
	}
}

func TestRepositoriesWithSHA256AreFetched(t *testing.T) {
	r, f := newRepository(t, "--object-format=sha256"), newFetcher(t)
	commit := r.commit(map[string]string{"docs/a.md": "# A\n"})
	for _, ref := range []string{"main", commit} {
		pin, err := f.Resolve(t.Context(), Origin{Git: r.url, Ref: ref, Dir: "docs"})
		if err != nil || pin.Commit != commit || len(commit) != 64 {
			t.Errorf("%q: got %+v, %v", ref, pin, err)
		}
	}
}

// The working directory can be a repository, or lie in one, whose configuration names programs.
func TestConfigurationOfOtherRepositoriesIsNotRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	programs := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(programs, "ssh"), "#!/bin/sh\necho the usual ssh >&2\nexit 1\n")
	mark := filepath.Join(programs, "mark")
	hostile := func(dir string) string {
		t.Helper()
		write(filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n")
		write(filepath.Join(dir, "config"), "[core]\n\trepositoryFormatVersion = 0\n\tsshCommand = touch "+mark+"; false\n")
		write(filepath.Join(dir, "objects", "x"), "")
		write(filepath.Join(dir, "refs", "x"), "")
		return dir
	}
	dir := t.TempDir()
	hostile(filepath.Join(dir, "bare"))
	hostile(filepath.Join(dir, "clone", ".git"))
	write(filepath.Join(dir, "clone", "sub", "dir", "x"), "")
	write(filepath.Join(dir, "file", ".git"), "gitdir: ../bare\n")
	for _, test := range []struct{ cwd, variable string }{
		{cwd: "bare"},
		{cwd: "bare/refs"},
		{cwd: "clone"},
		{cwd: "clone/sub/dir"},
		{cwd: "file"},
		{".", "GIT_DIR=" + filepath.Join(dir, "bare")},
		{"clone", "GIT_COMMON_DIR=" + filepath.Join(dir, "bare")},
	} {
		t.Chdir(filepath.Join(dir, filepath.FromSlash(test.cwd)))
		f := newFetcher(t)
		f.Environ = append(f.Environ, "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"), test.variable)
		_, err := f.Resolve(t.Context(), Origin{Git: "git@example.invalid:x/y.git"})
		if err == nil || !strings.Contains(err.Error(), "the usual ssh") {
			t.Errorf("%+v: got %v", test, err)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Fatalf("%+v: a program ran", test)
		}
	}
}

// Git sets some of these for hooks and aliases, and people leave others in their environment.
func TestVariablesAboutRepositoriesAreNotPassedOn(t *testing.T) {
	r, f := newRepository(t), newFetcher(t)
	r.commit(map[string]string{"docs/a.md": "# A\n"})
	for _, v := range []string{
		"DIR", "WORK_TREE", "COMMON_DIR", "CONFIG", "INDEX_FILE", "OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES", "GRAFT_FILE", "SHALLOW_FILE",
		"NAMESPACE", "QUARANTINE_PATH", "TEMPLATE_DIR", "INTERNAL_SUPER_PREFIX",
	} {
		f.Environ = append(f.Environ, "GIT_"+v+"="+t.TempDir())
	}
	f.Environ = append(f.Environ, "GIT_DEFAULT_HASH=sha256", "GIT_ICASE_PATHSPECS=1", "GIT_GLOB_PATHSPECS=1", "git_noglob_pathspecs=1")
	f.Environ = append(f.Environ, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+r.url+".insteadOf", "GIT_CONFIG_VALUE_0=https://example.invalid/docs") // is passed on
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("[remote \"source\"]\n\turl = /nowhere\n"), 0o666); err != nil { // is read, but is about other repositories
		t.Fatal(err)
	}
	f.Environ = append(f.Environ, "GIT_CONFIG_GLOBAL="+config)
	if _, err := f.Resolve(t.Context(), Origin{Git: "https://example.invalid/docs", Dir: "docs"}); err != nil {
		t.Error(err)
	}
}

// A symlink to a file of the repository counts as this file. All others are counted.
func TestSymlinksOfRepositories(t *testing.T) {
	r := newRepository(t)
	r.commit(map[string]string{
		"README.md": "# Docs\n", "docs/index.md": "-> ../README.md", "docs/again.md": "-> ./v1/../docs/index.md", "docs/v1": "-> ../old", "old/a.md": "# Old\n",
		"docs/a.md": "-> v1/a.md", "docs/out.md": "-> ../../x.md", "docs/root.md": "-> /etc/motd", "docs/gone.md": "-> gone", "docs/loop.md": "-> loop.md",
	})
	for _, dir := range []string{"", "docs"} {
		f, warnings := newFetcher(t), []string{}
		f.Warn = func(text string) { warnings = append(warnings, strings.TrimPrefix(text, r.url+": ")) }
		pin, err := f.Resolve(t.Context(), Origin{Git: r.url, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		got := list(t, f, pin)
		if got["docs/index.md"] != "# Docs\n" || got["docs/again.md"] != "# Docs\n" || got["docs/a.md"] != "# Old\n" {
			t.Errorf("%q: got %q", dir, got)
		}
		want := []string{
			`2 broken links are left out, the first is "docs/gone.md"`,
			`2 links that lead outside are left out, the first is "docs/out.md"`,
			`"docs/v1" is left out: it is a symlink to a directory`,
		}
		if !slices.Equal(warnings, want) {
			t.Errorf("%q: got the warnings %q", dir, warnings)
		}
	}
}

func TestGitSaysWhyItFailed(t *testing.T) {
	tests := []struct{ complaint, want string }{
		{"git@example.org: Permission denied (publickey).\r\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n", "git@example.org: Permission denied (publickey).; Could not read from remote repository."},
		{"remote: Enumerating objects: 5\rremote: Total 5 (delta 0)\nremote: Repository not found.\nfatal: repository 'https://example.org/x/' not found\n", "remote: Repository not found.; repository 'https://example.org/x/' not found"},
		{"fatal: detected dubious ownership in repository at '/r'\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory /r\n", "detected dubious ownership in repository at '/r'; To add an exception for this directory, call:; git config --global --add safe.directory /r"},
		{"\x1b[31mred\x1b[0m \x1b]0;title\x07text\x07\u202e\n", `red text\a\u202e`},
		{"fatal: unable to access 'https://user:secret@example.org/'\n", "unable to access 'https://example.org/'"},
		{strings.Repeat("x", 600) + "\n", strings.Repeat("x", maxComplaint) + "..."},
		{strings.Repeat("a banner\n", 600) + strings.Repeat("y", 499) + "\nfatal: z\n", strings.Repeat("y", 499) + "; z"},
		{"Receiving objects: 100% (3/3)\n", ""},
	}
	for _, test := range tests {
		var complaint process.Tail
		_, _ = io.WriteString(&complaint, test.complaint)
		if got := reasonIn(&complaint); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestMissingGitIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := newFetcher(t).Resolve(t.Context(), Origin{Git: "https://example.invalid/x"}); err == nil || !strings.Contains(err.Error(), "git is not installed, or not on the PATH") {
		t.Errorf("got %v", err)
	}
}

func TestFetchGivesUpOnASilentGitServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	f := newFetcher(t)
	f.patience = 50 * time.Millisecond
	f.Environ = append(f.Environ, "GIT_SSH_COMMAND=exec sleep 600 #")
	for _, ref := range []string{"main", strings.Repeat("a", 40)} {
		if _, err := f.Resolve(t.Context(), Origin{Git: "git@example.invalid:x", Ref: ref}); !errors.Is(err, errSlow) || fault.CodeOf(err) != fault.IO {
			t.Errorf("%s: got %v", ref, err)
		}
	}
}

func TestVanishedCommitIsNamed(t *testing.T) {
	r, f := newRepository(t), newFetcher(t)
	r.commit(map[string]string{"a.md": "# A\n"})
	pin := Pin{Origin: Origin{Git: r.url, Ref: "main"}, Commit: strings.Repeat("a", 40)}
	_, err := f.Fetch(t.Context(), pin)
	if err == nil || !strings.Contains(err.Error(), "no longer offers commit aaaa") {
		t.Errorf("got %v", err)
	}
	if found, err := f.Store.Find(pin.Key(), f.Now); found != "" || err != nil {
		t.Errorf("got %q, %v, want no entry", found, err)
	}
}

func TestChangedEntryIsRefused(t *testing.T) {
	r, f := newRepository(t), newFetcher(t)
	r.commit(map[string]string{"a.md": "# A\n"})
	pin, err := f.Resolve(t.Context(), Origin{Git: r.url})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.Store.Path(pin.Key()), "a.md"), []byte("# B\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Fetch(t.Context(), pin); err == nil || fault.CodeOf(err) != fault.Stale {
		t.Errorf("got %v, want a stale entry", err)
	}
}

func TestUnsafeSourcesAreRefused(t *testing.T) {
	for _, s := range []Origin{
		{Git: "https://example.org/x", Ref: "--upload-pack=touch x"},
		{Git: "https://example.org/x", Ref: "-x"},
		{Git: "https://example.org/x", Ref: "a..b"},
		{Git: "https://example.org/x", Ref: "a:b"},
		{Git: "https://example.org/x", Ref: "a b"},
		{Git: "https://example.org/x", Ref: "HEAD@{1}"},
		{Git: "ext::sh -c touch% x"},
		{Git: "--upload-pack=x"},
		{Git: "-x@host:y"},
		{Git: "git@-oProxyCommand:y"},
		{Git: "git@host:-y"},
		{Git: "ssh://-oProxyCommand=x/y"},
		{Git: "ssh://git@-x/y"},
		{Git: "/etc"},
		{Git: "../x"},
		{Git: "https://user:secret@example.org/x"},
		{Git: "https://example.org"},
		{Git: "https://example.org/x", Dir: "../x"},
		{Git: "https://example.org/x", Dir: "/x"},
		{Git: "https://example.org/x", Dir: "a/../b"},
		{Git: "https://example.org/x", Dir: "."},
		{Archive: "https://example.org/x.exe"},
		{Archive: "ftp://example.org/x.zip"},
		{Archive: "https://example.org/x.zip", Ref: "v1"},
		{Git: "https://example.org/x", Archive: "https://example.org/x.zip"},
		{},
	} {
		if err := s.Check(); err == nil {
			t.Errorf("%+v: got no error", s)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: the error contains the password: %v", s, err)
		}
	}
	for _, s := range []Origin{
		{Git: "https://github.com/kubernetes/website", Ref: "release-1.35", Dir: "content/en/docs"},
		{Git: "git@example.org:team/docs.git", Ref: "v1.0+build"},
		{Git: "ssh://git@example.org/docs"},
		{Git: "file:///srv/docs.git"},
		{Archive: "https://docs.example.org/python-3.14-docs-html.tar.bz2"},
		{Archive: "file:///a.TGZ"},
	} {
		if err := s.Check(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// Submodules, odd names and programs that a repository brings along change nothing outside
// the entry and run nothing.
func TestHostileRepositoryIsOnlyRead(t *testing.T) {
	r, f := newRepository(t), newFetcher(t)
	mark := filepath.Join(t.TempDir(), "mark")
	r.commit(map[string]string{
		"a.md": "# A\n", "-x.md": "# X\n", "*.md": "# Star\n", "é.md": "# É\n", "a\nb.txt": "newline", "b/link": "-> /etc",
		".gitmodules": "[submodule \"s\"]\n\tpath = s\n\turl = --upload-pack=touch " + mark + "\n", ".gitattributes": "*.md filter=run\n",
	})
	f.Environ = append(f.Environ, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=filter.run.smudge", "GIT_CONFIG_VALUE_0=touch "+mark)
	var warnings []string
	f.Warn = func(text string) { warnings = append(warnings, text) }
	pin, err := f.Resolve(t.Context(), Origin{Git: r.url})
	if err != nil {
		t.Fatal(err)
	}
	if got := list(t, f, pin); len(got) != 6 || got["*.md"] != "# Star\n" || got["-x.md"] != "# X\n" {
		t.Errorf("got %q", got)
	}
	if !strings.Contains(strings.Join(warnings, "\n"), `"a\nb.txt" is left out`) {
		t.Errorf("got the warnings %q, want the name with a line feed", warnings)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program ran")
	}
}

func TestTooLargeRepositoriesAreRefused(t *testing.T) {
	r := newRepository(t)
	noise := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(noise)
	r.commit(map[string]string{"docs/large.md": string(noise)})
	f := newFetcher(t)
	f.maxObjects = 1 << 19
	for _, dir := range []string{"", "docs"} {
		_, err := f.Resolve(t.Context(), Origin{Git: r.url, Dir: dir})
		if !errors.Is(err, errLargeRepository) || fault.CodeOf(err) != fault.IO {
			t.Errorf("got %v, want %v", err, errLargeRepository)
		}
	}
}

// A server that sends without an end must not fill the disk: git is stopped while it runs.
func TestGitIsStoppedWhenItDownloadsTooMuch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	programs, work := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\nmkdir -p objects/pack\nhead -c 2000000 /dev/zero > objects/pack/tmp_pack\necho 'Receiving objects: 1%' >&2\nexec sleep 600\n"
	if err := os.WriteFile(filepath.Join(programs, "git"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	f := Fetcher{Environ: os.Environ(), maxObjects: 1_000_000}
	if err := f.download(t.Context(), work, nil, "fetch"); !errors.Is(err, errLargeRepository) {
		t.Errorf("got %v, want %v", err, errLargeRepository)
	}
}
