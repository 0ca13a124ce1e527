package convert_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/internal/pages/convert"
)

var update = flag.Bool("update", false, "rewrite the expected Markdown; review the diff")

// The pages in testdata look like those of the generators that they are named after.
func TestPagesOfGeneratorsBecomeMarkdown(t *testing.T) {
	pages, err := filepath.Glob("testdata/golden/*.*")
	metadata, errMetadata := filepath.Glob("testdata/golden/*/METADATA")
	if err := errors.Join(err, errMetadata); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range append(pages, metadata...) {
		if filepath.Ext(file) == ".md" {
			continue
		}
		found++
		t.Run(strings.TrimPrefix(filepath.ToSlash(file), "testdata/golden/"), func(t *testing.T) {
			page := convertFile(t, file)
			golden := file + ".md"
			if *update {
				if err := os.WriteFile(golden, page.Markdown, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			expected, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(expected), string(page.Markdown)); diff != "" {
				t.Errorf("the Markdown differs (-want +got):\n%s", diff)
			}
		})
	}
	if found < 15 {
		t.Fatalf("got %d pages, want at least 15", found)
	}
}

func convertFile(t *testing.T, file string) convert.Converted {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return convertPage(t, file, bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")))
}

func convertPage(t *testing.T, name string, content []byte) convert.Converted {
	t.Helper()
	c, ok := convert.ByName(name)
	if !ok {
		t.Fatalf("no converter for %s", name)
	}
	page, err := c.Convert(t.Context(), name, content)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestPagesKeepWhatTheySayAboutThemselves(t *testing.T) {
	page := convertFile(t, "testdata/golden/docusaurus.html")
	if page.Title != "Guide | Plant" {
		t.Errorf("got title %q", page.Title)
	}
	want := map[string]string{"description": "Start here & go on", "lang": "en-US"}
	if diff := cmp.Diff(want, page.Metadata); diff != "" {
		t.Error(diff)
	}
}

func TestNothingAroundAPageIsInItsMarkdown(t *testing.T) {
	pages, _ := filepath.Glob("testdata/golden/*.html")
	for _, file := range pages {
		text := string(convertFile(t, file).Markdown)
		for _, odd := range []string{"¶", "§", "Edit this", "Copy", "Next", "Prev", "Footer", "Created using", "Last updated", "breadcrumb"} {
			if strings.Contains(text, odd) {
				t.Errorf("%s: the Markdown contains %q", file, odd)
			}
		}
	}
}
