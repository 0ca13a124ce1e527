package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/contextcompiler/context/cli"
	"github.com/contextcompiler/context/mcp"
	"github.com/contextcompiler/context/selection"
)

// hostileName needs escapes, unlike any valid name on Windows.
var hostileName = map[bool]string{false: "<&>.md", true: "&.md"}[runtime.GOOS == "windows"]

// hostileTexts are what JSON encoders and lines of text get wrong.
var hostileTexts = map[string]string{
	"angles.md":   "<b>it</b> & \"them\" 'it' \\ / </script><!--",
	"lines.md":    "it\u2028it\u2029it\u0085it\r\nit\rit\v\fit",
	"controls.md": "it \x00\x01\x1b\x1f\x7f\u0080\u009f it\t",
	"bom.md":      "\ufeffit",
	"planes.md":   "it 😀 é e\u0301 \U0010ffff \uffff \ufffd İ ẞ ς it",
	"empty.md":    "",
	"long.md":     strings.Repeat("it is long\n", 20_000),
	hostileName:   "it",
	"é\u2028.md":  "it",
}

func TestResolveReturnsWhatTheCommandLinePrints(t *testing.T) {
	root := t.TempDir()
	server := start(t, mcp.Settings{CacheRoot: root}).initialize()
	for number, name := range []string{"documents", "sections"} {
		path := filepath.Join(root, name)
		newCacheFor(t, selection.SpecOf(number), path, hostileTexts)
		for _, query := range []string{"", "it", "IT İ ς", "<b>it</b> & \"them\"", "\u2028", "\x00 \x7f\u0085", "it\nit\r", "\ufeffit", "long"} {
			for _, budget := range []uint64{0, 1, 20, 4_000, 1_000_000, 1<<64 - 1} {
				got := server.call("context.resolve", arguments{"cache": name, "query": query, "budget": budget})
				want := printed(t, "resolve", "--cache", path, "--query", query, "--budget", fmt.Sprint(budget))
				if got.Result.IsError || got.text() != want {
					t.Errorf("%s, query %q, budget %d: got %.300q, want %.300q", name, query, budget, got.text(), want)
				}
			}
		}
	}
}

func TestQueryReturnsWhatTheCommandLinePrints(t *testing.T) {
	project := t.TempDir()
	for name, text := range hostileTexts {
		scope := strings.TrimSuffix(name, ".md")
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{".", scope} {
			writeFile(t, filepath.Join(project, dir, ".context.yaml"), fmt.Sprintf("version: 1\nlast_updated: never\nfingerprint: ''\n"+
				"scope: .\nmaintenance: ''\nsummary: %s\ntodos: [%s, a]\nevents: []\n", quoted, quoted))
		}
		server := start(t, mcp.Settings{ProjectRoot: project}).initialize()
		for _, filter := range [][]string{nil, {"todos", "summary", "todos", "none"}, {"none"}} {
			for _, at := range []string{".", scope, `.\` + scope, scope + "/../"} {
				args := []string{"show", at, "--path", project}
				for _, field := range filter {
					args = append(args, "--filter", field)
				}
				got := server.call("query_context", arguments{"scope": at, "filter": filter})
				if want := printed(t, args...); got.Result.IsError || got.text()+"\n" != want {
					t.Errorf("scope %q, filter %q: got %.300q, want %.300q", at, filter, got.text(), want)
				}
			}
		}
	}
}

// printed returns the standard output of a command.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if status := cli.Main(context.Background(), args, &out, &errs); status != 0 || !strings.HasSuffix(out.String(), "}\n") {
		t.Fatalf("%q: exit status %d, %s", args, status, &errs)
	}
	return out.String()
}
