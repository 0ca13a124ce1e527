package mcp_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextcompiler/context/mcp"
)

// startWeb starts a server over HTTP in this process, which ends with the test. It returns
// its address and URL.
func startWeb(t testing.TB, cfg mcp.Settings, access mcp.Access) (address, url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Log = slog.New(slog.DiscardHandler)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- mcp.ServeHTTP(ctx, cfg, access, listener) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	address = listener.Addr().String()
	return address, "http://" + address + "/mcp"
}

// overWeb returns a client whose lines go to a server over HTTP, a request each.
func overWeb(t testing.TB, cfg mcp.Settings) *client {
	t.Helper()
	_, url := startWeb(t, cfg, mcp.Access{})
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	c := listen(t, in, out)
	go func() {
		lines := bufio.NewScanner(fromClient)
		revision := ""
		for lines.Scan() && c.err == nil {
			var answer []byte
			answer, revision, c.err = post(url, lines.Text(), revision)
			if len(answer) > 0 {
				toClient.Write(append(answer, '\n'))
			}
		}
		toClient.Close()
		close(c.ended)
	}()
	return c
}

// post sends a line in the last revision of the session. It returns the answer in the same form as
// on standard output, and the revision for the next request.
func post(url, line, revision string) (answer []byte, next string, err error) {
	var message struct {
		Method string
		Params struct {
			Name            string
			ProtocolVersion string
			Meta            map[string]any `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "\ufeff")), &message); err != nil {
		return nil, "", err
	}
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(line))
	if err != nil {
		return nil, "", err
	}
	named, _ := message.Params.Meta["io.modelcontextprotocol/protocolVersion"].(string)
	if revision = cmp.Or(named, revision); revision != "" {
		request.Header.Set("MCP-Protocol-Version", revision)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Mcp-Method", message.Method)
	if message.Params.Name != "" {
		request.Header.Set("Mcp-Name", message.Params.Name)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return []byte(unescape.Replace(string(body))), cmp.Or(message.Params.ProtocolVersion, revision), err
}

// unescape undoes the escapes of the SDK in results without a text, which are needless outside of
// HTML.
var unescape = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// A call needs no session, and no initialize before it.
func TestACallOverHTTPNeedsNoSession(t *testing.T) {
	_, url := startWeb(t, agentConfig(t), mcp.Access{})
	for _, revision := range append(sdk.SupportedProtocolVersions(), "") {
		if revision == "2026-07-28" {
			continue // testdata/agents has it: every request says more
		}
		const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"context_caches","arguments":{}}}`
		answer, _, err := post(url, line, revision)
		if err != nil || !strings.Contains(string(answer), `"text":"- docs: 1 page`) {
			t.Errorf("revision %q: got %s and error %v", revision, answer, err)
		}
	}
}

// agentConfig serves a cache "docs" with a single page, and a project.
func agentConfig(t *testing.T) mcp.Settings {
	t.Helper()
	dir := t.TempDir()
	newCache(t, dir+"/docs", map[string]string{"a.md": "# A\n"})
	return mcp.Settings{Caches: []mcp.NamedCache{{Name: "docs", Path: dir + "/docs"}}, ProjectRoot: t.TempDir()}
}

// The SDK's client gets the requested revision, with and without a token.
func TestTheSDKsClientIsServedOverHTTP(t *testing.T) {
	for _, token := range []string{"", "secret"} {
		_, url := startWeb(t, agentConfig(t), mcp.Access{Token: token})
		for _, revision := range sdk.SupportedProtocolVersions() {
			transport := &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}
			client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatalf("%s: %v", revision, err)
			}
			if got := session.InitializeResult(); got.ProtocolVersion != revision || got.ServerInfo.Name != "context" {
				t.Errorf("%s: got %+v", revision, got)
			}
			tools, err := session.ListTools(t.Context(), nil)
			if err != nil || !slices.ContainsFunc(tools.Tools, func(tool *sdk.Tool) bool { return tool.Name == "context_caches" }) {
				t.Errorf("%s: got %+v and error %v", revision, tools, err)
			}
			result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "context_caches"})
			if err != nil || result.IsError || !strings.HasPrefix(result.Content[0].(*sdk.TextContent).Text, "- docs: 1 page") {
				t.Errorf("%s: got %+v and error %v", revision, result, err)
			}
			if err := session.Close(); err != nil {
				t.Errorf("%s: close: %v", revision, err)
			}
		}
	}
}

// bearer sends requests with a token, unless it is "".
type bearer string

func (token bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	if token != "" {
		request = request.Clone(request.Context())
		request.Header.Set("Authorization", "Bearer "+string(token))
	}
	return http.DefaultTransport.RoundTrip(request)
}

// Requests for another host, from a page of another host, or without the token are refused with a
// single line. In DNS rebinding, the attacker's name resolves to this server, so requests from the
// attacker's page contain this name as the host.
func TestRequestsOfStrangersAreRefused(t *testing.T) {
	address, url := startWeb(t, agentConfig(t), mcp.Access{Token: "secret", Hosts: []string{"Docs.Example.com", "10.1.2.3"}})
	_, port, _ := net.SplitHostPort(address)
	const right = "Bearer secret"
	for _, c := range []struct {
		name, host, origin, token string
		want                      int
	}{
		{"as a client does", address, "", right, 200},
		{"without a port", "127.0.0.1", "", right, 200},
		{"another loopback address", "127.9.9.9:1", "", right, 200},
		{"loopback of version 6", "[::1]:" + port, "", right, 200},
		{"loopback of version 6 without a port", "[::1]", "", right, 200},
		{"a name of loopback", "LocalHost:" + port, "", right, 200},
		{"a name of loopback with a dot", "localhost.", "", right, 200},
		{"a proxy's name", "docs.example.com", "", right, 200},
		{"a proxy's address", "10.1.2.3:443", "", right, 200},
		{"a page of this machine", address, "http://localhost:3000", right, 200},
		{"a page of the proxy", "docs.example.com", "https://docs.example.com", right, 200},
		{"token in another case", address, "", "bearer secret", 200},

		{"DNS rebinding", "evil.example:" + port, "http://evil.example:" + port, right, 403},
		{"DNS rebinding without an origin", "evil.example", "", right, 403},
		{"a name that begins as an address", "127.0.0.1.evil.example", "", right, 403},
		{"a name that ends as ours", "evil-localhost", "", right, 403},
		{"a name that ends as the proxy's", "evil.docs.example.com", "", right, 403},
		{"the unspecified address", "0.0.0.0:" + port, "", right, 403},
		{"another address", "10.1.2.4", "", right, 403},
		{"an address that is a number", "2130706433", "", right, 403},
		{"a page elsewhere", address, "https://evil.example", right, 403},
		{"a page that begins as ours", address, "http://localhost.evil.example", right, 403},
		{"a page with a user", address, "http://localhost@evil.example", right, 403},
		{"a page without an origin", address, "null", right, 403},
		{"a page of a file", address, "file://", right, 403},
		{"an extension", address, "chrome-extension://localhost", right, 403},

		{"no token", address, "", "", 401},
		{"a wrong token", address, "", "Bearer secret2", 401},
		{"half a token", address, "", "Bearer secre", 401},
		{"an empty token", address, "", "Bearer ", 401},
		{"another scheme", address, "", "Basic secret", 401},
		{"the token alone", address, "", "secret", 401},
		{"a wrong host and no token", "evil.example", "", "", 403},
	} {
		request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Host = c.host
		request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		for name, value := range map[string]string{"Origin": c.origin, "Authorization": c.token} {
			if value != "" {
				request.Header.Set(name, value)
			}
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != c.want || err != nil || c.want != 200 && strings.Count(string(body), "\n") != 1 {
			t.Errorf("%s: got %d and %q, want %d", c.name, response.StatusCode, body, c.want)
		}
		if asks := response.Header.Get("WWW-Authenticate") != ""; asks != (c.want == 401) {
			t.Errorf("%s: got the header %v", c.name, response.Header)
		}
	}
}

// Duplicate headers are refused even if one of them is right.
func TestRequestsWithDoubtfulHeadersAreRefused(t *testing.T) {
	address, url := startWeb(t, agentConfig(t), mcp.Access{Token: "secret"})
	for name, values := range map[string][]string{
		"Origin":        {"http://" + address, "https://evil.example"},
		"Authorization": {"Bearer secret", "Bearer other"},
	} {
		request, _ := http.NewRequest(http.MethodPost, url, strings.NewReader("{}"))
		request.Header.Set("Authorization", "Bearer secret")
		request.Header[name] = values
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 401 && response.StatusCode != 403 {
			t.Errorf("%s: got %d", name, response.StatusCode)
		}
	}
}

// Who watches over the server needs no token, and no name of it.
func TestHealthNeedsNoToken(t *testing.T) {
	_, url := startWeb(t, agentConfig(t), mcp.Access{Token: "secret"})
	for path, want := range map[string]int{"/healthz": 200, "/": 403, "/mcp/": 403, "/metrics": 403} {
		request, _ := http.NewRequest(http.MethodGet, strings.TrimSuffix(url, "/mcp")+path, nil)
		request.Host = "10.0.0.7"
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != want || want == 200 && string(body) != "ok\n" {
			t.Errorf("%s: got %d and %q, want %d", path, response.StatusCode, body, want)
		}
	}
}

// A browser asks first whether a page may send a request. It only gives the page the answer if this
// names the page's origin.
func TestPagesOfAllowedOriginsCanCallTheServer(t *testing.T) {
	_, url := startWeb(t, agentConfig(t), mcp.Access{Token: "secret", Hosts: []string{"docs.example.com"}})
	send := func(method, origin string, header http.Header) *http.Response {
		t.Helper()
		request, err := http.NewRequest(method, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = header.Clone()
		if origin != "" {
			request.Header.Set("Origin", origin)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response
	}
	listed := func(response *http.Response, name string) []string {
		return strings.Split(response.Header.Get(name), ", ")
	}
	preflight := http.Header{"Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"authorization,content-type"}}
	call := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer secret"}}
	withoutToken := call.Clone()
	withoutToken.Del("Authorization")

	for _, origin := range []string{"http://localhost:6274", "http://127.0.0.1:3000", "https://docs.example.com"} {
		asked := send(http.MethodOptions, origin, preflight)
		if asked.StatusCode != http.StatusNoContent || asked.Header.Get("Access-Control-Allow-Origin") != origin || !slices.Contains(listed(asked, "Access-Control-Allow-Methods"), "POST") {
			t.Errorf("%s: got %d and %v", origin, asked.StatusCode, asked.Header)
		}
		for _, name := range []string{"Authorization", "Content-Type", "Mcp-Protocol-Version", "Mcp-Session-Id", "Last-Event-ID"} {
			if !slices.Contains(listed(asked, "Access-Control-Allow-Headers"), name) {
				t.Errorf("%s: the header %s is not among %v", origin, name, asked.Header)
			}
		}
		called := send(http.MethodPost, origin, call)
		if called.StatusCode != http.StatusOK || called.Header.Get("Access-Control-Allow-Origin") != origin || called.Header.Get("Vary") != "Origin" {
			t.Errorf("%s: got %d and %v", origin, called.StatusCode, called.Header)
		}
		if !slices.Contains(listed(called, "Access-Control-Expose-Headers"), "Mcp-Session-Id") || called.Header.Get("Mcp-Session-Id") == "" {
			t.Errorf("%s: pages cannot read the session in %v", origin, called.Header)
		}
		if refused := send(http.MethodPost, origin, withoutToken); refused.StatusCode != http.StatusUnauthorized || refused.Header.Get("Access-Control-Allow-Origin") != origin {
			t.Errorf("%s: without the token: got %d and %v", origin, refused.StatusCode, refused.Header)
		}
	}
	for _, origin := range []string{"https://evil.example", "http://localhost.evil.example", "null", ""} {
		for _, response := range []*http.Response{send(http.MethodOptions, origin, preflight), send(http.MethodPost, origin, call)} {
			for name := range response.Header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("%q: got the header %s", origin, name)
				}
			}
			if origin != "" && response.StatusCode != http.StatusForbidden {
				t.Errorf("%q: got %d", origin, response.StatusCode)
			}
		}
	}
}

// exchange sends a request with an Accept header, unless it is "", and returns the answer with its
// body.
func exchange(t *testing.T, method, url, accept, body string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

// The server only supports requests, neither sessions nor streams.
func TestOnlyPOSTIsServed(t *testing.T) {
	_, url := startWeb(t, agentConfig(t), mcp.Access{})
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut, http.MethodOptions, http.MethodHead} {
		for _, url := range []string{url, url + "/"} {
			response, _ := exchange(t, method, url, "text/event-stream", "")
			if response.StatusCode != http.StatusMethodNotAllowed || response.Header.Get("Allow") != "POST" {
				t.Errorf("%s: got %d and %v", method, response.StatusCode, response.Header)
			}
		}
	}
}

// The server answers JSON to everybody, with and without a slash at the end.
func TestClientsGetJSON(t *testing.T) {
	_, url := startWeb(t, agentConfig(t), mcp.Access{})
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, accept := range []string{"", "*/*", "application/json", "application/json, text/event-stream", "text/html"} {
		for _, url := range []string{url, url + "/"} {
			response, body := exchange(t, http.MethodPost, url, accept, ping)
			if response.StatusCode != http.StatusOK || body != `{"jsonrpc":"2.0","id":1,"result":{}}` {
				t.Errorf("Accept %q, %s: got %d and %s", accept, url, response.StatusCode, body)
			}
		}
	}
}

// Programs that try other addresses learn the right one in a line, and browsers get the page.
func TestOtherAddressesNameTheRightOne(t *testing.T) {
	_, url := startWeb(t, agentConfig(t), mcp.Access{Token: "secret"})
	for _, path := range []string{
		"/register", "/authorize", "/token", "/sse", "/messages", "/mcp/sse", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
		"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/nothing",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			for _, accept := range []string{"", "*/*", "application/json", "application/json, text/event-stream"} {
				response, body := exchange(t, method, strings.TrimSuffix(url, "/mcp")+path, accept, "{}")
				if response.StatusCode != 404 || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain") || !strings.Contains(body, "/mcp") || strings.Count(body, "\n") != 1 {
					t.Errorf("%s %s, Accept %q: got %d and %.200s", method, path, accept, response.StatusCode, body)
				}
			}
		}
		if response, body := exchange(t, http.MethodGet, strings.TrimSuffix(url, "/mcp")+path, "text/html,*/*;q=0.8", ""); response.StatusCode != 404 || !strings.HasPrefix(body, "<!doctype html>") {
			t.Errorf("%s in a browser: got %d and %.200s", path, response.StatusCode, body)
		}
	}
	if response, _ := exchange(t, http.MethodPost, strings.TrimSuffix(url, "/mcp"), "", "{}"); response.StatusCode != 404 {
		t.Errorf("POST /: got %d, want 404", response.StatusCode)
	}
}

// A client over HTTP may be on another machine, so it only sees a single project.
func TestOtherProjectsAreNotServedOverHTTP(t *testing.T) {
	cfg := mcp.Settings{ProjectRoot: t.TempDir()}
	other := t.TempDir()
	writeFile(t, other+"/.context.yaml", "version: 1\nlast_updated: never\nfingerprint: ''\nscope: .\nsummary: a secret\nmaintenance: ''\n")
	calls := map[string]arguments{
		"query_context":   {"scope": ".", "path": other},
		"check_freshness": {"scope": ".", "path": other},
		"list_contexts":   {"path": other},
	}
	stdio, web := startServer(t, mcp.ServeAgents, cfg).initialize(), overWeb(t, cfg)
	for tool, args := range calls {
		if got := stdio.call(tool, args); got.Result.IsError {
			t.Errorf("%s on standard input: got %s", tool, got.text())
		}
		if got := web.call(tool, args); !got.Result.IsError || !strings.Contains(got.text(), `unknown argument \"path\"`) || strings.Contains(got.text(), "secret") {
			t.Errorf("%s over HTTP: got %s", tool, got.text())
		}
	}
	if tools := web.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); strings.Contains(tools, `"path"`) || !strings.Contains(tools, `"list_contexts"`) {
		t.Errorf("got %s", tools)
	}
	if _, err := web.finish(); err != nil {
		t.Error(err)
	}
}

// If a server cannot accept connections, it ends with an error.
func TestAListenerThatFailsEndsTheServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	cfg := agentConfig(t)
	cfg.Log = slog.New(slog.DiscardHandler)
	if err := mcp.ServeHTTP(t.Context(), cfg, mcp.Access{}, listener); err == nil {
		t.Error("got no error")
	}
}
