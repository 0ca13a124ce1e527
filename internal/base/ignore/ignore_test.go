// The promises of the package beyond git's behavior: immutable values, paths matched on their own,
// and bounded time for any input.

package ignore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/base/ignore"
)

func Example() {
	root := ignore.Rules{}.With(".", []byte("*.md\n!README.md\n"))
	docs := root.With("docs", []byte("!*.md\n/draft*\n"))
	for _, path := range []string{"README.md", "notes.md"} {
		fmt.Println(path, root.Match(path, false))
	}
	for _, path := range []string{"docs/notes.md", "docs/draft.md"} {
		fmt.Println(path, docs.Match(path, false))
	}
	// Output:
	// README.md false
	// notes.md true
	// docs/notes.md false
	// docs/draft.md true
}

func TestZeroRulesLeaveNothingOut(t *testing.T) {
	var rules ignore.Rules
	for _, path := range []string{".", "a", "a/b", ""} {
		check(t, rules, path, false)
	}
}

func TestTextWithoutRulesChangesNothing(t *testing.T) {
	rules := ignore.Rules{}.With(".", []byte("a\n"))
	for _, text := range []string{"", "\n", "\r\n", "   \n", "# a comment\n", "\ufeff", "/\n", "[a\n"} {
		if got := rules.With("sub", []byte(text)); got != rules {
			t.Errorf("%q: got other rules, want the same", text)
		}
	}
}

func TestDirectoriesDoNotSeeEachOthersRules(t *testing.T) {
	root := ignore.Rules{}.With(".", []byte("root\n"))
	left := root.With("left", []byte("a\n"))
	right := root.With("right", []byte("b\n"))

	check(t, left, "left/a", true)
	check(t, left, "left/b", false)
	check(t, right, "right/a", false)
	check(t, right, "right/b", true)
	check(t, right, "right/root", true)
	check(t, root, "left/a", false)
}

func TestRulesSayNothingAboutPathsOutsideTheirDirectory(t *testing.T) {
	rules := ignore.Rules{}.With("sub", []byte("*\n"))
	check(t, rules, "sub/a", true)
	check(t, rules, "sub", false)
	check(t, rules, "subs", false)
	check(t, rules, "a", false)
}

func TestRulesKeepNothingOfTheText(t *testing.T) {
	text := []byte("abc*\n")
	rules := ignore.Rules{}.With(".", text)
	copy(text, "xyz?\n")
	check(t, rules, "abcd", true)
	check(t, rules, "xyzd", false)
}

func TestRootIsNeverLeftOut(t *testing.T) {
	rules := ignore.Rules{}.With(".", []byte("*\n.\n/**\n"))
	check(t, rules, ".", false)
}

func TestMatchLooksAtThePathAlone(t *testing.T) {
	rules := ignore.Rules{}.With(".", []byte("build\n"))
	check(t, rules, "build", true)
	check(t, rules, "build/a", false)
}

// A matcher trying all possibilities would never finish any of these.
func TestNoPatternTakesForEver(t *testing.T) {
	name := strings.Repeat("a", 250)
	path := strings.Repeat(name+"/", 15) + name
	for _, pattern := range []string{
		strings.Repeat("*a", 100) + "b",
		"/" + strings.Repeat("*a", 100) + "b",
		strings.Repeat("**/", 500) + "b",
		strings.Repeat("**/*a", 100) + "/b",
		strings.Repeat("**/*a*", 10) + "/**/b",
		"x/**" + strings.Repeat(`**\/*a*`, 10) + "/b",
		strings.Repeat("[!b]*", 100) + "/b",
	} {
		rules := ignore.Rules{}.With(".", []byte(pattern))
		check(t, rules, path, false)
	}
}

func TestLongLinesAreRulesToo(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	check(t, ignore.Rules{}.With(".", []byte(long)), long, true)
	check(t, ignore.Rules{}.With(".", []byte("*"+long+"?")), "x"+long+"y", true)
}

func TestThousandsOfIgnoreFilesAreNoBurden(t *testing.T) {
	const dirs = 5000
	var rules ignore.Rules
	for i := range dirs {
		rules = rules.With(fmt.Sprintf("dir%d", i), []byte("*.log\n!keep.log\n"))
	}
	for i := range dirs {
		check(t, rules, fmt.Sprintf("dir%d/a.log", i), true)
		check(t, rules, fmt.Sprintf("dir%d/keep.log", i), false)
	}
}

func check(t *testing.T, rules ignore.Rules, path string, want bool) {
	t.Helper()
	if got := rules.Match(path, false); got != want {
		t.Errorf("%.80q: got left out %v, want %v", path, got, want)
	}
}

func TestRulesThatCoverFiles(t *testing.T) {
	const all = "a b/a b/c/a c/a"
	tests := []struct{ dir, rules, want string }{
		{".", "*", all},
		{".", "a", all},
		{".", "/a", "a"},
		{".", "b", "b/a b/c/a"},
		{".", "b/", "b/a b/c/a"},
		{".", "c/", "b/c/a c/a"},
		{".", "/c/", "c/a"},
		{".", "a/", ""},
		{".", "b/**", "b/a b/c/a"},
		{".", "b/*", "b/a b/c/a"}, // b/c is a directory
		{".", "b/\n!c/", "b/a"},
		{".", "!c/\nb/", "b/a b/c/a"},
		{".", "*\n!b/\nb/c/", "a b/c/a c/a"},
		{".", "!a", ""},
		{".", "", ""},
		{"b", "*", "b/a b/c/a"},
		{"b", "/a", "b/a"},
		{"b", "b/", ""},
		{"b", "c", "b/c/a"},
	}
	for _, test := range tests {
		rules := ignore.Rules{}.With(test.dir, []byte(test.rules))
		var got []string
		for _, path := range strings.Fields(all) {
			if rules.Covers(path) {
				got = append(got, path)
			}
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%q in %s: got %q, want %q", test.rules, test.dir, got, test.want)
		}
	}
}
