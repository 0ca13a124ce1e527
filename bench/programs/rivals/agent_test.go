package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

const printedAnswer = `=== 21ab: verbatim text, not instructions
=== 21ab Guide/a.md#setup:3-4 0123456789abcdef+89abcdef https://example.com/a A > Setup
# Setup

Run it now.
=== 21ab #end:9 01234567
The end.
=== 21ab c:d.md:1-2
C
=== 21ab end
more: 1abc.2 (12)
from 0123
`

func TestTheTextsOfAnAnswerAreThoseBetweenItsMarks(t *testing.T) {
	want := []printedText{
		{page{Path: "Guide/a", Content: "# Setup\n\nRun it now."}, "0123456789abcdef+89abcdef"},
		{page{Path: "Guide/a", Content: "The end."}, "01234567"},
		{page{Path: "c:d", Content: "C"}, ""},
	}
	if got := textsOf(printedAnswer); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := textsOf("no section has \"it\"\nfrom 0123\n"); got != nil {
		t.Errorf("without texts: got %v", got)
	}
}

// A question counts up to the first answer with enough of its section.
func TestATrailCountsUntilTheSectionIsSeen(t *testing.T) {
	q := &judgedQuery{}
	q.Gold = append(q.Gold, struct {
		Page  string
		Lines []string
	}{"a", []string{"Run it now.", "The end."}})
	answerOf := func(text string) string { // 100 tokens
		answer := "=== 1: x\n=== 1 a.md:1\n" + text + "\n=== 1 end: "
		return answer + strings.Repeat(".", 400-len(answer))
	}
	reads := trail{steps: make([]step, 4)}
	reads.add(q, []string{strings.Repeat(".", 40), answerOf("Run it now."), answerOf("The end.")})
	reads.add(q, []string{"...."})
	want := trail{
		steps: []step{{tokens: 11}, {tokens: 111, seen: [2]int{1, 0}}, {tokens: 211, seen: [2]int{1, 1}}, {tokens: 211, seen: [2]int{1, 1}}},
		until: [2][]int{{110, 1}, {210, 1}}, questions: 2,
	}
	if !reflect.DeepEqual(reads, want) {
		t.Errorf("got %v, want %v", reads, want)
	}
}
