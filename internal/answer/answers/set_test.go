package answers_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

func build(t rapid.TB, docs, path string, by selection.Spec) {
	t.Helper()
	if _, err := pipeline.Build(context.Background(), pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: path, Selection: by}); err != nil {
		t.Fatal(err)
	}
}

// A cleaner is a test that supports cleanup.
type cleaner interface {
	rapid.TB
	Cleanup(func())
}

// open opens a cache for the length of the test.
func open(t cleaner, path string) *answers.Cache {
	t.Helper()
	c, err := answers.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// drawPagesWithCounterparts draws pages, some of them in two directories.
func drawPagesWithCounterparts(t *rapid.T) map[string]string {
	sources := drawPages(t)
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if rapid.IntRange(0, 2).Draw(t, "counterpart") == 0 {
			sources["ja/"+path.Base(name)] = sources[name] + "\nもう一つ\n"
		}
	}
	return sources
}

// A cutCorpus is a corpus cut into caches.
type cutCorpus struct {
	members  []answers.Member
	owners   map[document.ID]string // the names of the members that contain the pages
	contents map[document.ID]string
}

// drawCut cuts pages into caches below dir.
func drawCut(t *rapid.T, dir string, sources map[string]string) (c cutCorpus) {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"", "a", "b", "docs", "Ω", "a.md", "z z"}), 1, 5, rapid.ID).Draw(t, "names")
	parts := make([]map[string]string, len(names))
	for i := range parts {
		parts[i] = map[string]string{}
	}
	c.owners, c.contents = map[document.ID]string{}, map[document.ID]string{}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		i := rapid.IntRange(0, len(names)-1).Draw(t, "member")
		parts[i][name] = sources[name]
		c.owners[document.IDOf(name)], c.contents[document.IDOf(name)] = names[i], sources[name]
	}
	for i, name := range names {
		docs, path := filepath.Join(dir, fmt.Sprint("docs", i)), filepath.Join(dir, fmt.Sprint("cache", i))
		trees.WriteTree(t, docs, parts[i])
		build(t, docs, path, rapid.SampledFrom([]selection.Spec{selection.Spec1, selection.Spec1, selection.Spec0}).Draw(t, "built for"))
		if rapid.IntRange(0, 3).Draw(t, "index") == 0 {
			path = trees.CopyWithoutIndex(t, path)
		}
		c.members = append(c.members, answers.Member{Name: name, Cache: open(t, path)})
	}
	return c
}

// named returns the ID with the name of its member.
func (c cutCorpus) named(id document.ID) document.ID {
	page, _, _ := strings.Cut(string(id), "#")
	if name := c.owners[document.ID(page)]; name != "" {
		return document.ID(name) + ":" + id
	}
	return id
}

// answer returns an answer of a single cache with the names that a Set adds to IDs.
func (c cutCorpus) answer(text string) string {
	for id := range c.owners {
		for _, key := range []string{`"id":"`, `"id": "`} {
			for _, end := range []string{`"`, `#`} {
				text = strings.ReplaceAll(text, key+string(id)+end, key+string(c.named(id))+end)
			}
		}
	}
	return text
}

// explanation is like answer for explanations.
func (c cutCorpus) explanation(e selection.Explanation) selection.Explanation {
	for i := range e.Items {
		item := &e.Items[i]
		item.ID, item.DuplicateOf = c.named(item.ID), c.named(item.DuplicateOf)
	}
	if e.Confidence != nil {
		for i := range e.Confidence.Sections {
			section := &e.Confidence.Sections[i]
			section.ID = c.named(section.ID)
		}
	}
	return e
}

// A resolver is a Cache or a Set.
type resolver interface {
	Resolve(context.Context, selection.Request, io.Writer) error
	Explain(context.Context, selection.Request, int) (selection.Explanation, error)
}

func answerOf(t rapid.TB, r resolver, request selection.Request) string {
	t.Helper()
	var out bytes.Buffer
	if err := r.Resolve(context.Background(), request, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func explanationOf(t rapid.TB, r resolver, request selection.Request) selection.Explanation {
	t.Helper()
	explained, err := r.Explain(context.Background(), request, 100)
	if err != nil {
		t.Fatal(err)
	}
	return explained
}

// drawAnyRequest draws a request for selection 0 or 1.
func drawAnyRequest(t *rapid.T) selection.Request {
	request := drawRequest(t)
	if rapid.IntRange(0, 2).Draw(t, "selection") == 0 {
		request.Selection, request.Unit = selection.Spec0, selection.Documents
	}
	return request
}

// However pages are cut into caches, these must answer like a single cache with all
// pages, except for the names before the IDs.
func TestSetsAnswerAsOneCache(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		sources := drawPagesWithCounterparts(rt)
		trees.WriteTree(t, filepath.Join(dir, "docs"), sources)
		build(rt, filepath.Join(dir, "docs"), filepath.Join(dir, "one"), selection.Spec1)
		one := open(rt, filepath.Join(dir, "one"))
		corpus := drawCut(rt, dir, sources)
		set, err := answers.NewSet(corpus.members)
		if err != nil {
			rt.Fatal(err)
		}
		checkContains := func() {
			if set.Contains("nowhere.md") {
				rt.Error("the set contains nowhere.md")
			}
			for id := range corpus.owners {
				if !set.Contains(id) {
					rt.Errorf("the set doesn't contain %s", id)
				}
			}
		}
		checkContains() // before a question numbers the pages
		defer checkContains()
		for range 3 {
			request := drawAnyRequest(rt)
			want := corpus.answer(answerOf(rt, one, request))
			if got := answerOf(rt, set, request); got != want {
				rt.Errorf("%q by %s within %d: got\n%s\nwant\n%s", request.Query.Text(), request.Selection, request.Budget, got, want)
			}
			explained := corpus.explanation(explanationOf(rt, one, request))
			if diff := cmp.Diff(explained, explanationOf(rt, set, request)); diff != "" {
				rt.Errorf("%q by %s within %d: (-want +got)\n%s", request.Query.Text(), request.Selection, request.Budget, diff)
			}
			checkHits(rt, set, corpus, request)
			checkChoice(rt, set, request)
		}
	})
}

// A call takes up to 1,024 caches, and each keeps a few files open.
func TestManyCachesAnswerAsOne(t *testing.T) {
	caches := 64
	if testing.Short() {
		caches = 16
	}
	dir := t.TempDir()
	pages := map[string]string{}
	corpus := cutCorpus{owners: map[document.ID]string{}}
	for i := range caches {
		name := fmt.Sprintf("page%03d.md", (i*37)%caches)
		text := fmt.Sprintf("# Install part %d\n\n%s\n", i, strings.Repeat(fmt.Sprintf("install w%d x%d. ", i%7, i%11), 1+i%5))
		pages[name] = text
		path := filepath.Join(dir, fmt.Sprint(i))
		trees.WriteTree(t, path+"-docs", map[string]string{name: text})
		build(t, path+"-docs", path, selection.Spec1)
		corpus.owners[document.IDOf(name)] = fmt.Sprint("c", i)
		corpus.members = append(corpus.members, answers.Member{Name: fmt.Sprint("c", i), Cache: open(t, path)})
	}
	trees.WriteTree(t, filepath.Join(dir, "docs"), pages)
	build(t, filepath.Join(dir, "docs"), filepath.Join(dir, "one"), selection.Spec1)
	one := open(t, filepath.Join(dir, "one"))
	set, err := answers.NewSet(corpus.members)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range parseQueries(t, []string{"install w3", "x5 part 12", "how to instal w1 and x2"}) {
		request := selection.Request{Query: query, Budget: 400}
		for range 2 { // the second time from memory
			if got, want := answerOf(t, set, request), corpus.answer(answerOf(t, one, request)); got != want {
				t.Errorf("%q: got\n%s\nwant\n%s", query.Text(), got, want)
			}
		}
	}
}

// Two members may share an ID. The member with the lower name must come first.
func TestPagesWithOneIDAreOrderedByName(t *testing.T) {
	dir := t.TempDir()
	var members []answers.Member
	for _, name := range []string{"new", "old", "first"} {
		trees.WriteTree(t, filepath.Join(dir, name+"-docs"), map[string]string{"a.md": "# Install\n\ninstall " + name + "\n"})
		build(t, filepath.Join(dir, name+"-docs"), filepath.Join(dir, name), selection.Spec1)
		members = append(members, answers.Member{Name: name, Cache: open(t, filepath.Join(dir, name))})
	}
	set, err := answers.NewSet(members)
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []selection.Unit{selection.Sections, selection.Documents} {
		request := selection.Request{Query: parseQueries(t, []string{"install"})[0], Budget: 1000, Unit: unit}
		var got []string
		for _, item := range explanationOf(t, set, request).Items {
			got = append(got, string(item.ID))
		}
		if want := []string{"first:a.md", "new:a.md", "old:a.md"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if answer := answerOf(t, set, request); !strings.Contains(answer, `"id":"old:a.md"`) || !strings.Contains(answer, `install old\n`) {
			t.Errorf("got %s", answer)
		}
	}
}

func TestSetsRefuseNames(t *testing.T) {
	for _, names := range [][]string{{}, {"a", "b", "a"}, {"", ""}, {"a:b"}} {
		var members []answers.Member
		for _, name := range names {
			members = append(members, answers.Member{Name: name, Cache: new(answers.Cache)})
		}
		if _, err := answers.NewSet(members); err == nil {
			t.Errorf("%q were accepted as the names of a set", names)
		}
	}
}

// The first calls of a Set number its pages, and may come at the same time.
func TestSetsTakeFirstCallsAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	var members []answers.Member
	for _, name := range []string{"a", "b"} {
		trees.WriteTree(t, filepath.Join(dir, name+"-docs"), map[string]string{name + ".md": "# Install\n\ninstall " + name + "\n"})
		build(t, filepath.Join(dir, name+"-docs"), filepath.Join(dir, name), selection.Spec1)
		members = append(members, answers.Member{Name: name, Cache: open(t, filepath.Join(dir, name))})
	}
	set, err := answers.NewSet(members)
	if err != nil {
		t.Fatal(err)
	}
	request := selection.Request{Query: parseQueries(t, []string{"install"})[0], Budget: 1000}
	answers := make([]string, 8)
	var calls sync.WaitGroup
	for i := range answers {
		calls.Go(func() {
			var out bytes.Buffer
			if err := set.Resolve(t.Context(), request, &out); err != nil {
				t.Error(err)
			}
			answers[i] = out.String()
		})
	}
	calls.Wait()
	if want := answerOf(t, set, request); slices.Index(answers, want) != 0 || len(slices.Compact(answers)) != 1 {
		t.Errorf("got %q, want all of them %q", answers, want)
	}
}

func TestSetsAnswerByTheHighestSelection(t *testing.T) {
	dir := t.TempDir()
	trees.WriteTree(t, filepath.Join(dir, "docs"), map[string]string{"a.md": "# Install\n\ninstall\n"})
	caches := map[selection.Spec]*answers.Cache{}
	for _, by := range []selection.Spec{selection.Spec0, selection.Spec1} {
		build(t, filepath.Join(dir, "docs"), filepath.Join(dir, string(by)), by)
		caches[by] = open(t, filepath.Join(dir, string(by)))
	}
	for _, test := range []struct{ a, b, want selection.Spec }{
		{selection.Spec0, selection.Spec0, selection.Spec0},
		{selection.Spec0, selection.Spec1, selection.Spec1},
		{selection.Spec1, selection.Spec0, selection.Spec1},
	} {
		set, err := answers.NewSet([]answers.Member{{Name: "a", Cache: caches[test.a]}, {Name: "b", Cache: caches[test.b]}})
		if err != nil {
			t.Fatal(err)
		}
		explained := explanationOf(t, set, selection.Request{Query: parseQueries(t, []string{"install"})[0]})
		if explained.Selection != test.want {
			t.Errorf("%s and %s: got selection %s, want %s", test.a, test.b, explained.Selection, test.want)
		}
	}
}
