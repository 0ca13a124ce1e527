package answers_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// confidencesOf returns a function for the confidence of a cache of pages in an answer.
// It checks that the result is the same without an index, and for two caches with the
// same pages.
func confidencesOf(t *testing.T, pages map[string]string) func(query string) selection.Confidence {
	t.Helper()
	dir := t.TempDir()
	write := func(docs, name, content string) {
		path := filepath.Join(dir, docs, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	half := map[bool]string{true: "first", false: "second"}
	for name, content := range pages {
		for _, docs := range []string{"all", "copy", half[name < "k"]} {
			write(docs, name, content)
		}
	}
	open := func(name, docs string) answers.Member {
		cache := filepath.Join(dir, "cache-"+docs)
		if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, docs)}}, Cache: cache}); err != nil {
			t.Fatal(err)
		}
		if docs == "copy" {
			if err := os.Remove(filepath.Join(cache, "selection.idx")); err != nil {
				t.Fatal(err)
			}
		}
		c, err := answers.Open(cache)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return answers.Member{Name: name, Cache: c}
	}
	var sets []*answers.Set
	for _, members := range [][]answers.Member{{open("", "all")}, {open("", "copy")}, {open("a", "first"), open("b", "second")}} {
		set, err := answers.NewSet(members)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
	return func(text string) selection.Confidence {
		query, err := selection.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		var all []selection.Confidence
		for i, set := range sets {
			explained, err := set.Explain(t.Context(), selection.Request{Query: query, Selection: selection.Spec1}, 0)
			if err != nil {
				t.Fatal(err)
			}
			got := *explained.Confidence
			for n, s := range got.Sections {
				got.Sections[n].ID = s.ID[strings.IndexByte(string(s.ID), ':')+1:]
			}
			if all = append(all, got); !reflect.DeepEqual(got, all[0]) {
				t.Errorf("%s: set %d: got %+v, want %+v", text, i, got, all[0])
			}
		}
		return all[0]
	}
}

func TestAMatchIsWeakIfItLacksMostOfTheQuery(t *testing.T) {
	confidenceIn := confidencesOf(t, map[string]string{
		"oven.md":  "# Oven\n\nThe oven bakes bread at 250 degrees. Its door stays closed.\n",
		"floor.md": "# Floor\n\nA floor of stone keeps warm.\n\n## Cleaning\n\nSweep it with a brush.\n",
		"peel.md":  "# Peel\n\nA long shovel.\n",
	})
	for _, tc := range []struct {
		query  string
		isWeak bool
		lacks  []string
	}{
		{"oven", false, nil},
		{"bakes bread at how many degrees", false, []string{"many"}},
		{"stone floor", false, nil},
		{"cleaning the floor", false, nil}, // the title of the page counts
		{"sourdough pizza bread in Naples", true, []string{"sourdough", "pizza", "Naples"}},
		{"sourdough pizza, hovel, knife and peel", true, []string{"sourdough", "pizza", "knife"}}, // shovel
		{"warm welcome, dear customer!", true, []string{"welcome", "dear", "customer"}},
		{"max-oven-speed of rockets, engines and wheels", true, []string{"rockets", "engines", "wheels"}},
		{"nothing at all?", false, nil}, // and no match
	} {
		got := confidenceIn(tc.query)
		if got.IsWeak != tc.isWeak || !slices.Equal(got.Lacks, tc.lacks) {
			t.Errorf("%s: got %+v, want %t, %q", tc.query, got, tc.isWeak, tc.lacks)
		}
	}
}

// Each word occurs once, so all are worth the same, except that words of chat count a quarter.
func TestConfidenceIsTheShareOfTheEightWorthiestTerms(t *testing.T) {
	confidenceIn := confidencesOf(t, map[string]string{
		"a.md": "amber birch cedar delta advice\n", "b.md": "eagle falcon grouse\n", "c.md": "heron ibis\n",
		"d.md": "jackdaw\n", "k.md": "kestrel\n", "l.md": "linnet\n", "m.md": "guess\n", "n.md": "trouble\n",
	})
	for _, tc := range []struct {
		query              string
		percent            int
		isWeak, isOffTopic bool
	}{
		{"amber birch cedar delta", 100, false, false},
		{"amber birch cedar delta eagle heron jackdaw", 57, false, false},         // 4 of 7
		{"amber birch cedar delta eagle heron jackdaw kestrel", 50, false, false}, // 4 of 8
		{"amber birch cedar delta eagle heron jackdaw kestrel linnet advice", 53, false, false},
		{"amber birch eagle heron guess", 47, true, false},                  // 2 of 4.25
		{"amber birch eagle heron advice", 53, false, false},                // 2.25 of 4.25
		{"amber eagle heron jackdaw guess", 24, true, true},                 // 1 of 4.25
		{"amber eagle heron jackdaw advice guess trouble", 26, true, false}, // 1.25 of 4.75
	} {
		got := confidenceIn(tc.query)
		covered, err := strconv.ParseFloat(got.Covered, 64)
		if err != nil || int(math.Round(covered*100)) != tc.percent || got.IsWeak != tc.isWeak || got.IsOffTopic != tc.isOffTopic {
			t.Errorf("%s: got %+v, want %d%%, weak %t, off topic %t", tc.query, got, tc.percent, tc.isWeak, tc.isOffTopic)
		}
	}
}

// The words come from the headings and definitions of the best sections, in the spelling
// of the pages. Words that begin like a missing word come first, then words that few
// sections contain. Words of the first page alone, such as secret, would only repeat it.
func TestAWeakMatchGivesWordsToTry(t *testing.T) {
	confidenceIn := confidencesOf(t, map[string]string{
		"auth.md":   "# API\n\n## Authorization\n\nA **bearer token** is a secret of the client. A **secret** is short. The `$` is none.\n",
		"errors.md": "# API\n\n## Errors\n\nThe server tells why. See authorization, bearer, token and nothing else.\n",
		"more.md":   "# API\n\nMore.\n\n## API of old\n\nOld.\n\n## API of new\n\nNew.\n",
		"retry.md":  "# API\n\n## The `max_wait` of 30 (s)\n\nNetworks fail. Nothing is ever lost.\n",
	})
	for query, want := range map[string][]string{
		"authenticate users of my clients in browsers":  {"Authorization", "bearer", "token", "API"},
		"giving up after network problems and a reboot": {"Nothing", "API"},
		"errors":      nil,
		"xyzzy plugh": nil,
	} {
		if got := confidenceIn(query); !slices.Equal(got.Try, want) {
			t.Errorf("%s: got %+v, want %q", query, got, want)
		}
	}
}
