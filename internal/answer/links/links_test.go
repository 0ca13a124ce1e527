package links_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/links"
	"github.com/contextcompiler/context/pipeline"
)

// review builds a cache of pages and reviews its links.
func review(t *testing.T, base string, pages map[string]string) links.Review {
	t.Helper()
	docs, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	for name, text := range pages {
		path := filepath.Join(docs, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := pipeline.Build(t.Context(), pipeline.Config{
		Sources: []pipeline.Mount{{Dir: docs, Extensions: []string{"md", "mdx", "html"}}}, Cache: cache,
		About: document.About{BaseURL: base},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := answers.Open(cache)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var all []links.Review
	for _, jobs := range []int{1, 4} {
		found, err := links.Check(t.Context(), c, jobs, func(source string) bool { return source == "LICENSE" })
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found)
	}
	if !slices.Equal(all[0].Broken, all[1].Broken) {
		t.Errorf("4 jobs found %v, 1 found %v", all[1].Broken, all[0].Broken)
	}
	return all[0]
}

// site has the usual ways to name pages. Its tests were written from the documentation of the
// generators, and checked against the links of three large repositories.
var site = map[string]string{
	"index.md":                "# Home\n",
	"guide/install.md":        "# Install\n\n## On *Linux*\n\n## On *Linux*\n\n<a name=\"old-name\"></a>\n\n- # In a list\n\n## Wide {.wide #narrow}\n",
	"guide/02-configure.md":   "---\nslug: /setup/configure\naliases: [/old/configure]\n---\n# Configure\n",
	"guide/tools/_index.md":   "# Tools\n",
	"(group)/reference.mdx":   "# Reference\n\n<Card id=\"card\" />\n",
	"guide/made.md":           "# Made\n\n{{< include \"rest.md\" >}}\n",
	"content/en/docs/only.md": "# Only in English\n",
	"page.html":               "<html><body><main><h1 id=top-of-page>Page</h1><p>Text</p></main></body></html>",
}

func TestJudgedLinks(t *testing.T) {
	good := []string{
		"install.md", "./install.md#on-linux", "install.md#on-linux-1", "install.md#On_Linux", "install#in-a-list",
		"../index.md", "..", "./", "tools/", "tools/_index.md", "../guide/tools", "install.md#old-name", "install.md#narrow",
		"configure", "02-configure.md", "configure.html", "/guide/configure/", "/setup/configure", "/old/configure",
		"../reference", "../reference#card", "/reference", "../page.html#top-of-page", "<install.md>", "install.md 'A title'",
		"#here", "#L12", "install.md?plain=1#on-linux", "install%2Emd", "install.md#%6Fn-linux", "/guide/install", "@site/guide/install.md",
		"https://docs.example.com/v1/guide/install/#on-linux",
	}
	broken := map[string]string{
		"instal.md": links.NoPage, "install.md#on-windows": links.NoAnchor, "#nowhere": links.NoAnchor,
		"../guides/install.md": links.NoPage, "tool/": links.NoPage, "/guide/instal": links.NoPage, "Install/more": links.NoPage,
		"https://docs.example.com/v1/guide/nothing/": links.NoPage,
	}
	notJudged := []string{
		"https://example.org/guide/install", "mailto:a@example.com", "//example.org/x", "../../outside.md", "../LICENSE", "../LICENSE-MIT", "docs/Makefile", "logo.svg",
		"{{< ref nothing >}}", "made.md#from-elsewhere", "/products/other", "https://docs.example.com/v2/guide/nothing/",
	}
	var text strings.Builder
	text.WriteString("# Page\n\n## Here\n\n```\n[code](nothing.md)\n```\n\n`[code](nothing.md)` and <!-- [comment](nothing.md) -->\n")
	for _, target := range slices.Concat(good, notJudged) {
		text.WriteString("\n[text](" + target + ")\n")
	}
	for target := range broken {
		text.WriteString("\n[text](" + target + ")\n")
	}
	pages := map[string]string{"guide/page.md": text.String()}
	for name, text := range site {
		pages[name] = text
	}
	r := review(t, "https://docs.example.com/v1/", pages)
	found := map[string]string{}
	for _, b := range r.Broken {
		found[b.Target] = b.Problem
		if b.Source != "guide/page.md" || b.Line == 0 || !strings.Contains(strings.Split(text.String(), "\n")[b.Line-1], b.Target) {
			t.Errorf("%s: expected its line in guide/page.md, got %s:%d", b.Target, b.Source, b.Line)
		}
	}
	for target, problem := range broken {
		if found[target] != problem {
			t.Errorf("%s: expected %q, got %q", target, problem, found[target])
		}
		delete(found, target)
	}
	for target, problem := range found {
		t.Errorf("%s: expected no problem, got %q", target, problem)
	}
	if r.Judged != len(good)+len(broken) || r.NotJudged != len(notJudged) {
		t.Errorf("expected %d links judged and %d not, got %d and %d", len(good)+len(broken), len(notJudged), r.Judged, r.NotJudged)
	}
}

func TestOtherWaysToLink(t *testing.T) {
	r := review(t, "", map[string]string{
		"a.md":            "# A\n\n[reference][label] [![image](a.png)](none-1.md)\n\n[label]: none-2.md\n\n<a class=\"x\" href=\"none-3.md\">x</a>\n",
		"b.mdx":           "# B\n\n<Link to=\"/a\">a</Link> <Card href={\"none-4\"} />\n",
		"_parts/c.md":     "[included elsewhere](none-5.md)\n",
		"de/docs/d.md":    "[in another language](e.md) [nowhere](f.md)\n",
		"en/docs/e.md":    "# E\n",
		"guide/target.md": "# Target\n",
		"near.md":         "[moved](old/target.md)\n",
		"page.html":       "<html><body><main><h1>Page</h1><p><a href='none-6.html'>x</a></p></main></body></html>",
	})
	var found []string
	for _, b := range r.Broken {
		found = append(found, b.Source+" "+b.Target+" "+b.Near)
		if isConverted := b.Source == "page.html"; isConverted != (b.Line == 0) {
			t.Errorf("%s: got line %d", b.Source, b.Line)
		}
	}
	expected := []string{
		"a.md none-1.md ", "a.md none-2.md ", "a.md none-3.md ", "b.mdx none-4 ", "de/docs/d.md f.md ",
		"near.md old/target.md guide/target.md", "page.html none-6.html ",
	}
	if !slices.Equal(found, expected) {
		t.Errorf("expected %q, got %q", expected, found)
	}
}
