package document_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
)

func TestADescriptionIsOneLine(t *testing.T) {
	for _, text := range []string{"", "Docs", "Größe & <b> \"日本\" 🎉", strings.Repeat("x", 1000)} {
		if got, err := document.ParseDescription(text); got != text || err != nil {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		strings.Repeat("x", 1001): "1001 bytes", strings.Repeat("é", 501): "1002 bytes",
		"a\xff": "UTF-8", "a\nb": "a single line", "a\rb": "a single line", "a\tb": "a single line", "\x00": "a single line", "a\x7f": "a single line",
		"a\u0085b": "a single line", "a\u2028b": "a single line", "a\u2029": "a single line", "\u202eabc": "a single line", "a\u2066b": "a single line",
	} {
		if got, err := document.ParseDescription(text); got != "" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %q, %v, want an error with %q", text, got, err, want)
		}
	}
}

func TestABaseURLIsAbsoluteAndEndsWithASlash(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"https://docs.example.com":       "https://docs.example.com/",
		"https://docs.example.com/":      "https://docs.example.com/",
		"http://localhost:8080/a":        "http://localhost:8080/a/",
		"http://[::1]:80/a/":             "http://[::1]:80/a/",
		"HTTPS://Example.com/D%C3%A4/":   "HTTPS://Example.com/D%C3%A4/",
		"https://h/o/r/blob/main/{path}": "https://h/o/r/blob/main/{path}",
		"https://h/{path}/view":          "https://h/{path}/view",
	} {
		got, err := document.ParseBaseURL(text)
		if got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
		if again, err := document.ParseBaseURL(got); again != got || err != nil {
			t.Errorf("%q: the second time it is %q, %v", text, again, err)
		}
	}
	for text, want := range map[string]string{
		"docs.example.com":                      "absolute",
		"//h/a":                                 "absolute",
		"/docs/":                                "absolute",
		"ftp://h/":                              "absolute",
		"file:///docs":                          "absolute",
		"https:docs":                            "absolute",
		"https://":                              "absolute",
		"https://:80/":                          "absolute",
		"https://h/%zz":                         "absolute",
		"https://h/\n":                          "absolute",
		"javascript:x":                          "absolute",
		"https://me@h/":                         "without user",
		"https://me:key@h/":                     "without user",
		"https://h/?q":                          "without user, query",
		"https://h/?":                           "without user, query",
		"https://h/#":                           "fragment",
		"https://h/a#b":                         "fragment",
		"https://h/a b":                         "percent-encoded",
		"https://h/日本":                          "percent-encoded",
		"https://h/<a>":                         "percent-encoded",
		"https://h/{file}":                      "percent-encoded",
		"https://{path}.h/":                     "{path} in the path",
		"https://h{path}":                       "{path} in the path",
		"https://h:8{path}":                     "{path} in the path",
		"{path}":                                "absolute",
		"https://h/{path}/{path}":               "percent-encoded",
		"https://h/" + strings.Repeat("a", 991): "1001 bytes",
	} {
		if got, err := document.ParseBaseURL(text); got != "" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %q, %v, want an error with %q", text, got, err, want)
		}
	}
}

func TestThePagesOfACacheHaveURLs(t *testing.T) {
	const site, repository = "https://docs.example.com/", "https://example.com/o/r/blob/main/docs/{path}"
	for _, test := range []struct{ base, source, anchor, want string }{
		{"", "a.md", "b", ""},
		{site, "a.md", "", site + "a"},
		{site, "Guide/Install.md", "set-up", site + "Guide/Install#set-up"},
		{site, "a.mdx", "", site + "a"},
		{site, "a.markdown", "", site + "a"},
		{site, "a.txt", "", site + "a.txt"},
		{site, "a.md.md", "", site + "a.md"},
		{site, "index.md", "", site},
		{site, "README.md", "b", site + "#b"},
		{site, "guide/_index.md", "", site + "guide/"},
		{site, "guide/Readme.mdx", "", site + "guide/"},
		{site, "index/a.md", "", site + "index/a"},
		{site, "reindex.md", "", site + "reindex"},
		{site, "a b/c#d?e%.md", "größe-1", site + "a%20b/c%23d%3Fe%25#gr%C3%B6%C3%9Fe-1"},
		{site, "日本/:x.md", "", site + "%E6%97%A5%E6%9C%AC/:x"},
		{repository, "guide/README.md", "set-up", "https://example.com/o/r/blob/main/docs/guide/README.md#set-up"},
		{repository, "a b.md", "", "https://example.com/o/r/blob/main/docs/a%20b.md"},
		{"https://h/{path}/view", "a.md", "b", "https://h/a.md/view#b"},
		{"https://h/{path}", "{path}.md", "", "https://h/%7Bpath%7D.md"},
	} {
		got := document.About{BaseURL: test.base}.URL(test.source, test.anchor)
		if got != test.want {
			t.Errorf("%s, %s, %s: got %s, want %s", test.base, test.source, test.anchor, got, test.want)
		}
		if _, err := url.Parse(got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}
