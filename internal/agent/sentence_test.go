package agent

import (
	"slices"
	"strings"
	"testing"
)

func TestSentencesOfASection(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"a paragraph", "One line\ngoes on. Two! Is it three? yes, e.g. this one.\n", []string{"One line goes on.", "Two!", "Is it three? yes, e.g. this one."}},
		{"no headings and no code", "## Setup\n\nText.\n\n```sh\nrun it. Now.\n```\n\nMore.\n", []string{"Text.", "More."}},
		{"items", "- one. Two\n  goes on\n* three\n1. four\n", []string{"one.", "Two goes on", "three", "four"}},
		{"rows", "| Flag | Default |\n| --- | --- |\n| `--n` | 5. Or 6 |\n", []string{"| Flag | Default |", "| `--n` | 5. Or 6 |"}},
		{"a quotation", "> Said. So.\n> Again\n", []string{"Said.", "So.", "Again"}},
		{"abbreviations", "Use it, e.g. Bash or Zsh. See Fig. 2 of it.\n", []string{"Use it, e.g. Bash or Zsh.", "See Fig.", "2 of it."}},
		{"a setext heading", "Title\n=====\nText.\n", []string{"Title", "Text."}},
		{"nothing", "\n \n", nil},
	} {
		if got := sentencesOf([]byte(tc.text)); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestTheBestSentenceHasTheMostOfTheQuestion(t *testing.T) {
	text := []byte("Retries are useful. The client makes some retries for each request.\n\nThe client makes 3 retries by default.\n\n" +
		"Set `maxRetries` for the retries of a client request.\n")
	for _, tc := range []struct{ query, want string }{
		{"client makes retries", "The client makes some retries for each request."},
		{"how many retries does the client make", "The client makes 3 retries by default."},
		{"which option sets the retries of a client request", "Set `maxRetries` for the retries of a client request."},
		{"nothing like it", ""},
	} {
		if got := questionOf(tc.query, coverage(tc.query)).best(text); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.query, got, tc.want)
		}
	}
}

// coverage returns a function for the share of the words of a query that a text has.
func coverage(query string) func([]byte) uint64 {
	words := strings.Fields(query)
	return func(text []byte) (n uint64) {
		for _, w := range words {
			if slices.Contains(strings.Fields(string(text)), w) {
				n += one / uint64(len(words))
			}
		}
		return n
	}
}

func TestALongSentenceIsCutAroundTheAnswer(t *testing.T) {
	text := strings.Repeat("many words stand here ", 40) + "before the retries of the client " + strings.Repeat("and many follow ", 40)
	got := questionOf("retries client", coverage("retries client")).best([]byte(text))
	if !strings.Contains(got, "retries of the client") || len(got) > longestSentence+len("…  …") {
		t.Errorf("got %q", got)
	}
}
