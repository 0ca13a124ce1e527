package cli

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/contextcompiler/context/mcp"
)

func TestReachableAddresses(t *testing.T) {
	for ip, want := range map[string]string{"127.0.0.1": "127.0.0.1:80", "0.0.0.0": "127.0.0.1:80", "::": "127.0.0.1:80", "::1": "[::1]:80", "10.1.2.3": "10.1.2.3:80"} {
		if got := reachable(&net.TCPAddr{IP: net.ParseIP(ip), Port: 80}); got != want {
			t.Errorf("%s: got %s, want %s", ip, got, want)
		}
	}
}

// The commands on the page can be pasted where the server was started. They contain no paths if
// others can see the page.
func TestTheCommandsOfThePage(t *testing.T) {
	two := mcp.Settings{Caches: []mcp.NamedCache{{Name: "docs", Path: "x/docs"}, {Name: "api", Path: "x/api"}}}
	root := mcp.Settings{CacheRoot: "x"}
	file := func(path string) askedFlags { return askedFlags{targetFlags: targetFlags{file: fileFlag{path: path}}} }
	for _, c := range []struct {
		cfg    mcp.Settings
		asked  askedFlags
		token  string
		caches []string
		want   string
	}{
		{two, askedFlags{caches: []string{"x/docs", "api=x/api"}}, "", []string{"api"}, "context ask --cache api=x/api -- 'what?'"},
		{two, askedFlags{caches: []string{"x/docs", "api=x/api"}}, "", []string{"docs", "api"}, "context ask --cache x/docs --cache api=x/api -- 'what?'"},
		{two, askedFlags{caches: []string{"x/docs", "api=x/api"}}, "secret", []string{"docs"}, "context ask --cache docs=DIR -- 'what?'"},
		{root, askedFlags{}, "", []string{"a/docs"}, "context ask --cache " + filepath.Join("x", "a", "docs") + " -- 'what?'"},
		{root, askedFlags{}, "secret", []string{"docs"}, "context ask --cache docs=DIR -- 'what?'"},
		{two, askedFlags{}, "", []string{"docs", "api"}, "context ask -- 'what?'"},
		{two, askedFlags{}, "", []string{"docs"}, "context ask --target docs -- 'what?'"},
		{two, file("x/c.yml"), "", []string{"docs"}, "context ask --file x/c.yml --target docs -- 'what?'"},
		{two, file("x/c.yml"), "secret", []string{"docs", "api"}, "context ask --file FILE -- 'what?'"},
	} {
		typed := serveFlags{asked: c.asked}
		if got := typed.commandFor(c.cfg, mcp.Access{Token: c.token})(c.caches, []string{"ask", "--", "what?"}); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
