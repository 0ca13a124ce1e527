package agent

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestPagesWithDifferentNumbersAreNamed(t *testing.T) {
	const question = "how many requests can a batch have"
	for _, tc := range []struct {
		name, query, first, second string
		want                       string // two amounts; "" if there is no line
	}{
		{"other words", question, "A batch has at most 100 requests.", "You can send up to 1,000 requests in a batch.", "1,000 requests, 100 requests"},
		{"the same number", question, "A batch has at most 1000 requests.", "You can send up to 1,000 requests in a batch.", ""},
		{"a number as a word", question, "A batch has at most twelve requests.", "You can send up to 12 requests in a batch.", ""},
		{"a fraction", "how long does the client wait for the server", "The client waits 2.50 seconds for the server.", "The client waits 2.5 seconds for the server.", ""},
		{"another limit", question, "A batch has at most 100 requests.", "A batch has at least 3 requests.", ""},
		{"another condition", question, "A batch has at most 100 requests.", "A batch has at most 5 requests unless you pay.", ""},
		{"another unit", "how long does the client wait for the server", "The client waits 30 seconds for the server.", "The client waits 2 minutes for the server.", ""},
		{"a range", question, "A batch has at most 100 requests.", "A batch has at most 5 to 10 requests.", ""},
		{"two sentences", question, "A batch has at most 100 requests.", "A batch has at most 5 requests. A batch has at most 9 requests.", ""},
		{"about more", question, "A batch has at most 100 requests.", "With streams over sockets on old proxies, a batch has at most 5 requests.", ""},
		{"other words of the query", "how many requests can a batch of clients have", "A batch of clients has at most 100 requests.", "A batch has at most 5 requests.", ""},
		{"time", "how long does the client wait for the server", "The client waits 30s for the server.", "The client waits 90s for the server.", "90s, 30s"},
		{"not asked for", "which memory does the server take", "The server takes memory of 5 GB.", "The server takes memory of 7 GB.", ""},
	} {
		pages := map[string]string{"limits.md": "# Limits\n\n" + tc.first + "\n", "faq.md": "# FAQ\n\n" + tc.second + "\n"}
		checkNumbers(t, tc.name, map[string]map[string]string{"": pages}, tc.query, tc.want)
	}
}

// Versions and products have their own numbers.
func TestVersionsMayHaveDifferentNumbers(t *testing.T) {
	const first, second = "A batch has at most 100 requests.\n", "A batch has at most 5 requests.\n"
	for name, caches := range map[string]map[string]map[string]string{
		"directories":   {"": {"v1/limits.md": "# One\n\n" + first, "v2/limits.md": "# Two\n\n" + second}},
		"titles":        {"": {"one.md": "# Limits\n\n" + first, "two.md": "# Limits\n\nBy mail, a" + second[1:]}},
		"caches":        {"a": {"one.md": "# One\n\n" + first}, "b": {"two.md": "# Two\n\n" + second}},
		"sections":      {"": {"one.md": "# One\n\n## Free\n\n" + first + "\n## Paid\n\n" + second}},
		"several pages": {"": {"a.md": "# A\n\n" + first, "b.md": "# B\n\n" + second, "c.md": "# C\n\nBy mail, a" + first[1:], "d.md": "# D\n\nBy post, a" + second[1:]}},
	} {
		checkNumbers(t, name, caches, "how many requests can a batch have", "")
	}
}

// numbersIn matches the line of an answer with two numbers.
var numbersIn = regexp.MustCompile(`(?m)^two pages give different numbers: (?:limits|faq).md says (.*) \(read \w+\.1\), (?:limits|faq).md says (.*) \(read \w+\.1\)$`)

// checkNumbers checks that search and ask name two numbers, or none.
func checkNumbers(t *testing.T, name string, caches map[string]map[string]string, query, want string) {
	t.Helper()
	for _, pages := range caches {
		for n := range 4 { // the words of questions must be worth little
			pages[fmt.Sprintf("n%d.md", n)] = fmt.Sprintf("# Note %d\n\nHow many, how long and at most: many clients wait long, at most once.\n", n)
		}
	}
	set := setOf(t, t.TempDir(), caches)
	for call, answer := range map[string]func() ([]byte, error){
		"search": func() ([]byte, error) { return Markdown(Search(t.Context(), set, SearchRequest{Query: query})) },
		"ask":    func() ([]byte, error) { return Markdown(Ask(t.Context(), set, AskRequest{Query: query})) },
	} {
		out, err := answer()
		got := ""
		if found := numbersIn.FindStringSubmatch(string(out)); found != nil {
			got = found[1] + ", " + found[2]
		}
		if err != nil || got != want || strings.Contains(string(out), "different numbers") != (want != "") {
			t.Errorf("%s, %s: got %q and %v, want %q, in\n%s", name, call, got, err, want, out)
		}
	}
}
