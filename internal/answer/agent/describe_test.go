package agent

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
)

// Twelve pages: eight in content/ (seven of them in folders), two in blog/, and two outside of
// folders. The numbers in the answer are counted by hand.
func TestDetailsAreWhatFiltersWell(t *testing.T) {
	dir := t.TempDir()
	pages := map[string]string{"readme.md": "# Read me\n", "other.md": "# Other\n", "content/index.md": "# Index\n"}
	for i, language := range []string{"en", "en", "en", "en", "ja", "ja", "odd\u202ename"} {
		pages[fmt.Sprintf("content/%s/%d.md", language, i)] = fmt.Sprintf("---\nlang: %s\nweight: %d\nlayout: page\ntags: [a, b%d]\n---\n# Page %d\n", language[:2], i, i%2, i)
	}
	for i := range 2 {
		pages[fmt.Sprintf("blog/%d.md", i)] = "---\nauthor: Someone\n---\n# Post\n"
	}
	trees.WriteTree(t, filepath.Join(dir, "docs"), pages)
	cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, "cache")}
	if _, err := pipeline.Build(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	const want = "  path: content/en/ (4), blog/ (2), content/ja/ (2), content/odd\\u202ename/ (1)\n" +
		"  where: tags=a (7), b0 (4), b1 (3); lang=en (4), ja (2), od (1)\n"
	for _, path := range []string{cfg.Cache, trees.CopyWithoutIndex(t, cfg.Cache)} {
		c, err := answers.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var out, short bytes.Buffer
		of := answers.Member{Name: "docs", Cache: c}
		if err := Describe(t.Context(), &out, of, true); err != nil {
			t.Fatal(err)
		}
		line, details, _ := strings.Cut(out.String(), "\n")
		if details != want {
			t.Errorf("%s: got\n%swant\n%s", path, details, want)
		}
		if err := Describe(t.Context(), &short, of, false); err != nil || short.String() != line+"\n" {
			t.Errorf("%s: got %v, %q, want %q", path, err, &short, line)
		}
	}
}
