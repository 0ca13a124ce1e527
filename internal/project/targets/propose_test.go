package targets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/pipeline"
)

// writeFiles writes files with their names for a text.
func writeFiles(t testing.TB, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("# "+path.Base(name)+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestProposeFindsDirectoriesOfDocumentation(t *testing.T) {
	for _, test := range []struct{ name, pages, want, elsewhere string }{
		{"docs", "README.md docs/a.md docs/guide/b.md", "docs: docs (2)", "README.md"},
		{"extensions", "doc/a.markdown doc/b.mdx doc/c.md doc/d.rst", "docs: doc (3) .md,.mdx,.markdown", ""},
		{"website", "docs/a.md website/docs/a.mdx website/blog/b.md", "docs: docs (1); website-docs: website/docs (1) .mdx", "website/blog/b.md"},
		{"content", "content/en/a.md src/content/b.md", "docs: content (1)", "src/content/b.md"},
		{
			"languages", "content/en/a.md content/ja/a.md content/pt-br/a.mdx content/zh_Hans/a.md",
			"content-en: content/en (1); content-ja: content/ja (1); content-pt-br: content/pt-br (1) .mdx; content-zh_hans: content/zh_Hans (1)", "",
		},
		{
			"translations", "docs/a.md docs/api/b.md docs/ja/a.md docs/ja/c.md docs/ko/a.md",
			"docs: docs (2) without /ja/,/ko/; docs-ja: docs/ja (2); docs-ko: docs/ko (1)", "",
		},
		{"no languages", "docs/it.md docs/io/a.md docs/it/a.md docs/de-bugging/a.md docs/en/a/fr/b.md docs/en/a/de/b.md", "docs: docs (3) without /en/,/it/; docs-en: docs/en (2); docs-it: docs/it (1)", ""},
		{"packages with languages", "p/a/docs/en/x.md p/a/docs/ja/x.md p/b/docs/x.md", "docs: p/a/docs at a (2), p/b/docs at b (1)", ""},
		{"packages", "packages/b/docs/x.md packages/a/docs/x.md packages/a/README.md docs/x.md", "docs: docs (1); packages: packages/a/docs at a (1), packages/b/docs at b (1)", "packages/a/README.md"},
		{"one package", "packages/a/docs/x.md docs/x.md", "docs: docs (1); packages-a-docs: packages/a/docs (1)", ""},
		{"doc and docs", "p/a/docs/x.md p/b/docs/x.md p/a/doc/x.md p/b/doc/x.md", "p: p/a/doc at a (1), p/b/doc at b (1); p-2: p/a/docs at a (1), p/b/docs at b (1)", ""},
		{"READMEs", "README.md src/README.md", "docs: . (2) without AGENTS.md,CLAUDE.md,GEMINI.md", ""},
		{"asides", "README.md testdata/a.md vendor/x/docs/a.md", "docs: . (1) without AGENTS.md,CLAUDE.md,GEMINI.md,testdata/,vendor/", ""},
		{"asides alone", "tests/a.md", "docs: . (1) without AGENTS.md,CLAUDE.md,GEMINI.md", ""},
		{"instructions", "README.md AGENTS.md src/CLAUDE.md", "docs: . (1) without AGENTS.md,CLAUDE.md,GEMINI.md", ""},
		{"instructions and docs", "docs/a.md docs/AGENTS.md AGENTS.md GEMINI.md", "docs: docs (2)", ""},
		{"asides and docs", "docs/a.md docs/tests/b.md test/docs/a.md", "docs: docs (2)", ""},
		{"hidden", "docs/a.md .github/docs/b.md node_modules/m/docs/c.md docs/.x/d.md", "docs: docs (1)", ""},
		{"case", "Docs/a.md DOCS.md", "docs: Docs (1)", "DOCS.md"},
		{"names", "A b/docs/x.md ä/docs/x.md docs/a.md", "docs: docs (1); a-b-docs: A b/docs (1); docs-2: ä/docs (1)", ""},
		{"one ID", "docs/a.md docs/A.md", "docs: docs (2)", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			pages := strings.Fields(test.pages)
			if test.name == "names" {
				pages = []string{"A b/docs/x.md", "ä/docs/x.md", "docs/a.md"}
			}
			writeFiles(t, dir, pages...)
			if _, err := os.Stat(filepath.Join(dir, "DOCS/A.MD")); err == nil && test.name == "one ID" {
				t.Skip("this file system ignores the case of names, so there are no two pages")
			}
			p, err := Propose(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := shown(p); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if got := strings.Join(p.Elsewhere, " "); got != test.elsewhere {
				t.Errorf("elsewhere: got %q, want %q", got, test.elsewhere)
			}
		})
	}
}

func shown(p Proposal) string {
	var targets []string
	for _, t := range p.Targets {
		var sources []string
		for _, s := range t.Sources {
			source := s.Dir
			if s.At != "" {
				source += " at " + s.At
			}
			source += fmt.Sprintf(" (%d)", s.Pages)
			if !slices.Equal(s.Extensions, []string{"md"}) {
				source += " ." + strings.Join(s.Extensions, ",.")
			}
			if s.Exclude != nil {
				source += " without " + strings.Join(s.Exclude, ",")
			}
			sources = append(sources, source)
		}
		targets = append(targets, t.Name+": "+strings.Join(sources, ", "))
	}
	return strings.Join(targets, "; ")
}

func TestProposeFailsWithoutPages(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, "docs/a.txt", ".github/a.md")
	if _, err := Propose(t.Context(), dir); fault.CodeOf(err) != fault.IO || !strings.HasSuffix(err.Error(), "contains no pages (*.md, *.mdx or *.markdown)") {
		t.Errorf("got %v", err)
	}
	if _, err := Propose(t.Context(), filepath.Join(dir, "none")); fault.CodeOf(err) != fault.IO {
		t.Errorf("got %v", err)
	}
}

func TestProposeDescribesTargets(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, "docs/a.md", "api/docs/a.md", "package.json")
	for name, text := range map[string]string{
		"README.md":         "# Tool\n\nTool turns lead into: \"gold\" # quickly. It is free.\n",
		"api/docs/index.md": "# API\n\nThe functions that programs may call, one by one.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Propose(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`Tool turns lead into: "gold" # quickly.`, "The functions that programs may call, one by one."}
	read, err := parse("f", p.Text("v1.2.3"), Environment{})
	if err != nil {
		t.Fatal(err)
	}
	for i, target := range read.Targets {
		if got := target.Build.About.Description; got != want[i] {
			t.Errorf("got %q, want %q", got, want[i])
		}
	}
}

func TestProposeSeesWhetherGitTracksTheCaches(t *testing.T) {
	for rules, want := range map[string]bool{"": true, "*.log\n": true, "/build/\n": false, "build\n": false, "build/context\n": false, "build/*\n!build/context\n": true} {
		dir := t.TempDir()
		writeFiles(t, dir, "docs/a.md", ".git/HEAD")
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(rules), 0o666); err != nil {
			t.Fatal(err)
		}
		if p, err := Propose(t.Context(), dir); err != nil || p.IsTracked != want {
			t.Errorf("%q: got %t, %v, want %t", rules, p.IsTracked, err, want)
		}
	}
	dir := t.TempDir()
	writeFiles(t, dir, "docs/a.md")
	if p, err := Propose(t.Context(), dir); err != nil || p.IsTracked {
		t.Errorf("without git: got %t, %v", p.IsTracked, err)
	}
}

// Whatever a tree is, its proposal is a Contextfile whose targets have the pages that it
// counts.
func TestAProposalIsAContextfile(t *testing.T) {
	name := rapid.SampledFrom(creatable(t, []string{
		"docs", "Docs", "doc", "website", "content", "packages", "a", "b", "A", "ä", "on", "1.0", "1e3", "~", "- x", "#x", "a: b",
		"it's", `"q"`, "{x}", "[y]", "*z", "!t", "&n", "%d", "@at", "a,b", " lead", "trail ", "tab\there", "line\nfeed", "\x7f", "\u0085", "\U0001F600",
		"en", "ja", "zh-cn", "testdata", "vendor", "node_modules", ".hidden", "build", "context", "null", "<<", "=", "a #b", "a:",
	}))
	page := rapid.Custom(func(t *rapid.T) string {
		dirs := rapid.SliceOfN(name, 0, 4).Draw(t, "dirs")
		return path.Join(path.Join(dirs...), name.Draw(t, "page")+"."+rapid.SampledFrom(pageExtensions).Draw(t, "extension"))
	})
	_, schema := readSchema(t)
	counted := 0
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range rapid.SliceOfN(page, 1, 12).Draw(rt, "pages") {
			writeFiles(t, dir, p)
		}
		p, err := Propose(t.Context(), dir)
		if err != nil {
			if !strings.Contains(err.Error(), ErrNoPages.Error()) {
				rt.Fatal(err)
			}
			return
		}
		text := string(p.Text("v1.2.3"))
		f, err := parse(filepath.Join(dir, Name), []byte(text), Environment{})
		if err := errors.Join(err, check(schema, text)); err != nil {
			rt.Fatalf("%v in\n%s", err, text)
		}
		if len(f.Targets) != len(p.Targets) {
			rt.Fatalf("got %d targets, want %d", len(f.Targets), len(p.Targets))
		}
		for i, target := range f.Targets {
			if target.Name != p.Targets[i].Name {
				rt.Fatalf("got %q, want %q", target.Name, p.Targets[i].Name)
			}
			n, err := countPages(t, target.Build)
			if errors.Is(err, sources.ErrSharedID) {
				continue // nothing that a proposal decides
			}
			if err != nil || n != p.Targets[i].Pages() {
				rt.Fatalf("got %d pages, %v, want %d in\n%s", n, err, p.Targets[i].Pages(), text)
			}
			counted++
		}
	})
	if counted == 0 {
		t.Error("no target has pages")
	}
}

// creatable returns the names that a directory may have on this system.
func creatable(t *testing.T, names []string) []string {
	dir := t.TempDir()
	return slices.DeleteFunc(names, func(name string) bool {
		own := filepath.Join(dir, strconv.Itoa(len(name)))
		if err := os.MkdirAll(filepath.Join(own, name), 0o777); err != nil {
			return true
		}
		entries, err := os.ReadDir(own)
		return err != nil || !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	})
}

// countPages returns the number of pages that a build finds.
func countPages(t *testing.T, cfg pipeline.Config) (int, error) {
	roots, err := sources.OpenRoots(t.Context(), cfg.Sources)
	if err != nil {
		return 0, err
	}
	defer roots.Close()
	found, err := sources.Discover(t.Context(), roots, cfg.Filter, 1)
	return len(found.Documents), err
}
