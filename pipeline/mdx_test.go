package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/pipeline"
)

// Regardless of the MDX in a page, its content stays the same byte for byte, the cache
// is sound, and answers are the same with and without the index.
func TestPagesOfMDXStayByteForByte(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		defer os.RemoveAll(dir)
		sources := map[string]string{}
		for _, path := range []string{"a.mdx", "guide/B.MDX", "guide/c.mdx"} {
			lines := rapid.SliceOfN(rapid.SampledFrom(linesOfMDX), 0, 30).Draw(rt, path)
			sources[path] = strings.Join(lines, "")
		}
		trees.WriteTree(t, filepath.Join(dir, "docs"), sources)
		cfg := pipeline.Config{
			Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs"), Extensions: []string{"mdx", "MDX"}}},
			Cache:   filepath.Join(dir, "cache"),
		}
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			rt.Fatal(err)
		}
		c, err := answers.Open(cfg.Cache)
		if err != nil {
			rt.Fatal(err)
		}
		defer c.Close()
		for path, want := range sources {
			doc, err := c.Read(document.IDOf(path))
			if err != nil || string(doc.Content) != want {
				rt.Errorf("%s: got %q and %v, want %q", path, doc.Content, err, want)
			}
		}
		if report, err := verify.Path(t.Context(), cfg.Cache, 1); err != nil || report.Err() != nil {
			rt.Errorf("verify: got %+v and %v", report, err)
		}
		for _, query := range []string{"words", "title label", "import code"} {
			ask(t, cfg.Cache, query, 400, false, 1)
		}
	})
}

// linesOfMDX contains lines of pages, some of them incomplete.
var linesOfMDX = []string{
	"---\ntitle: Words\n---\n", "import A from 'code'\n", "export const code = {\n\n}\n", "{/* code */}\n", "<A title='label' code>\n", "</A>\n",
	"    ## Words\n", "# Title {#x}\n", "words\n", "\n", "\r\n", "```\n", "{code\n", "<b\n", "<T x={[\n", "]}/>\n", "    - item\n", "| a |\n|---|\n", "\ufeff",
	strings.Repeat("many words in a line\n", 60),
}
