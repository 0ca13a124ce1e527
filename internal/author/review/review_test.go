package review_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/author/review"
	"github.com/contextcompiler/context/internal/project/targets"
	"github.com/contextcompiler/context/pipeline"
)

var update = flag.Bool("update", false, "rewrite the golden report")

// A question is a query of a check and its right page.
type question struct{ text, page string }

// project writes pages and a check into the working directory, and builds their cache.
func project(t *testing.T, pages map[string]string, questions ...question) targets.Target {
	t.Helper()
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range pages {
		write(filepath.Join("docs", filepath.FromSlash(name)), text)
	}
	made := targets.Target{Name: "docs", Build: pipeline.Config{Sources: []pipeline.Mount{{Dir: "docs"}}, Cache: "cache", Force: true}}
	var queries, qrels strings.Builder
	for i, q := range questions {
		text, _ := json.Marshal(q.text)
		fmt.Fprintf(&queries, "{\"id\": \"q%d\", \"text\": %s}\n", i+1, text)
		fmt.Fprintf(&qrels, "q%d\t%s\t1\n", i+1, q.page)
	}
	if len(questions) > 0 {
		write("queries.jsonl", queries.String())
		write("qrels.tsv", qrels.String())
		gate, err := evaluation.ParseGate("mrr@10=0.9", evaluation.Measures([]uint64{500}))
		if err != nil {
			t.Fatal(err)
		}
		made.Checks = []targets.Check{{Queries: "queries.jsonl", Qrels: "qrels.tsv", Budgets: []uint64{500}, Gates: []evaluation.Gate{gate}}}
	}
	if _, err := pipeline.Build(t.Context(), made.Build); err != nil {
		t.Fatal(err)
	}
	return made
}

func facts(t *testing.T, of targets.Target, jobs int) review.CacheFacts {
	t.Helper()
	f, err := review.OfTarget(t.Context(), of, jobs)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func rendered(t *testing.T, r review.AuthorReport) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Render(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var small = map[string]string{
	"install.md": "# Install\n\nDownload the archive, check its sum and unpack it. See [use](use.md) and [this](none.md).\n\n## Windows\n\nRun the installer.\n",
	"use.md":     "# Use\n\nRun the program with a query. [Windows](install.md#macos)\n",
	"faq.md":     "# Questions\n\nWhy does the archive of the program not unpack? Download the archive and check its sum, because a broken archive does not unpack.\n",
}

var smallQuestions = []question{{"download and unpack the archive", "install.md"}, {"run a query", "use.md"}}

// The report is the same for any number of jobs, and in every run.
func TestReportOfASmallProject(t *testing.T) {
	golden, err := filepath.Abs("testdata/small.html")
	if err != nil {
		t.Fatal(err)
	}
	of := project(t, small, smallQuestions...)
	all := rendered(t, review.AuthorReport{facts(t, of, 1)})
	head, got, _ := strings.Cut(all, "</head>\n")
	_, style, _ := strings.Cut(head, "<style>")
	hash := sha256.Sum256([]byte(strings.TrimSuffix(style, "</style>\n")))
	if !strings.Contains(html.UnescapeString(head), "style-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'") {
		t.Error("the policy doesn't allow the style")
	}
	for _, jobs := range []int{1, 8} {
		if again := rendered(t, review.AuthorReport{facts(t, of, jobs)}); again != all {
			t.Errorf("%d jobs: got another report", jobs)
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("the report differs from %s; run the test with -update and review the diff", golden)
	}
}

// Texts of others stay texts: the document contains only the elements of the template, and no
// attribute that loads or runs anything.
func TestHostileTextsAreEscaped(t *testing.T) {
	const attack = `<script>alert(1)</script><img src=x onerror=alert(1)>"'</style></title>&lt;`
	of := project(t, map[string]string{
		"a'&quot;b.md": "---\ntitle: '<script>alert(1)</script>'\n---\n# <b onclick=x>" + attack + "\n\nwords [x](javascript:alert(1)) [y](<none\" onload=x.md>)\n",
		"other.md":     "# Other\n\nscript alert words img src onerror\n",
	}, question{attack + " words", "a'&quot;b.md"}, question{"other", "missing.md"}, question{"alert words", "other.md"})
	of.Name = attack
	of.Checks[0].Baseline = attack
	made := facts(t, of, 1)
	if made.Checks[0].Err == nil {
		t.Error("expected an error about the baseline")
	}
	of.Checks[0].Baseline = ""
	text := rendered(t, review.AuthorReport{made, facts(t, of, 1)})
	allowed := map[string]bool{}
	for name := range strings.FieldsSeq("html head meta title style body a main h1 h2 h3 h4 h5 div table thead tbody tr th td p section ul ol li code small span strong svg rect footer") {
		allowed[name] = true
	}
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	texts, policies := "", 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch n := token.(type) {
		case xml.CharData:
			texts += string(n)
		case xml.StartElement:
			if !allowed[n.Name.Local] {
				t.Errorf("unexpected element %s", n.Name.Local)
			}
			for _, a := range n.Attr {
				name := a.Name.Local
				if strings.HasPrefix(name, "on") || name == "src" || name == "style" || name == "href" && !strings.HasPrefix(a.Value, "#") {
					t.Errorf("unexpected attribute %s=%q", name, a.Value)
				}
				if a.Value == "Content-Security-Policy" {
					policies++
				}
			}
		}
	}
	if !strings.Contains(texts, attack) || policies != 1 {
		t.Errorf("expected the texts as written and one policy, got %d in %s", policies, text)
	}
}

func TestListsAreBounded(t *testing.T) {
	pages := map[string]string{}
	for i := range 120 {
		var broken strings.Builder
		for j := range 3 {
			fmt.Fprintf(&broken, "\n[x](none-%d.md)\n", j)
		}
		broken.WriteString(strings.Repeat(fmt.Sprintf("About w%dy. ", i), 60))
		pages[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("# Page unique%d\n\n%s", i, broken.String())
	}
	of := project(t, pages, question{"unique7", "p7.md"})
	f := facts(t, of, 2)
	if f.Broken.More != 3*120-len(f.Broken.Items) || f.Broken.More == 0 {
		t.Errorf("got %d broken links and %d more", len(f.Broken.Items), f.Broken.More)
	}
	if f.Unreached.Len() < 110 || len(f.Unreached.Items) != 50 {
		t.Errorf("got %d pages and %d more", len(f.Unreached.Items), f.Unreached.More)
	}
	if text := rendered(t, review.AuthorReport{f}); strings.Count(text, "<li>") > 500 || !strings.Contains(text, "and 160 more") {
		t.Errorf("the report contains %d items", strings.Count(text, "<li>"))
	}
}

// An old cache is reported as it is, and a missing cache is an error.
func TestStaleAndMissingCaches(t *testing.T) {
	of := project(t, small, smallQuestions...)
	if f := facts(t, of, 1); f.Stale != nil {
		t.Errorf("expected an up-to-date cache, got %v", f.Stale)
	}
	if err := os.Remove(filepath.Join("docs", "faq.md")); err != nil {
		t.Fatal(err)
	}
	if f := facts(t, of, 1); f.Stale == nil || f.Pages != 3 || f.Questions != 2 {
		t.Errorf("expected a report about the old pages, got %v", f)
	}
	of.Build.Cache = "none"
	if _, err := review.OfTarget(t.Context(), of, 1); err == nil {
		t.Error("expected an error about the missing cache")
	}
}
