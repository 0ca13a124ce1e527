//go:build linux

package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/selection"
)

// Clients can send lists and texts of any length.
var longRequests = map[string]func(ctx context.Context, set *answers.Set, n int) ([]byte, error){
	"unknown words": func(ctx context.Context, set *answers.Set, n int) ([]byte, error) {
		return Markdown(Search(ctx, set, SearchRequest{Query: repeatNumbered(n, "zq%d ")}))
	},
	"unknown words of a question": func(ctx context.Context, set *answers.Set, n int) ([]byte, error) {
		return Markdown(Ask(ctx, set, AskRequest{Query: repeatNumbered(n, "zq%d ")}))
	},
	"words next to a matching word": func(ctx context.Context, set *answers.Set, n int) ([]byte, error) {
		return Markdown(Search(ctx, set, SearchRequest{Query: "macro " + repeatNumbered(n, "zq%d ")}))
	},
	"fields in any case": func(ctx context.Context, set *answers.Set, n int) ([]byte, error) {
		found, err := Grep(ctx, set.Members(), GrepRequest{Pattern: "macro", Filter: selection.Filter{Where: casesOf("topic=macrosandmoreofthem", n)}})
		return found.Markdown(), err
	},
	"fields": func(ctx context.Context, set *answers.Set, n int) ([]byte, error) {
		return Markdown(Search(ctx, set, SearchRequest{Query: "macro", Filter: selection.Filter{Where: numbered(n, "topic=%d")}}))
	},
	"versions that the caller has": func(ctx context.Context, set *answers.Set, n int) ([]byte, error) {
		return Markdown(Ask(ctx, set, AskRequest{Query: "macro", Have: numbered(n, "%08x")}))
	},
	"patterns that leave out": func(ctx context.Context, set *answers.Set, n int) ([]byte, error) {
		return Markdown(Ask(ctx, set, AskRequest{Query: "macro", Filter: selection.Filter{Paths: numbered(n, "!%d.md")}}))
	},
	"references": func(ctx context.Context, set *answers.Set, n int) ([]byte, error) {
		out, err := Markdown(Read(ctx, set, ReadRequest{References: numbered(n, "%d.md")}))
		if _, isExpected := errors.AsType[ArgumentError](err); isExpected {
			err = nil
		}
		return out, err
	},
}

func numbered(n int, format string) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf(format, i))
	}
	return texts
}

func repeatNumbered(n int, format string) string { return strings.Join(numbered(n, format), "") }

// casesOf returns n ways to write the letters of a field's value.
func casesOf(field string, n int) (fields []string) {
	key, value, _ := strings.Cut(field, "=")
	for i := range n {
		letters := []byte(value)
		for at := range letters {
			if i>>at&1 == 1 {
				letters[at] -= 'a' - 'A'
			}
		}
		fields = append(fields, key+"="+string(letters))
	}
	return fields
}

// longSources contain a sentence too long to print, so answers look for its best part.
var longSources = map[string]map[string]string{"": {
	"a.md": "---\ntopic: macrosandmoreofthem\n---\n# A\n\n" + strings.Repeat("A macro and more words ", 30) + "\n",
	"b.md": "# B\n\n" + strings.Repeat("The macro of e.g. Rust. ", 30) + "\n",
}}

// leastCPU returns the least processor time of a call in a few tries. It doesn't grow while other
// programs keep the processors busy.
func leastCPU(t *testing.T, call func()) time.Duration {
	t.Helper()
	best := time.Duration(math.MaxInt64)
	for range 4 {
		began := cpuTime(t)
		call()
		best = min(best, cpuTime(t)-began)
	}
	return best
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}

// A step that compares each element with each other takes ten thousand times as long for a
// hundred times the elements.
func TestNoStepComparesEachElementWithEachOther(t *testing.T) {
	set := setOf(t, t.TempDir(), longSources)
	for name, step := range map[string]func(n int) func(){
		"words to name": func(n int) func() {
			var terms []selection.ExplainedTerm
			for _, text := range numbered(n, "zq%d") {
				terms = append(terms, selection.ExplainedTerm{Text: text})
			}
			return func() { new(Answer).nameMissing(missingOf(terms, nil), textProof{}) }
		},
		"fields": func(n int) func() {
			request := GrepRequest{Pattern: "macro", Jobs: 1, Filter: selection.Filter{Where: casesOf("topic=macrosandmoreofthem", n)}}
			return func() {
				if found, err := grep(t.Context(), set.Members(), request); err != nil || found.searched != 1 {
					t.Errorf("got %+v, %v, want 1 page", found, err)
				}
			}
		},
		"sentences": func(n int) func() {
			text := []byte(strings.Repeat("e.g. A ", n))
			return func() { markdown.SplitParagraph(text) }
		},
	} {
		const few, many = 100, 10_000
		if short, long := leastCPU(t, step(few)), leastCPU(t, step(many)); long > 800*short {
			t.Errorf("%s: %d take %v, and %d take %v", name, few, short, many, long)
		}
	}
}

// Each sentence is compared with the query, and each hit with the versions, often.
func TestALongRequestMakesNoComparisonSlower(t *testing.T) {
	set := setOf(t, t.TempDir(), longSources)
	sentence := []byte("A macro and more words of it.")
	for name, step := range map[string]func(n int) func(){
		"a sentence with a query": func(n int) func() {
			query, err := selection.ParseQuery("macro " + repeatNumbered(n, "zq%d "))
			if err != nil {
				t.Fatal(err)
			}
			ranked, err := set.Rank(t.Context(), selection.Request{Query: query})
			if err != nil {
				t.Fatal(err)
			}
			return func() {
				for range 100 {
					ranked.Worth(sentence)
				}
			}
		},
		"a section with versions": func(n int) func() {
			has, err := parseVersions(numbered(n, "%08x"))
			if err != nil {
				t.Fatal(err)
			}
			version := document.VersionOf(sentence)
			return func() {
				for range 100 {
					has(version, version)
				}
			}
		},
	} {
		const few, many = 100, 10_000
		if short, long := leastCPU(t, step(few)), leastCPU(t, step(many)); long > 15*short {
			t.Errorf("%s: of %d it takes %v, and of %d %v", name, few, short, many, long)
		}
	}
}

// A cancelled call ends within its list of words, fields or references.
func TestAnAnswerEndsWithTheContext(t *testing.T) {
	set := setOf(t, t.TempDir(), longSources)
	for name, answer := range longRequests {
		const plenty, n = 1 << 40, 1000
		var ctx *endingContext
		for range 3 { // the first fill what later ones find
			ctx = endingAfter(plenty)
			if _, err := answer(ctx, set, n); err != nil {
				t.Fatal(name, err)
			}
		}
		looks := plenty - ctx.looks.Load()
		for _, after := range []int64{0, looks / 4, looks / 2, looks - 1} {
			if _, err := answer(endingAfter(after), set, n); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: the context ended at look %d of %d: got %v, want %v", name, after, looks, err, context.Canceled)
			}
		}
		isPerElement := !strings.Contains(name, "versions") && !strings.Contains(name, "patterns") && !strings.Contains(name, "any case")
		if isPerElement && looks < n {
			t.Errorf("%s: the context is looked at %d times for a list of %d", name, looks, n)
		}
	}
}

// A comparison of the whole text at each place would take a hundred times as long for a text a
// hundred times as long.
func TestTheTimeToFindATextDoesNotGrowWithTheText(t *testing.T) {
	content := bytes.Repeat([]byte("a"), 1<<19)
	timeOf := func(n int) time.Duration {
		m, err := matcherOf(GrepRequest{Pattern: strings.Repeat("A", n) + "b", IgnoreCase: true})
		if err != nil {
			t.Fatal(err)
		}
		return leastCPU(t, func() {
			for line := range m.lines(t.Context(), content) {
				t.Errorf("found %v", line)
			}
		})
	}
	if short, long := timeOf(9), timeOf(900); long > 20*short {
		t.Errorf("it takes %v to find 10 letters and %v to find 901", short, long)
	}
}
