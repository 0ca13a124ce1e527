package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// A cleaner is a test that can clean up.
type cleaner interface {
	rapid.TB
	Cleanup(func())
}

// cachesOf builds a cache of each map of sources and opens it under its name.
func cachesOf(t cleaner, dir string, sources map[string]map[string]string) (caches []answers.Member) {
	t.Helper()
	for name, files := range sources {
		docs := filepath.Join(dir, name+"-docs")
		trees.WriteTree(t, docs, files)
		cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: filepath.Join(dir, name+"-cache")}
		if _, err := pipeline.Build(context.Background(), cfg); err != nil {
			t.Fatal(err)
		}
		c, err := answers.Open(cfg.Cache)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		caches = append(caches, answers.Member{Name: name, Cache: c})
	}
	return caches
}

var grepSources = map[string]map[string]string{
	"guide": {
		"setup.md": "---\ntitle: Setup\nport: max_port\n---\n# Setup\n\n" + strings.Repeat("Words of the setup.\n", 60) +
			"\n## Ports\n\n" + strings.Repeat("Words of ports.\n", 60) + "\n\tSet `max_port = 80`.  \r\nMAX_PORT is above.\r\n",
		"b/a.md": "No line end, but max_port",
	},
	"api": {
		"b/a.md":    "# Max_Port\n\nthe \x1b[31mmax_port\u202e of \x00 it\n",
		"b/long.md": strings.Repeat("é", 300) + "max_port" + strings.Repeat("é", 300) + "\n\n" + strings.Repeat("x", 250) + " end\n\nmax " + strings.Repeat("y ", 150) + "\n",
		"empty.md":  "",
	},
}

func TestGrepShowsTheLinesThatMatch(t *testing.T) {
	caches := cachesOf(t, t.TempDir(), grepSources)
	around := strings.Repeat("é", 30) + "max_port" + strings.Repeat("é", 66)
	long := "…" + around + "…"
	for _, test := range []struct {
		what    string
		request GrepRequest
		want    string
	}{
		{"a literal", GrepRequest{Pattern: "max_port"}, `5 lines in 4 of 5 pages
api:b/a.md
  3: the \x1b[31mmax_port\u202e of \x00 it
guide:b/a.md
  1: No line end, but max_port
api:b/long.md
  1: ` + long + `
guide:setup.md
  3: port: max_port
#ports
  131: Set ` + "`max_port = 80`" + `.
`},
		{"any case", GrepRequest{Pattern: "max_port", IgnoreCase: true, Limit: 2, Filter: selection.Filter{Paths: []string{"setup.md", "/b/a.md"}}}, `6 lines in 3 of 3 pages; 4 lines not shown: narrow the pattern or the path, or raise the limit
api:b/a.md
  1: # Max_Port
  3: the \x1b[31mmax_port\u202e of \x00 it
lines by page:
  3 guide:setup.md
  2 api:b/a.md
  1 guide:b/a.md
`},
		{"metadata", GrepRequest{Pattern: "max_", Filter: selection.Filter{Where: []string{"port=max_port"}}, Limit: 1}, `2 lines in 1 of 1 page; 1 line not shown: narrow the pattern or the path, or raise the limit
guide:setup.md
  3: port: max_port
`},
		{"the end of a line", GrepRequest{Pattern: `(?i)above\.$|^max_port `, IsRegexp: true}, `1 line in 1 of 5 pages
guide:setup.md#ports
  132: MAX_PORT is above.
`},
		{"a match at the end of a long line", GrepRequest{Pattern: "x end$", IsRegexp: true}, "1 line in 1 of 5 pages\napi:b/long.md\n  3: …" + strings.Repeat("x", 196) + " end\n"},
		{"a match at its start", GrepRequest{Pattern: "^max y", IsRegexp: true}, "1 line in 1 of 5 pages\napi:b/long.md\n  5: max " + strings.Repeat("y ", 98) + "…\n"},
		{"none", GrepRequest{Pattern: "max port"}, "no line of 5 pages matches, in upper or lower case\n"},
		{"another case", GrepRequest{Pattern: "MAX_port", Limit: 2}, "no line matches the pattern as given; with ignore_case (-i): 7 lines in 4 of 5 pages; 5 lines not shown: narrow the pattern or the path, or raise the limit\n" + `api:b/a.md
  1: # Max_Port
  3: the \x1b[31mmax_port\u202e of \x00 it
lines by page:
  3 guide:setup.md
  2 api:b/a.md
  1 guide:b/a.md
  1 api:b/long.md
`},
		{"another case of an expression", GrepRequest{Pattern: "^max_.*ABOVE", IsRegexp: true}, `no line matches the pattern as given; with ignore_case (-i): 1 line in 1 of 5 pages
guide:setup.md#ports
  132: MAX_PORT is above.
`},
		{"an expression", GrepRequest{Pattern: `is above|^no line end`}, `no line matches the pattern as given; as a regular expression (regexp, -E): 1 line in 1 of 5 pages
guide:setup.md#ports
  132: MAX_PORT is above.
`},
		{"an expression of basic grep", GrepRequest{Pattern: `is above\|nothing`}, `no line matches the pattern as given; as the regular expression "is above|nothing" (regexp, -E): 1 line in 1 of 5 pages
guide:setup.md#ports
  132: MAX_PORT is above.
`},
		{"the same as an expression", GrepRequest{Pattern: `is above\|nothing`, IsRegexp: true}, `no line matches the pattern as given; as the regular expression "is above|nothing" (regexp, -E): 1 line in 1 of 5 pages
guide:setup.md#ports
  132: MAX_PORT is above.
`},
		{"another case of an expression that was not asked for", GrepRequest{Pattern: "IS [a-z]+[.]$"}, `no line matches the pattern as given; as a regular expression (regexp, -E) with ignore_case (-i): 1 line in 1 of 5 pages
guide:setup.md#ports
  132: MAX_PORT is above.
`},
		{"no expression either", GrepRequest{Pattern: "port [0-9]+"}, "no line of 5 pages matches, in upper or lower case, as text or as a regular expression (regexp, -E)\n"},
		{"a faulty expression", GrepRequest{Pattern: "port [0-9]+(", IgnoreCase: true}, "no line of 5 pages matches; to search by a regular expression (regexp, -E), correct the pattern\n"},
		{"an expression of every line", GrepRequest{Pattern: "q*"}, "no line of 5 pages matches, in upper or lower case; to search by a regular expression (regexp, -E), correct the pattern\n"},
		{"no code, by an expression of every line", GrepRequest{Pattern: "q*", Code: codeOf(t, "go")}, "no line of go code in 5 pages matches, in upper or lower case: leave out code; to search by a regular expression (regexp, -E), correct the pattern\n"},
		{"a text with signs of an expression", GrepRequest{Pattern: "`max_port = 80`."}, "1 line in 1 of 5 pages\nguide:setup.md#ports\n  131: Set `max_port = 80`.\n"},
		{"none in any case", GrepRequest{Pattern: "a.md", IgnoreCase: true}, "no line of 5 pages matches\n"},
		{"an empty match", GrepRequest{Pattern: "^$", IsRegexp: true, Filter: selection.Filter{Paths: []string{"other:*", "long.md"}}}, "2 lines in 1 of 1 page\napi:b/long.md\n  2:\n  4:\n"},
	} {
		for _, jobs := range []int{1, 8} {
			test.request.Jobs = jobs
			got, err := Grep(t.Context(), caches, test.request)
			if err != nil {
				t.Errorf("%s: %v", test.what, err)
			}
			if diff := cmp.Diff(test.want, string(got.Markdown())); diff != "" {
				t.Errorf("%s, %d jobs (-want +got):\n%s", test.what, jobs, diff)
			}
			slices.Reverse(caches)
		}
	}
}

func TestGrepShowsTheLinesAroundThoseThatMatch(t *testing.T) {
	filler := strings.Repeat("Words of the client.\n", 60)
	long := strings.Repeat("very long ", 30)
	caches := cachesOf(t, t.TempDir(), map[string]map[string]string{"": {
		"guide/a.md": "# A\n\n" + filler + "first hit\n\n## B\n\nsecond hit\n" + filler + "\n```go\nfunc main() {\n\t hit()\r\n\t\treturn\n}\n```\n",
		"guide/b.md": "hit\n" + long + "\n" + filler + "## A heading that is much too long to be printed above lines\n\nhit\n" + filler + "the last hit",
	}})
	for _, test := range []struct {
		what    string
		request GrepRequest
		want    string
	}{
		{"groups, sections and indentation", GrepRequest{Before: 2, After: 1, Filter: selection.Filter{Paths: []string{"a.md"}}}, `3 lines in 1 of 1 page
guide/a.md#a
  61- Words of the client.
  62- Words of the client.
  63: first hit
  64-
#b
  65- ## B
  66-
  67: second hit
  68- Words of the client.
  --
  129- ` + "```go" + `
  130- func main() {
  131:      hit()
  132-         return
`},
		{"pages", GrepRequest{After: 1}, `6 lines in 2 of 2 pages
in guide/:
a.md#a
  63: first hit
  64-
#b
  67: second hit
  68- Words of the client.
  --
  131:      hit()
  132-         return
b.md#~1
  1: hit
  2- ` + strings.TrimSpace(long[:200]) + ` …
2pqcpf.2
  65: hit
  66- Words of the client.
  --
  126: the last hit
`},
	} {
		test.request.Pattern = "hit"
		got, err := Grep(t.Context(), caches, test.request)
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
		}
		if diff := cmp.Diff(test.want, string(got.Markdown())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.what, diff)
		}
	}
}

// A search line by line finds the same lines around matches, each only once.
func TestGrepShowsEachLineAroundAMatchOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"hit", "a", "a", "", "## b", "\tc\r"}), 1, 60).Draw(t, "lines")
		end := rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
		content := strings.Join(lines, "\n") + end
		caches := setOf(t, dir, map[string]map[string]string{"": {"a.md": content}}).Members()
		request := GrepRequest{Pattern: "hit", Before: rapid.IntRange(0, 4).Draw(t, "before"), After: rapid.IntRange(0, 4).Draw(t, "after"), Limit: MostGrepLines}
		var want, matches []int
		for i := range lines {
			if lines[i] == "hit" {
				matches = append(matches, i+1)
			}
			around := lines[max(0, i-request.After):min(len(lines), i+request.Before+1)]
			isEnd := i == len(lines)-1 && lines[i]+end == "" // no line follows the last line end
			if slices.Contains(around, "hit") && !isEnd {
				want = append(want, i+1)
			}
		}
		got := grepNumbers(t, caches, request)
		if diff := cmp.Diff(want, got.numbers); diff != "" {
			t.Errorf("%q (-want +got):\n%s", content, diff)
		}
		if diff := cmp.Diff(matches, got.matches); diff != "" {
			t.Errorf("%q, matches (-want +got):\n%s", content, diff)
		}
		request.Limit = rapid.IntRange(1, 10).Draw(t, "limit")
		few := grepNumbers(t, caches, request)
		if most := min(request.Limit, len(want)); len(few.numbers) > most || most > 0 && len(few.matches) == 0 {
			t.Errorf("got the lines %v, want at most %d with a match", few.numbers, most)
		}
		if !slices.Equal(few.matches, matches[:len(few.matches)]) {
			t.Errorf("got the matches %v, want the first of %v", few.matches, matches)
		}
		for i, n := range few.numbers {
			if !slices.Contains(want, n) || i > 0 && n <= few.numbers[i-1] {
				t.Errorf("got the lines %v, want some of %v in order", few.numbers, want)
			}
		}
	})
}

// foundNumbers are the numbers of the lines in an answer of grep.
type foundNumbers struct{ numbers, matches []int }

func grepNumbers(t rapid.TB, caches []answers.Member, request GrepRequest) (found foundNumbers) {
	t.Helper()
	got, err := grep(context.Background(), caches, request)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range got.shown {
		found.numbers = append(found.numbers, line.number)
		if line.isMatch {
			found.matches = append(found.matches, line.number)
		}
	}
	return found
}

func TestGrepCountsTheLinesOfPagesIfItDoesNotShowThem(t *testing.T) {
	pages := map[string]string{"top.md": "hit\n"}
	for i := range 7 {
		pages[fmt.Sprintf("docs/v%d/setup.md", i)] = "hit\nhit\n"
		pages[fmt.Sprintf("docs/v1/%d.md", i)] = strings.Repeat("hit\n", 3+i%2)
	}
	caches := cachesOf(t, t.TempDir(), map[string]map[string]string{"": pages})
	for _, test := range []struct {
		paths []string
		want  string
	}{
		{nil, `39 lines in 15 of 15 pages; 38 lines not shown: narrow the pattern or the path, or raise the limit
in docs/:
v0/setup.md
  1: hit
lines by page:
  4 v1/1.md
  4 v1/3.md
  4 v1/5.md
  3 v1/0.md
  3 v1/2.md
  10 more pages
`},
		{[]string{"setup.md"}, `14 lines in 7 of 7 pages; 13 lines not shown: narrow the pattern or the path, or raise the limit
in docs/:
v0/setup.md
  1: hit
lines by page:
  2 v0/setup.md, v1/…, v2/…, v3/…, v4/…, v5/…, v6/…
`},
		{[]string{"/top.md", "v0/"}, `3 lines in 2 of 2 pages; 2 lines not shown: narrow the pattern or the path, or raise the limit
docs/v0/setup.md
  1: hit
lines by page:
  2 docs/v0/setup.md
  1 top.md
`},
	} {
		got, err := Grep(t.Context(), caches, GrepRequest{Pattern: "hit", Limit: 1, Filter: selection.Filter{Paths: test.paths}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, string(got.Markdown())); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.paths, diff)
		}
	}
}

func TestGrepSaysWhatIsWrongWithARequest(t *testing.T) {
	caches := cachesOf(t, t.TempDir(), map[string]map[string]string{"": {"a.md": "a"}})
	for _, test := range []struct {
		request GrepRequest
		want    string
	}{
		{GrepRequest{}, "empty"},
		{GrepRequest{Pattern: "a\nb"}, "line break"},
		{GrepRequest{Pattern: "a\xff"}, "UTF-8"},
		{GrepRequest{Pattern: strings.Repeat("a", 1001)}, "1001 bytes"},
		{GrepRequest{Pattern: "a", Limit: -1}, "limit"},
		{GrepRequest{Pattern: "a", Limit: 201}, "limit"},
		{GrepRequest{Pattern: "a", Before: 21}, "the context is 21: expected 0 to 20 lines"},
		{GrepRequest{Pattern: "a", After: -1}, "the context is -1"},
		{GrepRequest{Pattern: "max(", IsRegexp: true}, "missing closing ): `max(`. Search for it as literal text instead"},
		{GrepRequest{Pattern: "a**", IsRegexp: true}, "invalid nested repetition operator: `**`"},
		{GrepRequest{Pattern: `(a)\1`, IsRegexp: true}, "invalid escape sequence: `\\1`"},
		{GrepRequest{Pattern: "a{1001}", IsRegexp: true}, "invalid repeat count"},
		{GrepRequest{Pattern: "a{1000}b{1000}c{1000}", IsRegexp: true}, "too large"},
	} {
		_, err := Grep(t.Context(), caches, test.request)
		wrong, ok := errors.AsType[ArgumentError](err)
		if !ok || !strings.Contains(wrong.Error(), test.want) {
			t.Errorf("%.30q: got %v, want an ArgumentError with %q", test.request.Pattern, err, test.want)
		}
	}
}

func TestGrepEndsWithTheContext(t *testing.T) {
	caches := cachesOf(t, t.TempDir(), map[string]map[string]string{"": {"a.md": strings.Repeat("aaaa\n", 1000)}})
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := Grep(ctx, caches, GrepRequest{Pattern: "a"}); err != cause {
		t.Errorf("got %v, want %v", err, cause)
	}
	n := 0
	ctx, cancel = context.WithCancelCause(t.Context())
	defer cancel(nil)
	m, err := matcherOf(GrepRequest{Pattern: "a"})
	if err != nil {
		t.Fatal(err)
	}
	for range m.lines(ctx, []byte("a\na\na\n")) {
		n++
		cancel(cause)
	}
	if n != 1 {
		t.Errorf("got %d lines after the end of the context, want 1", n)
	}
}

// An endingContext ends when it was looked at a number of times.
type endingContext struct {
	context.Context
	looks atomic.Int64 // left
}

func endingAfter(looks int64) *endingContext {
	c := &endingContext{Context: context.Background()}
	c.looks.Store(looks)
	return c
}

func (c *endingContext) Err() error {
	if c.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestGrepEndsWithTheContextWithinALine(t *testing.T) {
	content := []byte(strings.Repeat("a", 1<<20) + "z\n")
	m, err := matcherOf(GrepRequest{Pattern: "[x-z]$", IsRegexp: true})
	if err != nil {
		t.Fatal(err)
	}
	for looks, want := range map[int64]int{1: 0, 3: 0, 100: 0, 1 << 20: 1} {
		n := 0
		for range m.lines(endingAfter(looks), content) {
			n++
		}
		if n != want {
			t.Errorf("the context ended when it was looked at %d times: got %d lines, want %d", looks, n, want)
		}
	}
}

// Grep checks a page before it shows or counts any of its lines.
func TestGrepShowsNothingOfADamagedPage(t *testing.T) {
	dir := t.TempDir()
	caches := cachesOf(t, dir, map[string]map[string]string{"": {"a.md": "one\n", "b.md": "two\n"}})
	files, err := filepath.Glob(filepath.Join(dir, "-cache", "documents", "*.json"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, bytes.Replace(data, []byte("two"), []byte("TWO"), 1), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Grep(t.Context(), caches, GrepRequest{Pattern: "one"})
	if err == nil || fault.CodeOf(err) != fault.CacheInvalid || got != nil {
		t.Errorf("got %+v, %v, want %v", got, err, fault.CacheInvalid)
	}
}

// The hints and the jumps from line to line change no result.
func TestGrepFindsWhatRegexpFindsLineByLine(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("aAkKsSß\u017f\u212aẞσςΣ\ufffd.*\r\n é")), 0, 30, -1)
	expression := rapid.SampledFrom([]string{
		"a", "ak", "[ak]s", "a|k", "(a|ks)é", "(ak)+", "(ak)*s", "a.s", "^a", "s$", "^$", `\bak`, "ß", "é", "σ", "K", "a{2,3}", "(?i)ks", "(?i:aé)s", `\.\*`, `\x{212A}`, "(?:|a)k", `\A`, `a\z`, "[^a]", `\s`,
	})
	rapid.Check(t, func(t *rapid.T) {
		content := []byte(text.Draw(t, "content"))
		if rapid.Bool().Draw(t, "long lines") {
			content = bytes.ReplaceAll(content, []byte("a"), bytes.Repeat([]byte("a"), longLine))
		}
		request := GrepRequest{Pattern: expression.Draw(t, "expression"), IsRegexp: true, IgnoreCase: rapid.Bool().Draw(t, "ignore case")}
		pattern := request.Pattern
		if rapid.Bool().Draw(t, "literal") {
			request.IsRegexp, pattern = false, regexp.QuoteMeta(pattern)
		}
		if request.IgnoreCase {
			pattern = "(?i)" + pattern
		}
		re := regexp.MustCompile(pattern)
		var want []string
		for line := range bytes.Lines(content) {
			line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
			if at := re.FindIndex(line); at != nil {
				want = append(want, fmt.Sprintf("%q %d", line, at))
			}
		}
		m, err := matcherOf(request)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for l := range m.lines(context.Background(), content) {
			got = append(got, fmt.Sprintf("%q %d", content[l.start:l.end], []int{l.first - l.start, l.last - l.start}))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", content, diff)
		}
	})
}

// Grep shows at most 200 bytes of a line. They consist of whole characters and include the
// beginning of the match.
func TestALongLineIsClippedAroundItsMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := []byte(rapid.StringOfN(rapid.SampledFrom([]rune("aé日🎉 ")), 0, 400, -1).Draw(t, "before"))
		first := len(content)
		content = append(content, "MATCH"...)
		l := lineMatch{first: first, last: len(content)}
		content = append(content, rapid.StringOfN(rapid.SampledFrom([]rune("aé日🎉 ")), 0, 400, -1).Draw(t, "after")...)
		l.end = len(content)
		got := l.print(content)
		text := strings.TrimSuffix(strings.TrimPrefix(got, "…"), "…")
		if !utf8.ValidString(text) || len(text) > longestGrepLine || !strings.Contains(string(content), text) || !strings.Contains(text, "MATCH") {
			t.Errorf("got %q", got)
		}
		trimmed := strings.Trim(string(content), " ")
		if isWhole := text == trimmed; isWhole != (len(trimmed) <= longestGrepLine) || isWhole != (got == text) {
			t.Errorf("got %q of %q", got, trimmed)
		}
	})
}
