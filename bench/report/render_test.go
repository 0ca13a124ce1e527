package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// someResult is a corpus of which all steps took a time that is a multiple of
// its pages.
func someResult(name string, pages int, steps map[string]time.Duration) result {
	r := result{name: name, generated: true, pages: pages, size: 5_000 * int64(pages), indexSize: 1_000 * int64(pages), samples: samples{}}
	r.queries = queries{[]string{"care", "edition"}, []string{"the", "and"}}
	for step, took := range steps {
		one := process{took * time.Duration(pages), took * time.Duration(pages), 40 << 20}
		r.samples[step] = []process{one, one, one}
	}
	return r
}

func TestReportHoldsRatiosAgainstTargets(t *testing.T) {
	steps := map[string]time.Duration{
		stepCopy: 10 * time.Microsecond, stepBuild: 20 * time.Microsecond, stepRebuild: time.Microsecond,
		stepVersion: time.Microsecond, stepResolve: 2 * time.Microsecond, stepRg: 4 * time.Microsecond,
	}
	text := report{
		machine: []string{"2 processors"},
		opts:    options{rounds: 3, sizes: []int{1_000, 2_000}, corpora: []origin{{"some", "/secret/dir"}}},
		results: []result{someResult("1,000 pages", 1_000, steps), someResult("2,000 pages", 2_000, steps)},
		missing: []string{"`cp` is not installed"},
	}.render()
	for _, want := range []string{
		"-n 3 -sizes=1000,2000 -procs= -corpus some=DIR\n",
		"Left out here: `cp` is not installed.\n",
		"| what | target | 1,000 pages | 2,000 pages |\n| --- | --- | --- | --- |\n| cold build / `cp -r` of the sources | ≤ 0.8x | 2.00x missed | 2.00x missed |\n",
		"| Markdown built per core-second | ≥ 25 MB/s | 250 MB/s | 20.0 ms (20.0–20.0) of CPU | 3 | met |\n",
		"| rebuild, nothing changed / cold build | ≤ 0.1x | 0.05x | 1.00 ms (1.00–1.00) / 20.0 ms (20.0–20.0) | 3 | met |\n",
		"| rebuild, 1% changed / cold build | ≤ 0.33x | – | – |\n",
		"| peak memory of resolve | ≤ 64 MiB | 40.0 MiB | 40.0 MiB (40.0–40.0) | 3 | met |\n",
		"| cold build | 20.0 ms | 40.0 ms | 1.00 |\n",
		"| 1,000 pages | resolve / `rg -c` | 0.50x | 2.00 ms (2.00–2.00) / 4.00 ms (4.00–4.00) | 3 |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(text, "/secret/dir") || strings.Contains(text, "NaN") || strings.Contains(text, "\n\n\n") {
		t.Errorf("a path, no number or empty lines are in\n%s", text)
	}
}

func TestScansOfFewPagesHaveNoLimit(t *testing.T) {
	steps := map[string]time.Duration{stepStream: 40 * time.Microsecond}
	scan := duration("scan", stepStream, limitOfScan())
	for pages, want := range map[int]string{1_000: "", 14_400: "missed", 100_000: "missed"} {
		if got, found := scan.find(someResult("some", pages, steps)); !found || got.verdict != want {
			t.Errorf("%d pages: got %q, want %q", pages, got.verdict, want)
		}
	}
}

func TestEveryOtherRoundRunsBackwards(t *testing.T) {
	r := rounds{steps: []step{{name: "a"}, {name: "b"}}}
	for round, want := range []string{"a", "b", "a"} {
		if got := r.inOrder(round)[0].name; got != want {
			t.Errorf("round %d begins with %s, want %s", round, got, want)
		}
	}
}

func TestQueriesAreOfPlainWords(t *testing.T) {
	words := map[string]usage{}
	for range 9 {
		countDocument(words, "the the and x Rust `code`")
	}
	countDocument(words, "the edition care")
	got := queriesBy(words, 10)
	if want := []string{"care", "edition"}; !slices.Equal(got.middling, want) {
		t.Errorf("middling: got %v, want %v", got.middling, want)
	}
	if want := []string{"the", "and"}; !slices.Equal(got.common, want) {
		t.Errorf("common: got %v, want %v", got.common, want)
	}
}
