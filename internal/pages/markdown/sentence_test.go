package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/pages/analysis"
)

func TestSentencesEndAtMarksAndLines(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string // headings begin with =
	}{
		{"marks", "It runs. Does it? Yes! Good.", []string{"It runs.", " Does it?", " Yes!", " Good."}},
		{"a sentence goes on in the next line", "It runs\non Linux. And here.\n", []string{"It runs\non Linux.", " And here.\n"}},
		{"paragraphs", "One\n\ntwo\n", []string{"One\n", "\ntwo\n"}},
		{"abbreviations", "See e.g. this, i.e. that. So v1.2 is out.", []string{"See e.g. this, i.e. that.", " So v1.2 is out."}},
		{"what is no letter begins a sentence", "Set it. `x` is set. 3 more.", []string{"Set it.", " `x` is set.", " 3 more."}},
		{"a colon ends a sentence at the end of its line", "Run: it\nRun this:\n  it\n", []string{"Run: it\nRun this:\n", "  it\n"}},
		{"headings", "text\n# Setup\ntext\n> ## More\n", []string{"text\n", "=# Setup\n", "text\n", "=> ## More\n"}},
		{"rows", "| a. B | c |\n|-|-|\n| d | e |\n", []string{"| a. B | c |\n", "|-|-|\n", "| d | e |\n"}},
		{"items", "- one\n  more\n* two\n+ three\n1. four\n2) five\n12 monkeys\n-five", []string{"- one\n  more\n", "* two\n", "+ three\n", "1. four\n", "2) five\n12 monkeys\n-five"}},
		{"code", "Do:\n```sh\n# no heading\na. B\n\n| x |\n```\nDone. It is.", []string{"Do:\n", "```sh\n", "# no heading\n", "a. B\n", "\n", "| x |\n", "```\n", "Done.", " It is."}},
		{"a fence in a longer fence", "````\n```\n# no heading\n````\n# Heading\n", []string{"````\n", "```\n", "# no heading\n", "````\n", "=# Heading\n"}},
		{"tildes", "~~~\n```\nx\n~~~\n# Heading\n", []string{"~~~\n", "```\n", "x\n", "~~~\n", "=# Heading\n"}},
		{"CRLF", "It runs.\r\nSo what?\r\n\r\n# Setup\r\nEnd\r\n", []string{"It runs.\r\n", "So what?\r\n", "\r\n", "=# Setup\r\n", "End\r\n"}},
		{"the marks of Chinese and Japanese don't count", "これは索引。速い！\nはい. 索引", []string{"これは索引。速い！\nはい.", " 索引"}},
		{"spaces after a mark", "It runs.   \nSo: \n", []string{"It runs.   \n", "So: \n"}},
		{"a mark without a space", "a.b ?x !y.Z", []string{"a.b ?x !y.Z"}},
		{"nothing", "", nil},
	} {
		var got []string
		for s := range Sentences([]byte(tc.text), nil) {
			text := string(s.Text)
			if s.IsHeading {
				text = "=" + text
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// checkSentences fails the test unless the sentences of a text are all of it in order, none
// of them is empty, and a word is never in two of them.
func checkSentences(t rapid.TB, a *analysis.Analyzer, text []byte) {
	t.Helper()
	var all []byte
	var whole, parts analysis.Terms
	for s := range Sentences(text, nil) {
		if len(s.Text) == 0 {
			t.Fatalf("%q has an empty sentence", text)
		}
		all = append(all, s.Text...)
		a.Append(&parts, s.Text)
	}
	if string(all) != string(text) {
		t.Fatalf("%q has the sentences %q", text, all)
	}
	a.Append(&whole, text)
	if got, want := termsIn(&parts), termsIn(&whole); got != want {
		t.Fatalf("the sentences of %q have the terms %q, want %q", text, got, want)
	}
	for range Sentences(text, nil) {
		break // a reader may want no more
	}
}

func termsIn(terms *analysis.Terms) string {
	var all []string
	for i := range terms.Len() {
		term, _ := terms.At(i)
		all = append(all, string(term))
	}
	return strings.Join(all, " ")
}

func TestTheSentencesOfATextAreAllOfIt(t *testing.T) {
	a := analysis.New()
	pieces := []string{"word", "Word", "maxTokens", " ", "  ", "\t", ". ", ".", "? ", "!", ":", "\n", "\r\n", "\n\n", "# ", "| ", "- ", "1. ", "> ", "```", "~~~~", "。", "！", "索引", "é", "\xff", "\xe3\x80", "e.g. "}
	rapid.Check(t, func(t *rapid.T) {
		checkSentences(t, a, []byte(strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "text"), "")))
	})
}

func FuzzSentences(f *testing.F) {
	for _, text := range []string{"It runs. So e.g. this:\n\n# A\n- b\n", "```\n# x\n```\n| a |\r\n", "索引。速い！\xe3\x80", ":" + strings.Repeat(" ", 9) + ":"} {
		f.Add([]byte(text))
	}
	a := analysis.New()
	f.Fuzz(func(t *testing.T, text []byte) { checkSentences(t, a, text) })
}

// Each mark could look for the end of a line of 16 MiB.
func TestSentencesOfALongLineAreFoundInOnePass(t *testing.T) {
	line := strings.Repeat(":.", 4<<20) + strings.Repeat(" ", 8<<20)
	n := 0
	for s := range Sentences([]byte(line), nil) {
		n += len(s.Text)
	}
	if n != len(line) {
		t.Errorf("got sentences of %d bytes, want %d", n, len(line))
	}
}
