package agent

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/selection"
)

func TestTheLineThatAnswersBestIsNamed(t *testing.T) {
	filler := strings.Repeat("Words of the pool of workers.\n", 12)
	for _, tc := range []struct{ name, text, query, want string }{
		{"a line", "# Pool\n\n" + filler + "\nThe timeout of a worker is 30 seconds.\n\nMore of it.\n", "worker timeout", "16"},
		{"a sentence of two lines", "# Pool\n\n" + filler + "\nThe timeout that is given\nto a worker is 30 seconds.\n", "timeout of a worker in seconds", "16-17"},
		{"no heading", "# Worker timeout\n\n" + filler + "\nThe timeout is 30 seconds.\n", "worker timeout", "16"},
		{"a row", "# Pool\n\n" + filler + "\n| key | value |\n| --- | --- |\n| worker timeout | 30 |\n", "worker timeout", "18"},
		{"CRLF", strings.ReplaceAll("# Pool\n\n"+filler+"\nThe timeout of a worker.\n", "\n", "\r\n"), "worker timeout", "16"},
		{"a number", "# Pool\n\n" + filler + "\nThe default timeout of a worker is low.\n\nThe default timeout of a worker is 30 seconds.\n", "default timeout of a worker", "18"},
	} {
		set := setOf(t, t.TempDir(), map[string]map[string]string{"": {"a.md": tc.text, "b.md": "# B\n\nOther text.\n"}})
		answer, err := Markdown(Ask(t.Context(), set, AskRequest{Query: tc.query}))
		if err != nil {
			t.Fatal(err)
		}
		if want := " best " + tc.want + "\n"; !strings.Contains(string(answer), want) {
			t.Errorf("%s: no %q in:\n%s", tc.name, want, answer)
		}
	}
}

// A budget too small for the best section gets part of it. The budget named in the answer is enough
// for all of it.
func TestASmallBudgetGetsAPartAndTheBudgetForAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		set := setOf(t, dir, map[string]map[string]string{"": corpusOf().Draw(t, "corpus")})
		request := AskRequest{Query: lawQuery().Draw(t, "query"), Budget: rapid.IntRange(1, 60).Draw(t, "budget")}
		ask := func(request AskRequest) string {
			answer, err := Markdown(Ask(context.Background(), set, request))
			if err != nil {
				t.Fatal(err)
			}
			return string(answer)
		}
		answer := ask(request)
		texts, notes := splitAnswer(t, answer)
		if len(texts) == 0 && !strings.Contains(notes, "nothing matches") && !strings.Contains(notes, "nothing answers") && !strings.Contains(notes, withoutSymbol) {
			t.Fatalf("no text:\n%s", answer)
		}
		_, note, isPart := strings.Cut(notes, "that is a part of ")
		var handle string
		if _, err := fmt.Sscanf(strings.ReplaceAll(note, ",", ""), "%s give a budget of %d", &handle, &request.Budget); !isPart || err != nil {
			return
		}
		if !slices.ContainsFunc(pagesOf(t, set), func(p cachePage) bool { return p.hasPart(texts[0]) }) {
			t.Errorf("%q stands in no page", texts[0])
		}
		whole, _ := splitAnswer(t, readOf(t, set, allTokens, strings.TrimSuffix(handle, ":")))
		again, _ := splitAnswer(t, ask(request))
		if !slices.ContainsFunc(again, func(text string) bool { return strings.Contains(text, strings.TrimSuffix(whole[0], "\n")) }) {
			t.Errorf("a budget of %d does not bring %s:\n%q", request.Budget, handle, again)
		}
	})
}

func TestOnlyAnAnswerThatLacksMostOfTheQuestionIsWeak(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{"": {
		"timeouts.md": "# Timeouts\n\n" + strings.Repeat("The timeout of a worker is 30 seconds, and that of a client is 20.\n", 12),
		"best.md":     "# Practices\n\nThe best practices of a pool.\n",
	}})
	for query, isWeak := range map[string]bool{
		"timeout of a worker": false, "what are the best practices": false, "pizza and pasta of a worker": true, "best practices of a pool of pizza in summer nights": true,
		"I'm struggling a bit, any advice on the timeout of a client?": false,
		"Hello! What is the timeout of a client? Sorry, thanks a lot!": false,
	} {
		answer, err := Markdown(Ask(t.Context(), set, AskRequest{Query: query}))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(answer), "\n")
		if got := strings.Contains(first, "weak match"); got != isWeak {
			t.Errorf("%s: got %t, want %t:\n%s", query, got, isWeak, answer)
		}
		texts, _ := splitAnswer(t, string(answer))
		if isWeak && (len(texts) != 1 || tokensOf(len(texts[0])-1) > weakTokens) {
			t.Errorf("%s: got %d texts:\n%s", query, len(texts), answer)
		}
	}
}

// The caller may already have the best text.
func TestSharesAreOfTheBestScore(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{"": {
		"a.md": "# Timeout\n\nThe timeout of a worker.\n", "b.md": "# Other\n\nA worker and its timeout, with many words that say something else.\n",
	}})
	request := AskRequest{Query: "timeout of a worker", MinScore: selection.One / 10}
	answer, err := Markdown(Ask(t.Context(), set, request))
	if err != nil {
		t.Fatal(err)
	}
	lines := itemHeads(string(answer))
	if len(lines) != 2 || strings.Contains(lines[0], "%") || !strings.HasSuffix(lines[1], "%") {
		t.Fatalf("got %q in:\n%s", lines, answer)
	}
	request.Have = []string{strings.Fields(lines[0])[3]}
	answer, err = Markdown(Ask(t.Context(), set, request))
	if err != nil || !strings.Contains(string(answer), "%\n") {
		t.Errorf("without the best: %v\n%s", err, answer)
	}
}

// itemHeads returns the lines above the texts.
func itemHeads(answer string) (heads []string) {
	mark, _, _ := strings.Cut(answer, ":")
	for line := range strings.Lines(answer) {
		if strings.HasPrefix(line, mark+" ") && !strings.HasPrefix(line, mark+" end") {
			heads = append(heads, strings.TrimSuffix(line, "\n"))
		}
	}
	return heads
}

func TestTheLargestBudgetDoesNotOverflow(t *testing.T) {
	all := askAnswer{request: AskRequest{Budget: math.MaxInt}}
	if got := all.most(); got <= 0 {
		t.Errorf("got at most %d bytes", got)
	}
}

func TestAQuestionAboutSomethingElseGetsOneLine(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{"": {"best.md": "# Practices\n\nThe best practices of a pool.\n"}})
	for query, want := range map[string]string{
		"best pizza in Naples at night":            `\Anothing answers this: the best section lacks "pizza", "Naples", "night"\nfrom [0-9a-f]+\n\z`,
		"best --zebra of pizza in Naples at night": `\Ano section has "--zebra"; for exact text, use grep "--zebra"; nothing answers this: the best section lacks .*\nfrom [0-9a-f]+\n\z`,
	} {
		answer, err := Markdown(Ask(t.Context(), set, AskRequest{Query: query}))
		if err != nil || !regexp.MustCompile(want).Match(answer) {
			t.Errorf("%s: got %v and:\n%s", query, err, answer)
		}
	}
}
