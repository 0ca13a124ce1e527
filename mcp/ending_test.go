package mcp_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/contextcompiler/context/mcp"
)

// If they come in time, all answers go out after the end of the input, even those to more calls
// than may be in flight. In this test, no time passes while the server works.
func TestTheServerEndsWithItsInputAfterTheAnswersInFlight(t *testing.T) {
	root := t.TempDir()
	newCache(t, filepath.Join(root, "docs"), map[string]string{"a.md": "# eta\n"})
	for _, calls := range []int{0, 1, 11, 64, 65, 200} {
		t.Run(fmt.Sprint(calls), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				input := `{"jsonrpc":"2.0","id":"init","method":"initialize","params":` +
					`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"
				for id := range calls {
					input += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"context.resolve",`+
						`"arguments":{"cache":"docs","query":"eta","budget":100}}}`+"\n", id)
				}
				var out bytes.Buffer
				cfg := mcp.Settings{CacheRoot: root, Log: slog.New(slog.DiscardHandler)}
				if err := mcp.Serve(t.Context(), cfg, strings.NewReader(input), &out); err != nil {
					t.Fatal(err)
				}
				for id := range calls {
					if got := strings.Count(out.String(), fmt.Sprintf(`"id":%d,`, id)); got != 1 {
						t.Errorf("call %d: got %d answers, want 1", id, got)
					}
				}
				if got := strings.Count(out.String(), `"isError":false`); got != calls {
					t.Errorf("got %d results, want %d", got, calls)
				}
			})
		})
	}
}
