package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/mcp"
)

// metaOf is the required _meta of requests in a revision without a handshake.
func metaOf(revision string) map[string]any {
	return map[string]any{
		"progressToken": 1,
		"io.modelcontextprotocol/protocolVersion":    revision,
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1", "icons": []any{map[string]any{"src": "x", "sizes": []any{"1x1"}}}},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{"roots": map[string]any{"listChanged": true}},
		"io.modelcontextprotocol/logLevel":           "info",
	}
}

// requestOf returns a request of a revision.
func requestOf(revision, method string, params map[string]any) map[string]any {
	if revision == newestRevision {
		params["_meta"] = metaOf(revision)
	}
	return map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
}

const newestRevision = "2026-07-28"

// An asker sends a line and returns the answers of the server.
type asker func(line string) []string

// askersOf returns the ways to talk to a server, by their names.
func askersOf(t *testing.T, revision string) map[string]asker {
	t.Helper()
	dir := t.TempDir()
	newCache(t, dir+"/docs", map[string]string{"a.md": "# A\n"})
	contract := mcp.Settings{CacheRoot: dir, ProjectRoot: dir}
	agents := mcp.Settings{Caches: []mcp.NamedCache{{Name: "docs", Path: dir + "/docs"}}, ProjectRoot: dir}
	_, url := startWeb(t, agents, mcp.Access{})
	return map[string]asker{
		"contract":  linesTo(start(t, contract), revision),
		"agents":    linesTo(startServer(t, mcp.ServeAgents, agents), revision),
		"over HTTP": func(line string) []string { return []string{postAs(t, url, revision, line)} },
	}
}

// linesTo returns an asker on standard input, in a session of a revision.
func linesTo(c *client, revision string) asker {
	if revision != newestRevision {
		c.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":{}}}`, revision))
	}
	return func(line string) (answers []string) {
		c.send(line)
		c.send(`{"jsonrpc":"2.0","id":"end","method":"nothing"}`)
		for {
			answer := c.receive()
			if strings.Contains(answer, `"id":"end"`) {
				return answers
			}
			answers = append(answers, answer)
		}
	}
}

// postAs returns the answer to a line over HTTP.
func postAs(t *testing.T, url, revision, line string) string {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	var message struct {
		Method any
		Params any
	}
	json.Unmarshal([]byte(line), &message)
	request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {revision}}
	request.Header.Set("Mcp-Method", fmt.Sprint(message.Method))
	if params, ok := message.Params.(map[string]any); ok && params["name"] != nil {
		request.Header.Set("Mcp-Name", fmt.Sprint(params["name"]))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// A server only answers the methods it advertises.
func TestMethodsThatAreNotAdvertisedAreUnknown(t *testing.T) {
	methods := map[string]map[string]any{
		"resources/list": {}, "resources/templates/list": {}, "resources/read": {"uri": "file:///a"},
		"resources/subscribe": {"uri": "file:///a"}, "resources/unsubscribe": {"uri": "file:///a"},
		"prompts/list": {}, "prompts/get": {"name": "a"}, "logging/setLevel": {"level": "info"},
		"completion/complete": {"ref": map[string]any{"type": "ref/prompt", "name": "a"}, "argument": map[string]any{"name": "a", "value": "b"}},
	}
	for _, revision := range sdk.SupportedProtocolVersions() {
		for name, ask := range askersOf(t, revision) {
			for method, params := range methods {
				for _, params := range []map[string]any{params, {}} {
					line, _ := json.Marshal(requestOf(revision, method, params))
					answers := ask(string(line))
					if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: \"%s\""}}`, method); len(answers) != 1 || answers[0] != want {
						t.Errorf("%s, %s, %s: got %q, want %s", name, revision, line, answers, want)
					}
				}
			}
		}
	}
}

// inGo matches what only programmers in Go understand.
var inGo = regexp.MustCompile(`\bGo |unmarshal|json:|struct|interface|map\[|\*mcp|handling '|\bgob\b|%!`)

// No message describes a wrong value by the types of the program.
func TestMessagesDoNotNameGoTypes(t *testing.T) {
	object := func(names ...string) map[string]any {
		m := map[string]any{}
		for _, name := range names {
			m[name] = "a"
		}
		return m
	}
	requests := map[string][]map[string]any{
		"initialize": {{
			"protocolVersion": "2025-06-18",
			"capabilities": map[string]any{
				"roots": map[string]any{"listChanged": true}, "sampling": map[string]any{"context": object(), "tools": object()},
				"elicitation": map[string]any{"form": object(), "url": object()}, "experimental": object("a"), "extensions": object("a"),
			},
			"clientInfo": map[string]any{"name": "a", "version": "1", "title": "a", "icons": []any{map[string]any{"src": "a", "sizes": []any{"a"}}}},
			"_meta":      object("a"),
		}},
		"ping": {{}}, "server/discover": {{}}, "nope": {{"a": "b"}},
		"tools/list": {{"cursor": "a"}},
		"subscriptions/listen": {{"notifications": map[string]any{
			"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true, "resourceSubscriptions": []any{"a"},
		}}},
		"notifications/cancelled": {{"requestId": 1, "reason": "a"}},
		"notifications/progress":  {{"progressToken": 1, "progress": 1, "total": 2, "message": "a"}},
		"prompts/get":             {{"name": "a", "arguments": object("a")}},
		"logging/setLevel":        {{"level": "info"}},
	}
	tools := map[string]map[string]any{
		"context.resolve": {"cache": "docs", "query": "a", "budget": 10}, "context.list_caches": {"root": "."}, "context.inspect_cache": {"cache": "docs"},
		"query_context": {"scope": ".", "path": ".", "filter": []any{"summary"}}, "check_freshness": {"scope": ".", "path": "."}, "list_contexts": {"path": "."},
		"context_search":  {"query": "a", "caches": []any{"docs"}, "path": []any{"a.md"}, "where": []any{"a=b"}, "limit": 1, "min_score": 0.5},
		"context_read":    {"ids": []any{"a.md"}, "max_tokens": 10},
		"context_outline": {"depth": 1, "budget": 10}, "context_grep": {"pattern": "a", "regexp": true, "ignore_case": true, "limit": 1},
	}
	for _, tool := range slices.Sorted(maps.Keys(tools)) {
		requests["tools/call"] = append(requests["tools/call"], map[string]any{
			"name": tool, "arguments": tools[tool], "requestState": "a", "inputResponses": map[string]any{"a": map[string]any{"action": "accept"}},
		})
	}
	for _, revision := range []string{"2025-11-25", newestRevision} {
		for name, ask := range askersOf(t, revision) {
			met, tried := 0, 0
			for _, method := range slices.Sorted(maps.Keys(requests)) {
				for _, params := range requests[method] {
					eachWrong(requestOf(revision, method, params), func(request any) {
						if met++; met%effort.Cases(1, fewOfWrong) != 0 {
							return
						}
						line, err := json.Marshal(request)
						if err != nil {
							t.Fatal(err)
						}
						tried++
						for _, answer := range ask(string(line)) {
							if message := messageIn(answer); inGo.MatchString(message) {
								t.Errorf("%s, %s: got %s", name, line, message)
							}
						}
					})
				}
			}
			if tried < 500 {
				t.Errorf("%s: tried only %d of %d requests", name, tried, met)
			}
		}
	}
}

// wrongValues are values of each type, including some that are hard to read.
var wrongValues = []any{
	nil, true, 5, -0.5, json.RawMessage("1e400"), "", "a",
	[]any{},
	[]any{5},
	map[string]any{},
	map[string]any{"a": 5},
	json.RawMessage(strings.Repeat("[", 99) + strings.Repeat("]", 99)), json.RawMessage(strings.Repeat("[", 2000) + strings.Repeat("]", 2000)),
}

// fewOfWrong is the step between the wrong requests to try, unless a test tries all of them.
// Because it shares no factor with the number of wrong values, each value is tried.
const fewOfWrong = 5

// eachWrong calls try with copies of a value, each with a different part replaced by a wrong value,
// always in the same order.
func eachWrong(value any, try func(any)) {
	for _, wrong := range wrongValues {
		try(wrong)
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			member := value[name]
			eachWrong(member, func(wrong any) {
				value[name] = wrong
				try(value)
			})
			value[name] = member
		}
	case []any:
		for i, element := range value {
			eachWrong(element, func(wrong any) {
				value[i] = wrong
				try(value)
			})
			value[i] = element
		}
	}
}

// messageIn returns the message of a failure, and "" for an answer without one.
func messageIn(answer string) string {
	var failed struct {
		Result struct {
			IsError bool
			Content json.RawMessage
		}
		Error json.RawMessage
	}
	switch err := json.Unmarshal([]byte(answer), &failed); {
	case err != nil:
		return answer // text over HTTP
	case failed.Result.IsError:
		return string(failed.Result.Content)
	}
	return string(bytes.TrimSpace(failed.Error))
}
