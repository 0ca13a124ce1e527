package answers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// A part of a table must be printed with the header of the table, and a part of code with
// its fences. The tokens of an item must include them. This holds with and without an
// index, and for both resolve and explain.
func TestPartsArePrintedWithTheirFrames(t *testing.T) {
	const header, fence, closing = "| name | value |\n|------|-------|\n", "```sh\n", "```\n"
	var rows, code strings.Builder
	for i := range 600 {
		fmt.Fprintf(&rows, "| row%dth | some |\n", i)
		fmt.Fprintf(&code, "echo line%dth\n", i)
	}
	work := t.TempDir()
	docs, path := filepath.Join(work, "docs"), filepath.Join(work, "cache")
	trees.WriteTree(t, docs, map[string]string{
		"a.md": "# Names\n\n" + header + rows.String() + "\n# Code\n\n" + fence + code.String() + closing,
	})
	if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: path, Selection: selection.Spec1}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]struct{ id, lead, tail string }{
		"row0th":    {"a.md#names", "# Names\n\n" + header, " |\n"},
		"row300th":  {"a.md#names~3", header + "| row", " |\n"},
		"row599th":  {"a.md#names~5", header + "| row", " |\n\n"},
		"line0th":   {"a.md#code", "# Code\n\n" + fence + "echo", "th\n" + closing},
		"line300th": {"a.md#code~2", fence + "echo", "th\n" + closing},
		"line599th": {"a.md#code~4", fence + "echo", "th\n" + closing},
	} {
		request := selection.Request{Query: parseQueries(t, []string{query})[0], Budget: 1500}
		for _, path := range []string{path, trees.CopyWithoutIndex(t, path)} {
			contents := contentsOf(t, ask(t, path, request))
			content := contents[want.id]
			if !strings.HasPrefix(content, want.lead) || !strings.HasSuffix(content, want.tail) || !strings.Contains(content, query) {
				t.Errorf("%s: got %d bytes of %s: %.60q … %q", query, len(content), want.id, content, content[max(0, len(content)-20):])
			}
			tokens := map[string]uint64{}
			for id, content := range contents {
				tokens[id] = selection.TokensOf(len(content))
			}
			if diff := cmp.Diff(tokens, explainedTokens(t, path, request)); diff != "" {
				t.Errorf("%s: explain disagrees (-resolve +explain):\n%s", query, diff)
			}
		}
	}
}

// contentsOf returns the contents of an answer by their IDs.
func contentsOf(t *testing.T, answer string) map[string]string {
	t.Helper()
	var result struct {
		Documents []struct {
			ID, Content string
			Tokens      uint64
		}
	}
	if err := json.Unmarshal([]byte(answer), &result); err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{}
	for _, d := range result.Documents {
		contents[d.ID] = d.Content
		if want := selection.TokensOf(len(d.Content)); d.Tokens != want {
			t.Errorf("%s: got %d tokens, want %d", d.ID, d.Tokens, want)
		}
	}
	return contents
}

// explainedTokens returns the tokens of the chosen items of explain by their IDs.
func explainedTokens(t *testing.T, path string, request selection.Request) map[string]uint64 {
	t.Helper()
	c, err := answers.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	explained, err := c.Explain(context.Background(), request, 0)
	if err != nil {
		t.Fatal(err)
	}
	tokens := map[string]uint64{}
	for _, item := range explained.Items {
		tokens[string(item.ID)] = item.Tokens
	}
	return tokens
}
