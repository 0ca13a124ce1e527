package agent

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/base/words"
)

func TestReferencesAreCompleted(t *testing.T) {
	many := map[string]string{"b/Big.md": "# Big\n" + strings.Repeat("\n## Part\n", 300)}
	for i := range 300 {
		many[fmt.Sprintf("pages/%03d.md", i)] = "# P\n"
	}
	docs := map[string]string{
		"guide/setup.md": "# Set up\n\n## Install {#get-it}\n\n## \x1b[2JSteer\n\n## 日本\n", "guide/d/e.md": "# E\n", "readme.md": "# R\n", "日本/é.md": "# É\n",
		"guide/a b.md": "", "guide/$(id).md": "", "guide/`id`.md": "", "guide/a;b.md": "", "guide/a\u202e.md": "", "guide/'.md": "",
		"-rf.md": "", "#a.md": "", "$(id)/a.md": "", "a~.md": "",
	}
	if runtime.GOOS != "windows" { // which has no such names
		docs["guide/a\x1b[2J.md"], docs["guide/a\nb.md"] = "", ""
	}
	set := setOf(t, t.TempDir(), map[string]map[string]string{"docs": docs, "many": many})
	for typed, want := range map[string][]string{
		"":                     {"docs:#a.md", "docs:-rf.md", "docs:guide/", "docs:readme.md", "docs:日本/", "many:b/", "many:pages/"},
		"do":                   {"docs:#a.md", "docs:-rf.md", "docs:guide/", "docs:readme.md", "docs:日本/"},
		"docs:guide/":          {"docs:guide/d/", "docs:guide/setup.md"},
		"docs:guide/s":         {"docs:guide/setup.md"},
		"docs:guide/setup.md":  {"docs:guide/setup.md", "docs:guide/setup.md#set-up", "docs:guide/setup.md#get-it", "docs:guide/setup.md#2jsteer", "docs:guide/setup.md#日本"},
		"docs:guide/setup.md#": {"docs:guide/setup.md#set-up", "docs:guide/setup.md#get-it", "docs:guide/setup.md#2jsteer", "docs:guide/setup.md#日本"},
		"setup#g":              {"setup#get-it"},
		"docs:guide/a":         nil,
		"docs:$":               nil,
		"none":                 nil,
		"none#":                nil,
	} {
		var got []string
		for _, c := range CompleteReference(t.Context(), set.Members(), typed) {
			got = append(got, c.Text)
			if c.About != words.Printable(c.About) {
				t.Errorf("%q is not fit to print", c.About)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", typed, diff)
		}
	}
	for typed, want := range map[string]int{"many:pages/": mostCompletions, "many:pages/00": 10, "many:b/big.md#": mostCompletions, "many:b/big.md": mostCompletions} {
		if got := CompleteReference(t.Context(), set.Members(), typed); len(got) != want {
			t.Errorf("%q: got %d completions, want %d", typed, len(got), want)
		}
	}
	if diff := cmp.Diff([]Completion{{Text: "guide/d/"}, {Text: "guide/setup.md"}}, CompletePath(set.Members(), "guide/")); diff != "" {
		t.Errorf("a path (-want +got):\n%s", diff)
	}
}

// Whoever follows the completions comes to every page.
func TestCompletionsLeadToEachPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		set := setOf(t, dir, map[string]map[string]string{"one": corpusOf().Draw(t, "one"), "two": corpusOf().Draw(t, "two")})
		var pages []string
		for _, p := range pagesOf(t, set) {
			if isPlain(p.name()) {
				pages = append(pages, p.name())
			}
		}
		slices.Sort(pages)
		var found []string
		for left := []string{""}; len(left) > 0; left = left[1:] {
			for _, c := range completePaths(set.Members(), left[0], prefix) {
				if strings.HasSuffix(c.Text, "/") {
					left = append(left, c.Text)
				} else {
					found = append(found, c.Text)
				}
			}
		}
		slices.Sort(found)
		if diff := cmp.Diff(pages, found); diff != "" {
			t.Errorf("(-pages +found):\n%s", diff)
		}
		for _, name := range found {
			for _, c := range CompleteReference(context.Background(), set.Members(), name+"#") {
				if p, err := find(context.Background(), set.Members(), c.Text); err != nil || p.name() != name {
					t.Errorf("%s: got %s, %v", c.Text, p.name(), err)
				}
			}
		}
	})
}
