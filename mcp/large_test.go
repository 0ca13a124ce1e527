package mcp_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/mcp"
)

const mebibyte = 1 << 20

// largeCache makes a cache root with the cache docs of 20 pages of a mebibyte.
func largeCache(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	files := map[string]string{}
	for i := range 20 {
		line := fmt.Sprintf("Page %02d has \"quotes\" \\ and \x01.\n", i)
		files[fmt.Sprintf("%02d.md", i)] = strings.Repeat(line, mebibyte/len(line))
	}
	newCache(t, filepath.Join(root, "docs"), files)
	return root
}

// An answer within the bound equals the command line's. A larger answer is always an
// invalid budget.
func TestALargeAnswerIsWholeOrRefused(t *testing.T) {
	root := largeCache(t)
	server := start(t, mcp.Settings{CacheRoot: root}).initialize()
	const tokens = mebibyte / 4 // of a page
	for _, c := range []struct {
		what   string
		query  string
		budget int64
		ok     bool
	}{
		{"eleven pages", "page", 11 * tokens, true},
		{"all pages", "page", 20 * tokens, false},
		{"no bound", "page", 1 << 60, false},
		{"few pages and many terms", strings.Repeat("a ", 150_000), 11 * tokens, false},
		{"no pages", "page", 5, true},
	} {
		got := server.call("context.resolve", arguments{"cache": "docs", "query": c.query, "budget": c.budget})
		if !c.ok {
			const want = `{"error":{"code":"invalid_budget","message":"Budget is invalid"}}` + "\n"
			if got.text() != want || !got.Result.IsError {
				t.Errorf("%s: got %d bytes: %.200s", c.what, len(got.text()), got.text())
			}
			continue
		}
		want := printed(t, "resolve", "--cache", filepath.Join(root, "docs"), "--query", c.query, "--budget", fmt.Sprint(c.budget))
		if got.text() != want || got.Result.IsError {
			t.Errorf("%s: got %d bytes, want %d", c.what, len(got.text()), len(want))
		}
	}
}
