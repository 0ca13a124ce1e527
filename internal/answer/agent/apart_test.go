package agent

import (
	"strings"
	"testing"
)

func TestNumbersThatPagesWriteApartAreNamed(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{"": {
		"a.md": "# A\n\nThe server speaks TLS 1.3 since Python 3.12, over HTTP/2, with SHA-256 and utf8 names.\n",
		"b.md": "# B\n\nStep 3. A pair of 12 and 2.\n",
	}})
	for query, want := range map[string]string{
		"TLS1.3": `pages write "TLS 1.3" for "TLS1.3": try that`, "how to use tls1.3?": `pages write "TLS 1.3" for "tls1.3": try that`,
		"python3.12": `pages write "Python 3.12" for "python3.12": try that`, "HTTP2": `pages write "HTTP/2" for "HTTP2": try that`,
		"python3.1": "", "TLS1.2": "", "server12": "", "utf8": "", "sha256": "", "TLS 1.3": "", "HTTP/2": "", "of2": "",
	} {
		for call, answer := range map[string]func() ([]byte, error){
			"search": func() ([]byte, error) { return Markdown(Search(t.Context(), set, SearchRequest{Query: query})) },
			"ask":    func() ([]byte, error) { return Markdown(Ask(t.Context(), set, AskRequest{Query: query})) },
		} {
			out, err := answer()
			says := strings.Contains(string(out), "pages write")
			if err != nil || says != (want != "") || !strings.Contains(string(out), want) {
				t.Errorf("%s %s: got %v, want %q, in\n%s", call, query, err, want, out)
			}
		}
	}
}
