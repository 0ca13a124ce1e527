package web

import (
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

func TestMain(m *testing.M) {
	effort.UseMemory()
	os.Exit(m.Run())
}

// cachesOf are open caches by their names.
type cachesOf []answers.Member

func (c cachesOf) Names() (names []string, err error) {
	for _, of := range c {
		names = append(names, of.Name)
	}
	return names, nil
}

func (c cachesOf) Open(names []string) (*answers.Set, func(error), error) {
	var chosen []answers.Member
	for _, of := range c {
		if len(names) == 0 || strings.Contains(strings.Join(names, " "), of.Name) {
			chosen = append(chosen, of)
		}
	}
	if len(chosen) == 0 {
		return nil, nil, agent.ArgumentError("no cache " + strings.Join(names, ", "))
	}
	set, err := answers.NewSet(chosen)
	return set, func(error) {}, err
}

// newCache builds a cache of pages.
func newCache(t testing.TB, name string, pages map[string]string) answers.Member {
	t.Helper()
	dir := t.TempDir()
	for path, text := range pages {
		path = filepath.Join(dir, "pages", filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	config := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "pages")}}, Cache: filepath.Join(dir, "cache")}
	config.About.BaseURL = "https://docs.example.com/"
	if _, err := pipeline.Build(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	opened, err := answers.Open(config.Cache)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(opened.Close)
	return answers.Member{Name: name, Cache: opened}
}

var guide = map[string]string{
	"index.md":       "# The guide\n\nStart with [the setup](guide/setup.md), or read [nothing](missing.md).\n",
	"guide/setup.md": "# Setting it up\n\nIntroduction.\n\n## Install the server\n\nRun `make install` to install the server. <b>Bold</b> <script>alert(1)</script>\n\n" + strings.Repeat("More about the server. ", 40) + "\n\n## Retries of the server\n\nThe server retries a request three times. " + strings.Repeat("Words about requests. ", 60) + "\n",
	"guide/copy.md":  "# Setting it up\n\nIntroduction.\n\n## Install the server\n\nRun `make install` to install the server. <b>Bold</b> <script>alert(1)</script>\n\n" + strings.Repeat("More about the server. ", 40) + "\n",
}

// newPage serves the page for two caches.
func newPage(t testing.TB, token string) *httptest.Server {
	t.Helper()
	settings := PageSettings{
		Caches: cachesOf{newCache(t, "docs", guide), newCache(t, "old", map[string]string{"a.md": "# Old\n\nInstall the server with a disk.\n"})},
		Token:  token, Timeout: time.Minute, Calls: 2, Version: "1.2.3",
		Advice: func(err error) string { return err.Error() },
	}
	server := httptest.NewServer(New(settings))
	t.Cleanup(server.Close)
	return server
}

// A reply is a response with its body.
type reply struct {
	*http.Response
	body string
}

// send sends a request without following redirects.
func send(t testing.TB, request *http.Request) reply {
	t.Helper()
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response, string(body)}
}

// get sends a request as a browser does.
func get(t testing.TB, address string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/html,*/*;q=0.8")
	return send(t, request)
}

func TestViewsShowWhatAgentsGet(t *testing.T) {
	server := newPage(t, "")
	for _, c := range []struct {
		address string
		want    []string // in the page
	}{
		{"/", []string{"Try one of these", "Setting it up", "3 pages"}},
		{"/?q=install+the+server&cache=docs", []string{
			"Run <code>make </code><code><mark>install</mark></code> to", `href="/read?cache=docs&amp;id=docs%3A`, "also in docs:guide/setup.md",
			`<pre id="call" tabindex="0"><code>{&#34;jsonrpc&#34;:&#34;2.0&#34;`,
		}},
		{"/ask?q=install+the+server&budget=300&cache=docs", []string{
			"Left out at 300 tokens", "says almost the same as", `start="1"`, "https://docs.example.com/guide/copy",
			"Bold", "&#34;budget&#34;:300", `<output id="tokens" for="budget">300 tokens`,
		}},
		{"/why?q=install+the+server&cache=docs&budget=300", []string{"left out: it says almost the same as docs:guide/", "“server”", "in a heading"}},
		{"/outline?cache=docs", []string{
			`<details class="folder" open><summary>guide/ <small>2 pages · `, `<a href="/read?cache=docs&amp;id=docs%3Aguide%2Fsetup.md">Setting it up</a> <small>setup.md · `,
			"<summary>2 headings</summary>", "Retries of the server", "The same for an agent",
		}},
		{"/read?id=docs:index.md", []string{`<a href="/read?id=docs%3Aguide%2Fsetup.md" rel="noopener noreferrer nofollow">the setup</a>`, `<span class="dead" title="missing.md">nothing</span>`}},
		{"/compare?q=install+the+server", []string{"with a disk", "Run <code>make", `<small class="alone">only here</small>`, `id="call1"`, `id="call2"`}},
		{"/?q=zebras+in+the+wild&cache=docs", []string{"nothing matches: try other words, or the outline"}},
		{"/ask?q=" + url.QueryEscape("server zebra giraffe elephant"), []string{`<div class="doubt">`, "nothing answers this"}},
	} {
		got := get(t, server.URL+c.address)
		if got.StatusCode != http.StatusOK {
			t.Errorf("%s: got status %d", c.address, got.StatusCode)
		}
		for _, want := range c.want {
			if !strings.Contains(got.body, want) {
				t.Errorf("%s does not contain %s:\n%s", c.address, want, got.body)
			}
		}
		if strings.Contains(got.body, "<script>") || strings.Contains(got.body, "style=") {
			t.Errorf("%s contains HTML of a page, or a style that the policy forbids", c.address)
		}
	}
}

var shownMarkdown = regexp.MustCompile(`(?s)<pre id="markdown" tabindex="0"><code>(.*?)</code></pre>`)

// The views contain the bytes of the tools and commands.
func TestViewsContainTheBytesOfAgents(t *testing.T) {
	member := newCache(t, "docs", guide)
	set, err := answers.NewSet([]answers.Member{member})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(New(PageSettings{Caches: cachesOf{member}, Timeout: time.Minute, Calls: 1, Advice: error.Error}))
	t.Cleanup(server.Close)
	const query = "install the server"
	search, err1 := agent.Markdown(agent.Search(t.Context(), set, agent.SearchRequest{Query: query, MinScore: agent.SearchMinScore}))
	ask, err2 := agent.Markdown(agent.Ask(t.Context(), set, agent.AskRequest{Query: query, MinScore: agent.AskMinScore, Budget: 300}))
	read, err3 := agent.Markdown(agent.Read(t.Context(), set, agent.ReadRequest{References: []string{"guide/setup.md"}}))
	outline, err4 := agent.Markdown(agent.Outline(t.Context(), set, agent.OutlineRequest{Depth: agent.DeepestHeadings}))
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string][]byte{
		"/?q=install+the+server": search, "/ask?q=install+the+server&budget=300": ask, "/read?id=guide/setup.md": read, "/outline": outline,
	} {
		found := shownMarkdown.FindStringSubmatch(get(t, server.URL+address).body)
		if found == nil || html.UnescapeString(found[1]) != string(want) {
			t.Errorf("%s: got %q, want %q", address, found, want)
		}
	}
}

func TestMistakesSayWhatToDo(t *testing.T) {
	server := newPage(t, "")
	const emptyLimit = `min="1" max="50" value="0"` // with which browsers refuse to send the form
	for address, want := range map[string]string{
		"/ask?q=x&budget=many": "budget: expected a number from 1 to 50000, got &#34;many&#34;", "/?q=x&limit=0": "limit: expected a number from 1 to 50",
		"/?q=" + strings.Repeat("x", maxQuery+1): "use at most 4096 bytes", "/?q=x&where=topic": "such as topic=guide", "/?q=x&code=%7B": "expected any, or languages",
		"/?q=x&cache=none": "no cache none", "/read": "nothing to read", "/read?id=docs:none.md": "none.md", "/?q=x" + strings.Repeat("&cache=docs", maxValues+1): "too long",
	} {
		got := get(t, server.URL+address)
		if got.StatusCode != http.StatusBadRequest || !strings.Contains(got.body, want) || !strings.Contains(got.body, `role="alert"`) || !strings.Contains(got.body, "<form") || !strings.Contains(address, "limit=0") && strings.Contains(got.body, emptyLimit) {
			t.Errorf("%.40s: got status %d and %s, want %s", address, got.StatusCode, got.body, want)
		}
	}
	if got := get(t, server.URL+"/nothing"); got.StatusCode != http.StatusNotFound || !strings.Contains(got.body, "<form") || strings.Contains(got.body, emptyLimit) {
		t.Errorf("got status %d", got.StatusCode)
	}
	empty := httptest.NewServer(New(PageSettings{Timeout: time.Minute, Calls: 1, Advice: error.Error}))
	defer empty.Close()
	if got := get(t, empty.URL+"/"); !strings.Contains(got.body, "this server has no caches") {
		t.Errorf("got %s", got.body)
	}
}

// The script puts this address into the browser after each answer.
func TestAReadingKeepsItsAddress(t *testing.T) {
	server := newPage(t, "")
	hit := regexp.MustCompile(`href="(/read\?[^"]*id=[^"]*)"`).FindStringSubmatch(get(t, server.URL+"/?q=server").body)
	if hit == nil {
		t.Fatal("no answer links to its text")
	}
	got := get(t, server.URL+html.UnescapeString(hit[1]))
	if address := regexp.MustCompile(`data-address="/read\?[^"]*id=`); got.StatusCode != http.StatusOK || !address.MatchString(got.body) {
		t.Errorf("%s: got status %d and no address with its id", hit[1], got.StatusCode)
	}
}

func TestHeadersForbidEverythingElse(t *testing.T) {
	server := newPage(t, "secret")
	for _, address := range []string{"/", "/?q=server", "/style.css", "/page.js", "/icon.svg", "/session", "/nothing"} {
		got := get(t, server.URL+address)
		for name, want := range map[string]string{
			"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
			"X-Content-Type-Options":       "nosniff",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got.Header.Get(name) != want {
				t.Errorf("%s: %s is %q, want %q", address, name, got.Header.Get(name), want)
			}
		}
	}
	if got := get(t, newPage(t, "").URL+"/?q=server").Header.Get("Referrer-Policy"); got != "no-referrer" {
		t.Errorf("the referrer policy is %q", got)
	}
	for name, a := range assets {
		if got := get(t, server.URL+assetAddress(name)); got.body != a.text || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: got %q", name, got.Header)
		}
	}
}

// sendToken submits the form for the token.
func sendToken(t testing.TB, server *httptest.Server, fields url.Values) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/session", strings.NewReader(fields.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return send(t, request)
}

func TestTheTokenIsAskedForOnce(t *testing.T) {
	server := newPage(t, "right-token")
	locked := get(t, server.URL+"/ask?q=server")
	if locked.StatusCode != http.StatusUnauthorized || !strings.Contains(locked.body, `name="next" value="/ask?q=server"`) || strings.Contains(locked.body, "retries") {
		t.Fatalf("got status %d and %s", locked.StatusCode, locked.body)
	}
	wrong := sendToken(t, server, url.Values{"token": {"wrong"}, "next": {"/ask"}})
	if wrong.StatusCode != http.StatusForbidden || len(wrong.Cookies()) > 0 || !strings.Contains(wrong.body, "not the token") {
		t.Errorf("got status %d and cookies %v", wrong.StatusCode, wrong.Cookies())
	}
	right := sendToken(t, server, url.Values{"token": {" right-token\n"}, "next": {"/ask?q=server"}})
	if right.StatusCode != http.StatusSeeOther || right.Header.Get("Location") != "/ask?q=server" || len(right.Cookies()) != 1 {
		t.Fatalf("got status %d, %v", right.StatusCode, right.Header)
	}
	cookie := right.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.MaxAge != 0 || strings.Contains(cookie.Value, "right-token") {
		t.Errorf("got cookie %v", cookie)
	}
	open := func(name, value string) int {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/ask?q=server", nil)
		request.Header.Set(name, value)
		return send(t, request).StatusCode
	}
	for value, want := range map[string]int{
		cookie.Value: 200, "": 401, cookie.Value + "0": 401, "9" + cookie.Value: 401, "right-token": 401, ".": 401, strings.Split(cookie.Value, ".")[0]: 401,
	} {
		if got := open("Cookie", cookieName+"="+value); got != want {
			t.Errorf("cookie %q: got status %d, want %d", value, got, want)
		}
	}
	for value, want := range map[string]int{"Bearer right-token": 200, "Bearer wrong": 401, "right-token": 401} {
		if got := open("Authorization", value); got != want {
			t.Errorf("%s: got status %d, want %d", value, got, want)
		}
	}
	ended := sendToken(t, server, url.Values{"end": {"1"}})
	if got := ended.Cookies(); len(got) != 1 || got[0].MaxAge >= 0 || got[0].Value != "" {
		t.Errorf("got cookies %v", got)
	}
	if got := sendToken(t, server, url.Values{"token": {strings.Repeat("x", 2*maxForm)}}); got.StatusCode != http.StatusForbidden {
		t.Errorf("a large form: got status %d", got.StatusCode)
	}
}

func TestSessionsEnd(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	s := sessions{"token", func() time.Time { return now }}
	w := httptest.NewRecorder()
	s.begin(w, httptest.NewRequest(http.MethodPost, "/session", nil))
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.AddCookie(w.Result().Cookies()[0])
	if !s.allows(r) {
		t.Error("a new session is refused")
	}
	if other := (sessions{"another token", s.now}); other.allows(r) {
		t.Error("a session survives another token")
	}
	if now = now.Add(sessionTime); s.allows(r) {
		t.Error("the session does not end")
	}
}

func TestTheFormLeadsNowhereElse(t *testing.T) {
	for text, want := range map[string]string{
		"/ask?q=a+b": "/ask?q=a+b", "//evil.example/": "/", `/\evil.example`: "/", "https://evil.example/": "/", "javascript:alert(1)": "/", "": "/", "ask": "/", "/%2f/evil": "/",
	} {
		if got := localAddress(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Views wait for their turn, and those that wait too long are told to try again.
func TestABusyPageSaysSo(t *testing.T) {
	page := New(PageSettings{Timeout: time.Millisecond, Calls: 0, Advice: error.Error}) // so none can run
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/?q=server", nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "try again") || !strings.Contains(w.Body.String(), `value="server"`) {
		t.Errorf("got status %d and %s", w.Code, w.Body)
	}
}

// A quote shows what its markup means, and marks the same matches.
func TestQuotesShowNoMarkup(t *testing.T) {
	query, err := selection.ParseQuery("walrus tusks")
	if err != nil {
		t.Fatal(err)
	}
	find := matchFinder(ranking.ParseQuery(query).Finder())
	for quote, want := range map[string]string{
		"A **walrus** has `tusks` and *more*.":       "A **[walrus]** has `[tusks]` and more.",
		"| `--walrus` | its **tusks** | a\\|b |":     "`--[walrus]` · its **[tusks]** · a|b",
		"See [the walrus](a.md \"title\") &amp; co.": "See the [walrus] & co.",
		"a `|` b":                                "a `|` b",
		"2 * 3 * 4, a_walrus_b, \\*tusks\\*":     "2 * 3 * 4, a_[walrus]_b, *[tusks]*",
		"<b>walrus</b> <https://walrus.example>": "[walrus] https://[walrus].example",
		"| --- | :-: |":                          "",
		"":                                       "",
	} {
		got := ""
		for _, p := range find.quotePieces(quote) {
			text := p.Text
			if p.IsMatch {
				text = "[" + text + "]"
			}
			if p.IsCode {
				text = "`" + text + "`"
			}
			if p.IsStrong {
				text = "**" + text + "**"
			}
			got += text
		}
		if got = strings.ReplaceAll(got, "``", ""); got != want {
			t.Errorf("%s: got %s, want %s", quote, got, want)
		}
	}
	if long := strings.Repeat("*a ", 4000); len(find.quotePieces(long)) != 1 {
		t.Error("a quote that is expensive to parse is parsed")
	}
}

func TestWhyShowsWordsAndRoundedShares(t *testing.T) {
	body := get(t, newPage(t, "").URL+"/why?q=installing+servers&cache=docs").body
	for _, want := range []string{"<td>installing</td>", "<td>servers</td>", "“servers”"} {
		if !strings.Contains(body, want) {
			t.Errorf("got %s, want %s", body, want)
		}
	}
	if found := regexp.MustCompile(`\b0\.\d{3,}`).FindString(body); found != "" {
		t.Errorf("got the share %s", found)
	}
	for text, want := range map[string]string{"0.078107": "8%", "0.995": "100%", "0.004": "under 1%", "0.0": "0%", "0.005": "1%"} {
		if got := share(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// Notes on an answer come after all hits, and the directory of all pages isn't repeated.
func TestNotesComeAfterTheHits(t *testing.T) {
	member := newCache(t, "docs", map[string]string{"very/deep/directory/a.md": "# A walrus\n\nOne walrus.\n", "very/deep/directory/b.md": "# B walrus\n\nAnother walrus.\n"})
	server := httptest.NewServer(New(PageSettings{Caches: cachesOf{member}, Timeout: time.Minute, Calls: 1, Advice: error.Error}))
	t.Cleanup(server.Close)
	body, _, _ := strings.Cut(get(t, server.URL+"/?q=walrus+xyzzy").body, `<section class="same"`)
	_, notes, hasNotes := strings.Cut(body, `<div class="notes">`)
	if strings.Contains(body, "in very/deep/directory/:") || !hasNotes || strings.Contains(notes, `class="hit"`) || !strings.Contains(notes, "no section has &#34;xyzzy&#34;") {
		t.Errorf("got %s", body)
	}
}

func TestCompareShowsWhatChanged(t *testing.T) {
	changed := map[string]string{}
	for path, text := range guide {
		changed[path] = strings.ReplaceAll(text, "three times", "five times")
	}
	settings := PageSettings{
		Caches:  cachesOf{newCache(t, "new", changed), newCache(t, "old", guide), newCache(t, "other", map[string]string{"a.md": "# A\n\nserver\n"})},
		Timeout: time.Minute, Calls: 1, Advice: error.Error,
	}
	server := httptest.NewServer(New(settings))
	t.Cleanup(server.Close)
	body := get(t, server.URL+"/compare?q=server&left=old&right=new").body
	for _, want := range []string{"What changed from old to new", `<li class="removed"><code>-The <mark>server</mark> retries a request three times`, `<li class="added"><code>&#43;The <mark>server</mark> retries a request five times`} {
		if !strings.Contains(body, want) {
			t.Errorf("got %s, want %s", body, want)
		}
	}
	if body := get(t, server.URL+"/compare?q=server&left=old&right=other").body; strings.Contains(body, "What changed") {
		t.Error("the lines of unrelated caches are compared")
	}
}

// Folders of a long outline are closed, and a page without a title is named once.
func TestOutlinesFold(t *testing.T) {
	pages := map[string]string{"none.md": "no heading\n"}
	for i := range fewPages + 1 {
		pages[fmt.Sprintf("part%d/deep/page%d.md", i%2, i)] = fmt.Sprintf("# Page %d\n\ntext\n", i)
	}
	member := newCache(t, "docs", pages)
	server := httptest.NewServer(New(PageSettings{Caches: cachesOf{member}, Timeout: time.Minute, Calls: 1, Advice: error.Error}))
	t.Cleanup(server.Close)
	body, _, _ := strings.Cut(get(t, server.URL+"/outline").body, `<section class="same"`)
	for want, n := range map[string]int{
		`<details class="folder"><summary>part0/ <small>21 pages`: 1, `<summary>part1/ <small>20 pages`: 1, `<summary>deep/ <small>21 pages`: 1,
		`class="folder" open`: 0, ">none.md</a>": 1, "none.md": 2, "Page 40": 1, "42 pages within 2,000 tokens": 1, // the name is in the address, too
	} {
		if got := strings.Count(body, want); got != n {
			t.Errorf("%s: got it %d times, want %d, in %s", want, got, n, body)
		}
	}
}
