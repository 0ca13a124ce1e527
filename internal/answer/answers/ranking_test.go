package answers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/selection"
)

// printedID returns the ID of a hit in answers.
func printedID(h answers.Hit) string {
	id := string(h.ID)
	if h.Member != "" {
		id = h.Member + ":" + id
	}
	if h.Slug != "" {
		id += "#" + h.Slug
	}
	return id
}

// hitsOf returns all hits of a request.
func hitsOf(t rapid.TB, s *answers.Set, request selection.Request) (hits []answers.Hit, ranked *answers.Ranking) {
	t.Helper()
	ranked, err := s.Rank(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	for hit, err := range ranked.Hits(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		hits = append(hits, hit)
	}
	return hits, ranked
}

// checkHits fails the test unless the hits of a request match those of explain with an
// unlimited budget, and unless their texts are the bytes they refer to.
func checkHits(t *rapid.T, s *answers.Set, corpus cutCorpus, request selection.Request) {
	t.Helper()
	hits, ranked := hitsOf(t, s, request)
	request.Budget, request.Selection = math.MaxUint64, selection.Spec1
	explained, err := s.Explain(context.Background(), request, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(explained.Terms, ranked.Terms(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("terms (-explained +ranked):\n%s", diff)
	}
	if len(hits) != len(explained.Items) {
		t.Fatalf("got %d hits, want %d", len(hits), len(explained.Items))
	}
	for i, h := range hits {
		want := explained.Items[i]
		duplicates := ""
		if h.DuplicateOf >= 0 {
			duplicates = printedID(hits[h.DuplicateOf])
		}
		score := fmt.Sprintf("%d.%06d", h.Score/selection.One, h.Score%selection.One)
		if printedID(h) != string(want.ID) || duplicates != string(want.DuplicateOf) || h.Tokens != want.Tokens || strings.TrimRight(score, "0") != strings.TrimSuffix(want.Score, "0") {
			t.Errorf("got %+v, want %+v", h, want)
		}
		text, err := ranked.Read(h)
		if err != nil {
			t.Fatal(err)
		}
		page := corpus.contents[h.ID]
		content := page[h.Lead.Start:h.Lead.End] + page[h.Span.Start:h.Span.End] + page[h.Tail.Start:h.Tail.End]
		if string(text.Content) != content || text.Version != document.VersionOf(text.Content) || text.Page.ID != h.ID {
			t.Errorf("%s: got %q of %s", printedID(h), text.Content, text.Page.ID)
		}
		member := corpus.members[slices.IndexFunc(corpus.members, func(m answers.Member) bool { return m.Name == h.Member })]
		if page, err := member.ReadAt(h.Page); err != nil || page.ID != h.ID {
			t.Errorf("page %d of %q is %s, %v, want %s", h.Page, h.Member, page.ID, err, h.ID)
		}
	}
}

// checkChoice fails the test unless Choose, if only the budget is limited, returns the
// same sections as selection 1.
func checkChoice(t *rapid.T, s *answers.Set, request selection.Request) {
	t.Helper()
	ranked, err := s.Rank(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	hits, totals, err := ranked.Choose(context.Background(), answers.Limits{Budget: request.Budget})
	if err != nil {
		t.Fatal(err)
	}
	var resolved struct {
		Documents []struct{ ID string }
		Selection struct {
			Query string
			selection.Totals
		}
	}
	request.Selection = selection.Spec1
	if err := json.Unmarshal([]byte(answerOf(t, s, request)), &resolved); err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, h := range hits {
		got = append(got, printedID(h))
	}
	for _, d := range resolved.Documents {
		want = append(want, d.ID)
	}
	if !slices.Equal(got, want) || totals != resolved.Selection.Totals {
		t.Errorf("got %q, %+v, want %q, %+v", got, totals, want, resolved.Selection.Totals)
	}
}

// A page must not exceed its share, apart from its best section, and the choice must end
// where scores drop.
func TestChoiceKeepsItsLimits(t *testing.T) {
	dir := t.TempDir()
	sources := map[string]string{"other.md": "# Other\n\n" + strings.Repeat("install and so many more words to read here now ", 11)}
	var page strings.Builder
	for i := range 10 {
		word := string(rune('a' + i))
		fmt.Fprintf(&page, "# Install step%s\n\n%s\n\n", word, strings.Repeat("install word"+word+" ", 42-min(i, 2)))
	}
	sources["page.md"] = page.String()
	trees.WriteTree(t, filepath.Join(dir, "docs"), sources)
	build(t, filepath.Join(dir, "docs"), filepath.Join(dir, "cache"), selection.Spec1)
	set, err := answers.NewSet([]answers.Member{{Cache: open(t, filepath.Join(dir, "cache"))}})
	if err != nil {
		t.Fatal(err)
	}
	ranked, err := set.Rank(t.Context(), selection.Request{Query: parseQueries(t, []string{"install"})[0]})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		limits answers.Limits
		pages  map[document.ID]int // hits
	}{
		{answers.Limits{Budget: 2000}, map[document.ID]int{"page.md": 10, "other.md": 1}},
		{answers.Limits{Budget: 500}, map[document.ID]int{"page.md": 3}},
		{answers.Limits{Budget: 500, PageShare: selection.One / 2}, map[document.ID]int{"page.md": 2, "other.md": 1}},
		{answers.Limits{Budget: 2000, PageShare: 1}, map[document.ID]int{"page.md": 10, "other.md": 1}},
		{answers.Limits{Budget: 2000, PageShare: math.MaxUint32}, map[document.ID]int{"page.md": 10, "other.md": 1}},
		{answers.Limits{Budget: math.MaxUint64, ScoreShare: selection.One * 9 / 10}, map[document.ID]int{"page.md": 10}},
		{answers.Limits{Budget: 2000, ScoreShare: selection.One}, map[document.ID]int{"page.md": 1}},
		{answers.Limits{PageShare: selection.One}, map[document.ID]int{}},
	} {
		hits, _, err := ranked.Choose(t.Context(), test.limits)
		if err != nil {
			t.Fatal(err)
		}
		pages := map[document.ID]int{}
		for _, h := range hits {
			pages[h.ID]++
		}
		if diff := cmp.Diff(test.pages, pages); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.limits, diff)
		}
	}
}

// Hits that were found before must come again, even after a call that stopped early or was
// cancelled.
func TestHitsAreTheSameEachTime(t *testing.T) {
	dir := t.TempDir()
	pages := map[string]string{}
	for i := range 9 {
		pages[fmt.Sprint(i, ".md")] = fmt.Sprintf("# Install\n\n%s\n", strings.Repeat("install it here. ", 1+i/2))
	}
	trees.WriteTree(t, filepath.Join(dir, "docs"), pages)
	build(t, filepath.Join(dir, "docs"), filepath.Join(dir, "cache"), selection.Spec1)
	set, err := answers.NewSet([]answers.Member{{Cache: open(t, filepath.Join(dir, "cache"))}})
	if err != nil {
		t.Fatal(err)
	}
	request := selection.Request{Query: parseQueries(t, []string{"install"})[0]}
	ranked, err := set.Rank(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	take := func(n, cancelAfter int) (ids []string, err error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for hit, err := range ranked.Hits(ctx) {
			if err != nil {
				return ids, err
			}
			ids = append(ids, fmt.Sprint(hit.ID, hit.DuplicateOf))
			if len(ids) == n {
				return ids, nil
			}
			if len(ids) == cancelAfter {
				cancel()
			}
		}
		return ids, nil
	}
	first, _ := take(3, 0)
	if cancelled, err := take(9, 4); err == nil || len(cancelled) != 4 {
		t.Errorf("got %q, %v, want 4 hits and an error", cancelled, err)
	}
	all, err := take(10, 0)
	again, _ := take(10, 0)
	if err != nil || len(all) != 9 || !slices.Equal(all[:3], first) || !slices.Equal(all, again) {
		t.Errorf("got %q, then %q, then %q, %v", first, all, again, err)
	}
}

// A document that was checked stays in memory, so later damage cannot change an answer.
func TestDamageIsNeverPrinted(t *testing.T) {
	dir := t.TempDir()
	trees.WriteTree(t, filepath.Join(dir, "docs"), map[string]string{"a.md": "# Install\n\ninstall it\n"})
	build(t, filepath.Join(dir, "docs"), filepath.Join(dir, "cache"), selection.Spec1)
	known, fresh := open(t, filepath.Join(dir, "cache")), open(t, filepath.Join(dir, "cache"))
	request := selection.Request{Query: parseQueries(t, []string{"install"})[0], Budget: 1000}
	want := answerOf(t, known, request)
	files, err := filepath.Glob(filepath.Join(dir, "cache", "documents", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %q, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte("damage"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := answerOf(t, known, request); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := fresh.Resolve(t.Context(), request, io.Discard); fault.CodeOf(err) != fault.CacheInvalid {
		t.Errorf("got %v, want %s", err, fault.CacheInvalid)
	}
}
