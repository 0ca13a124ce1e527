package mcp_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/contextcompiler/context/mcp"
)

// getPage requests the page with a header, without following redirects.
func getPage(t *testing.T, method, address string, header http.Header) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	request.Host = header.Get("Host")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// The page is guarded like the tools, except that it asks people for the token.
func TestThePageIsGuarded(t *testing.T) {
	_, address := startWeb(t, agentConfig(t), mcp.Access{Token: "secret", Hosts: []string{"docs.example.com"}})
	address = strings.TrimSuffix(address, "/mcp")
	for _, c := range []struct {
		method, path, host, origin, token string
		want                              int
	}{
		{"GET", "/?q=a", "", "", "Bearer secret", 200},
		{"GET", "/?q=a", "docs.example.com", "http://docs.example.com", "Bearer secret", 200},
		{"GET", "/?q=a", "", "", "", 401},
		{"GET", "/?q=a", "", "", "Bearer wrong", 401},
		{"GET", "/?q=a&token=secret", "", "", "", 401},
		{"GET", "/?q=a", "evil.example", "", "Bearer secret", 403},
		{"GET", "/style.css", "evil.example", "", "", 403},
		{"GET", "/style.css", "", "", "", 200},
		{"GET", "/?q=a", "", "http://evil.example", "Bearer secret", 403},
		{"POST", "/session?token=secret", "", "http://evil.example", "", 403},
		{"POST", "/session?token=secret", "", "null", "", 403},
		{"POST", "/session?token=secret", "", "http://localhost", "", 403}, // the token is only read from a form's body
	} {
		header := http.Header{}
		for name, value := range map[string]string{"Host": c.host, "Origin": c.origin, "Authorization": c.token} {
			if value != "" {
				header.Set(name, value)
			}
		}
		if got, body := getPage(t, c.method, address+c.path, header); got != c.want {
			t.Errorf("%v: got status %d and %s", c, got, body)
		}
	}
}

var (
	shownCall = regexp.MustCompile(`(?s)<pre id="call[12]?" tabindex="0"><code>(.*?)</code></pre>`)
	shownText = regexp.MustCompile(`(?s)<pre id="markdown[12]?" tabindex="0"><code>(.*?)</code></pre>`)
)

// Each view contains the call of a tool, and this call returns the text in the view.
func TestThePageShowsWhatItsCallsReturn(t *testing.T) {
	dir := t.TempDir()
	pages := map[string]string{"guide/setup.md": "# Setup\n\n## Install\n\nInstall it & run `<it>`.\n\n```go\ninstall()\n```\n", "api.md": "# API\n\nThe API can install.\n"}
	newCache(t, dir+"/docs", pages)
	newCache(t, dir+"/old", map[string]string{"a.md": "# A\n\nInstall it from a disk.\n"})
	for name, cfg := range map[string]mcp.Settings{
		"one":  {Caches: []mcp.NamedCache{{Name: "docs", Path: dir + "/docs"}}},
		"two":  {Caches: []mcp.NamedCache{{Name: "docs", Path: dir + "/docs"}, {Name: "old", Path: dir + "/old"}}},
		"root": {CacheRoot: dir},
	} {
		_, address := startWeb(t, cfg, mcp.Access{})
		for _, view := range []string{
			"/?q=install+it", "/?q=install&limit=1&path=guide/+!api.md", "/?q=install&code=go", "/?q=install&cache=docs", "/ask?q=how+to+install+it&budget=100", "/ask?q=install&cache=docs",
			"/outline", "/outline?budget=30", "/read?id=setup.md", "/read?budget=10&id=" + url.QueryEscape("guide/setup.md#install"), "/compare?q=install+it",
		} {
			if name == "one" && strings.HasPrefix(view, "/compare") {
				continue
			}
			status, body := getPage(t, http.MethodGet, strings.TrimSuffix(address, "/mcp")+view, http.Header{})
			calls, texts := shownCall.FindAllStringSubmatch(body, -1), shownText.FindAllStringSubmatch(body, -1)
			if status != http.StatusOK || len(calls) == 0 || len(calls) != len(texts) {
				t.Errorf("%s, %s: got status %d and %s", name, view, status, body)
				continue
			}
			for i, call := range calls {
				answer, _, err := post(address, html.UnescapeString(call[1]), "")
				var message struct {
					Result struct{ Content []struct{ Text string } }
				}
				if err == nil {
					err = json.Unmarshal(answer, &message)
				}
				got := fmt.Sprint(message.Result.Content)
				if want := fmt.Sprintf("[{%s}]", html.UnescapeString(texts[i][1])); err != nil || got != want {
					t.Errorf("%s, %s: the call returns %s and error %v, the page shows %s", name, view, answer, err, want)
				}
			}
		}
	}
}

// A server for a project alone serves a page that says so.
func TestThePageNeedsCaches(t *testing.T) {
	_, address := startWeb(t, mcp.Settings{ProjectRoot: t.TempDir()}, mcp.Access{})
	status, body := getPage(t, http.MethodGet, strings.TrimSuffix(address, "mcp"), http.Header{})
	if status != http.StatusBadRequest || !strings.Contains(body, "no caches, only directory contexts") {
		t.Errorf("got status %d and %s", status, body)
	}
}
