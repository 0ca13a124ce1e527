//go:build unix

package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK's client is a second opinion on the protocol: it knows nothing of
// ours.

func connect(t *testing.T, revision, root string, args ...string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	transport := &sdk.CommandTransport{Command: program(t, append(args, "--cache-root", root)...)}
	session, err := client.Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

func TestClientsGetTheRevisionThatTheyAskFor(t *testing.T) {
	root := newRoot(t, 3)
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			session := connect(t, revision, root)
			got := session.InitializeResult()
			if got.ProtocolVersion != revision || got.ServerInfo.Name != "mcp-context-server" || got.Instructions == "" {
				t.Errorf("got %+v", got)
			}
			result, err := session.CallTool(t.Context(), &sdk.CallToolParams{
				Name: "context.resolve", Arguments: map[string]any{"cache": "docs", "query": "eta", "budget": 1_000},
			})
			if err != nil || result.IsError || result.StructuredContent != nil || len(result.Content) != 1 {
				t.Fatalf("got %+v and error %v", result, err)
			}
			if text := result.Content[0].(*sdk.TextContent).Text; !json.Valid([]byte(text)) || !strings.HasSuffix(text, "}\n") {
				t.Errorf("got %q", text)
			}
			if err := session.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}

// A tool as a client needs it.
type tool struct {
	Name, Title                                  string
	Required                                     []string
	AdditionalProperties                         bool
	ReadOnly, Idempotent, Destructive, OpenWorld bool
	MaxResultSize                                float64
}

func listTools(t *testing.T, session *sdk.ClientSession) (tools []tool) {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range list.Tools {
		encoded, _ := json.Marshal(found.InputSchema)
		schema := struct {
			Type                 string
			Required             []string
			AdditionalProperties *bool
			Properties           map[string]struct{ Type, Description string }
		}{}
		if err := json.Unmarshal(encoded, &schema); err != nil || schema.Type != "object" || schema.AdditionalProperties == nil {
			t.Errorf("%s: schema %s: %v", found.Name, encoded, err)
			continue
		}
		for name, property := range schema.Properties {
			if property.Type == "" || property.Description == "" {
				t.Errorf("%s: %s has no type or no description", found.Name, name)
			}
		}
		if len(found.Description) < 100 || found.OutputSchema != nil || found.Annotations.Title != found.Title {
			t.Errorf("%s: %+v", found.Name, found)
		}
		size, _ := found.Meta["anthropic/maxResultSizeChars"].(float64)
		tools = append(tools, tool{
			found.Name, found.Title, schema.Required, *schema.AdditionalProperties,
			found.Annotations.ReadOnlyHint, found.Annotations.IdempotentHint,
			*found.Annotations.DestructiveHint, *found.Annotations.OpenWorldHint, size,
		})
	}
	slices.SortFunc(tools, func(a, b tool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

func TestThereAreThreeTools(t *testing.T) {
	root := newRoot(t, 1)
	for _, revision := range revisions {
		for _, dot := range []string{".", "_"} {
			args := []string{}
			if dot == "_" {
				args = []string{"--tool-names", "underscore"}
			}
			want := []tool{
				{"context" + dot + "inspect_cache", "Inspect a cache", []string{"cache"}, false, true, true, false, false, 0},
				{"context" + dot + "list_caches", "List caches", nil, false, true, true, false, false, 0},
				{"context" + dot + "resolve", "Find documents", []string{"cache", "query", "budget"}, false, true, true, false, false, 500_000},
			}
			if diff := cmp.Diff(want, listTools(t, connect(t, revision, root, args...))); diff != "" {
				t.Errorf("%s, -want +got\n%s", revision, diff)
			}
		}
	}
}

func TestManyCallsOfOneClientAtOnce(t *testing.T) {
	root := newRoot(t, 50)
	session := connect(t, "2025-11-25", root)
	texts := make(chan string)
	const calls = 200
	for range calls {
		go func() {
			result, err := session.CallTool(context.WithoutCancel(t.Context()), &sdk.CallToolParams{
				Name: "context_resolve", Arguments: map[string]any{"cache": "docs", "query": "eta oin", "budget": 4_000},
			})
			if err != nil {
				texts <- err.Error()
				return
			}
			texts <- result.Content[0].(*sdk.TextContent).Text
		}()
	}
	first := <-texts
	for range calls - 1 {
		if text := <-texts; text != first || !strings.Contains(text, `"documents_considered":50`) {
			t.Errorf("got %.200q and %.200q", first, text)
		}
	}
}

func TestACallThatItsClientGaveUpStops(t *testing.T) {
	root := largeRoot(t)
	session := connect(t, "2025-11-25", root, "--max-calls", "1")
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := session.CallTool(ctx, &sdk.CallToolParams{
			Name: "context.resolve", Arguments: map[string]any{"cache": "docs", "query": "eta", "budget": 4_000},
		})
		failed <- err
	}()
	cancel()
	if err := <-failed; err == nil {
		t.Error("got no error")
	}
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "context.list_caches"})
	if err != nil || result.IsError {
		t.Errorf("got %+v and error %v", result, err)
	}
}

// The rebuild comes while the server runs; what it serves is whole and of one
// build, and the call after it sees it.
func TestARebuildIsSeenByTheNextCall(t *testing.T) {
	root := newRoot(t, 5)
	session := connect(t, "2025-11-25", root)
	for n := 1; n < 10; n++ {
		buildCache(t, writeDocuments(t, n), filepath.Join(root, "docs"))
		for _, call := range []struct {
			tool, want string
			arguments  map[string]any
		}{
			{"context.resolve", `"documents_considered":`, map[string]any{"cache": "docs", "query": "eta", "budget": 0}},
			{"context.inspect_cache", `"document_count":`, map[string]any{"cache": "docs"}},
		} {
			result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: call.tool, Arguments: call.arguments})
			if err != nil {
				t.Fatal(err)
			}
			text := result.Content[0].(*sdk.TextContent).Text
			if want := call.want + string(rune('0'+n)) + ","; !strings.Contains(text, want) {
				t.Errorf("%s: got %s, want %s", call.tool, text, want)
			}
		}
	}
}
