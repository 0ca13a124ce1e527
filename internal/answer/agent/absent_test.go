package agent

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const absenceText = "# Kernel\n\nSet `net.ipv4.ip_forward`, read X-Forwarded-For, and see [os.path.join](https://example.org/zeta_8?q=1).\n" +
	"Use % as wildcard. It runs `System.Management.Automation`, `spring.maximum-pool-size` and a\\_b\\_gamma.\n" +
	"Größe, ΟΔΟΣ, Cafe\u0301, 設定する, /etc/rc.d/init-7 <b data-omega=\"1\">x&y</b> ~=~ $_ 100%.\n" +
	"A `deep`.`lambda` of H~2~O, **un**known, un<i>tagged</i>s, na&iuml;vet&eacute;, &#x41;BC1 and soft&shy;ware.\n"

// noSection matches the words of an answer that no section is said to have.
var noSection = regexp.MustCompile(`(?m)(?:^|; )no section has (".*)`)

func TestWhatATextContainsIsNeverSaidToBeMissing(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{"": {"a.md": absenceText, "b.md": "# Other\n\nMore about it.\n"}})
	check := func(fail func(string, ...any), query string) {
		for name, call := range map[string]func() ([]byte, error){
			"search": func() ([]byte, error) { return Markdown(Search(t.Context(), set, SearchRequest{Query: query})) },
			"ask":    func() ([]byte, error) { return Markdown(Ask(t.Context(), set, AskRequest{Query: query})) },
		} {
			answer, err := call()
			if err != nil || noSection.Match(answer) {
				fail("%s %q: got %v and\n%s", name, query, err, answer)
			}
		}
	}
	for _, query := range []string{
		"ip_forward", "Forwarded-For", "path.join", "Management.Automation", "MAXIMUM-pool-size", "pool-size", "b_gamma", "%", "use % as wildcard",
		"zeta_8", "omega", "init-7", "größ", "οδος", "café", "orwar", "100%", "&", "rc.d/init", "定す", "~=", "`$_`", "automatio",
		"deep.lambda", "h2o", "unknown", "untaggeds", "naïveté", "abc1", "software",
	} {
		check(t.Errorf, query)
	}
	fields := strings.Fields(absenceText)
	rapid.Check(t, func(t *rapid.T) {
		field := []rune(rapid.SampledFrom(fields).Draw(t, "field"))
		start := rapid.IntRange(0, len(field)-1).Draw(t, "start")
		check(t.Fatalf, string(field[start:rapid.IntRange(start+1, len(field)).Draw(t, "end")]))
	})
	for query, want := range map[string]string{"xyzzy": "xyzzy", "other ip_forwards": "ip_forwards", "more @{}": "@{}"} {
		answer, err := Markdown(Search(t.Context(), set, SearchRequest{Query: query}))
		if err != nil || !strings.Contains(string(answer), fmt.Sprintf("no section has %q", want)) {
			t.Errorf("%s: got %v and\n%s", query, err, answer)
		}
	}
}

// Without reading all pages, an answer only says what search cannot find.
func TestManyPagesProveNothing(t *testing.T) {
	sources := map[string]string{"a.md": absenceText}
	for n := range mostProofPages {
		sources[fmt.Sprintf("p%d.md", n)] = "# Page\n"
	}
	set := setOf(t, t.TempDir(), map[string]map[string]string{"": sources})
	answer, err := Markdown(Search(t.Context(), set, SearchRequest{Query: "forward xyzzy"}))
	if err != nil || !strings.Contains(string(answer), `no word matches "xyzzy"; for exact text, use grep "xyzzy"`) || noSection.Match(answer) {
		t.Errorf("got %v and\n%s", err, answer)
	}
}
