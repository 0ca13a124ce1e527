package sections_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/analysis"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/internal/pages/sections"
)

// isKey reports whether a term is a key.
func isKey(term string) bool { return strings.HasPrefix(term, " ") }

// weigh returns the weights, terms and keys of a section.
func weigh(t rapid.TB, w *sections.Weigher, page document.ID, p sections.Section) (sections.Weight, map[string]uint32) {
	t.Helper()
	terms := map[string]uint32{}
	sum := uint32(0)
	weight := w.Weigh(page, p, func(t words.TermWeight) {
		terms[string(t.Text)] += t.Weight
		if !isKey(string(t.Text)) {
			sum += t.Weight
		}
	})
	if weight.Length != sum {
		t.Fatalf("%q: got a length of %d, want %d", p.Text, weight.Length, sum)
	}
	return weight, terms
}

// weighText weighs a text without headings, in a page without a name.
func weighText(t rapid.TB, text string) sections.Weight {
	t.Helper()
	weight, _ := weigh(t, sections.NewWeigher(), "", sections.Section{Text: []byte(text)})
	return weight
}

func TestWeightsAreThoseOfTextHeadingsAndPath(t *testing.T) {
	content := []byte("before. Install the cache: Caches install. after")
	p := sections.Section{Text: content[8:42], Headings: []string{"Cache", "Caches and cache", strings.Repeat("long ", 60)}, Above: 3}
	_, got := weigh(t, sections.NewWeigher(), "guide/install-cache.md", p)
	want := map[string]uint32{
		"instal":      2*sections.BodyWeight + sections.PathWeight,
		"the":         sections.BodyWeight,
		"cach":        2*sections.BodyWeight + sections.HeadingWeight + sections.PathWeight,
		"and":         sections.HeadingWeight,
		"guid":        sections.PathWeight,
		"installcach": sections.PathWeight,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAHeadingThatIsTooLongDoesNotCount(t *testing.T) {
	for size, want := range map[int]uint32{256: sections.HeadingWeight, 257: 0} {
		heading := "word" + strings.Repeat(" ", size-4)
		weight, _ := weigh(t, sections.NewWeigher(), "", sections.Section{Headings: []string{heading}})
		if weight.Length != want {
			t.Errorf("%d bytes: got a length of %d, want %d", size, weight.Length, want)
		}
	}
}

// The weights depend neither on sections weighed before, nor on the text around the section.
func TestASectionWeighsTheSameEveryTime(t *testing.T) {
	used := sections.NewWeigher()
	rapid.Check(t, func(t *rapid.T) {
		content := drawPage().Draw(t, "page")
		page := rapid.SampledFrom([]document.ID{"a.md", "guide/install.md", "日本/語.md", "x.MD"}).Draw(t, "ID")
		for _, p := range cut(content) {
			want, wantTerms := weigh(t, used, page, p)
			alone := p
			alone.Text = bytes.Clone(p.Text)
			got, terms := weigh(t, used, page, alone)
			if got.Length != want.Length || got.Digest != want.Digest || !bytes.Equal(got.Sketch, want.Sketch) || !maps.Equal(terms, wantTerms) {
				t.Fatalf("%q: got %v and %v, want %v and %v", content[p.Start:p.End], got, terms, want, wantTerms)
			}
		}
	})
}

// Words without stems, so none of them becomes another.
var sayings = []string{"cat", "dog", "fox", "tree", "max_token", "日本", "語る", "привет"}

// Texts of the same words have the same digest, however they are written, and
// others have another.
func TestDigestsAreThoseOfTheWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.SliceOfN(rapid.SampledFrom(sayings), 0, 6)
		first, second := drawn.Draw(t, "first"), drawn.Draw(t, "second")
		if rapid.Bool().Draw(t, "are the same") {
			second = slices.Clone(first)
		}
		a, b := weighText(t, dress(t, first)), weighText(t, dress(t, second))
		same := slices.Equal(first, second)
		if (a.Digest == b.Digest) != same {
			t.Errorf("%q and %q: got the digests %x and %x", first, second, a.Digest, b.Digest)
		}
		if (a.Digest == 0) != (len(first) == 0) {
			t.Errorf("%q: got the digest %x", first, a.Digest)
		}
	})
}

// dress writes words with other cases, markup, punctuation and numbers.
func dress(t *rapid.T, said []string) string {
	var text strings.Builder
	for _, word := range said {
		text.WriteString(rapid.SampledFrom([]string{"", "# ", "- ", "**", "1. ", "v1.2 ", "(", "\"", "2024-01-02: "}).Draw(t, "before"))
		if rapid.Bool().Draw(t, "is upper") {
			word = strings.ToUpper(word)
		}
		text.WriteString(word)
		text.WriteString(rapid.SampledFrom([]string{" ", "\n", ", ", ".\n\n", "** ", ") ", " 7 ", " sha256 "}).Draw(t, "after"))
	}
	return text.String()
}

// sketchOf returns the sketch of words. "." means the end of a sentence, and "#" the mark before a
// heading.
func sketchOf(said string) (sketch []byte) {
	for word := range strings.FieldsSeq(said) {
		switch word {
		case ".":
			sketch = append(sketch, analysis.EndOfSentence)
		case "#":
			sketch = append(sketch, analysis.HeadingSentence)
		default:
			sketch = append(sketch, analysis.SketchOf([]byte(word)))
		}
	}
	return sketch
}

func TestSketchesAreOfWordsThatCanBeAskedFor(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"The cat is max_tokens, installed in 日本: 7", "cat max token instal 日本 7 ."},
		{"# Cats\n\nA cat. A dog!\n", "# cat . cat . dog ."},
		{"It is. To be?\n\n# The\n\n---\n\n...\n", ""},
		{"- cat\n- dog\n\n| fox |\n|-|\n| cat |\n", "cat . dog . fox . cat ."},
		{"```sh\n# cat\ndog. Fox\n```\n", "sh . cat . dog fox ."},
		{"many GPUs", "mani gpu ."},
		{strings.Repeat("cat ", 3000), strings.Repeat("cat ", 3000) + "."},
	} {
		if got, want := weighText(t, tc.text).Sketch, sketchOf(tc.want); !bytes.Equal(got, want) {
			t.Errorf("%.40q: got %x, want %x", tc.text, got, want)
		}
	}
}

// The sketch of the first section begins with the title of the front matter.
func TestASketchBeginsWithTheTitleOfThePage(t *testing.T) {
	parts := cut([]byte("---\ntitle: The Cat\n---\n# Dog\n\n" + strings.Repeat("fox\n\n", 700) + "# Tree\n\n" + strings.Repeat("cat\n\n", 200)))
	for i, want := range []string{"# cat . # dog . fox .", "# tree . cat ."} {
		weight, _ := weigh(t, sections.NewWeigher(), "a.md", parts[i*(len(parts)-1)])
		if got := weight.Sketch[:len(sketchOf(want))]; !bytes.Equal(got, sketchOf(want)) {
			t.Errorf("section %d: got %x, want %x", i, got, sketchOf(want))
		}
	}
}

// A part of a code block begins in code, even if its fence is in another part.
func TestLinesOfCodeAreNoHeadings(t *testing.T) {
	parts := cut([]byte("# Cat\n\n```sh\n" + strings.Repeat("# dog fox\n", 600) + "```\n\n# Tree\n\n" + strings.Repeat("fox\n\n", 150)))
	if len(parts) < 3 {
		t.Fatalf("got %d parts: this shows nothing", len(parts))
	}
	headings := 0
	for _, p := range parts {
		weight, _ := weigh(t, sections.NewWeigher(), "a.md", p)
		headings += bytes.Count(weight.Sketch, []byte{analysis.HeadingSentence})
	}
	if headings != 2 {
		t.Errorf("got %d headings, want 2", headings)
	}
}

func TestNoWordLooksLikeAMark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if word := rapid.String().Draw(t, "word"); analysis.SketchOf([]byte(word)) <= analysis.HeadingSentence {
			t.Errorf("the sketch of %q is a mark", word)
		}
	})
}

// Digests and sketches are stored, so their values never change.
func TestDigestsAndSketchesArePinned(t *testing.T) {
	got := weighText(t, "How to install max_tokens 1.2 in 日本?\n# Go\n")
	if want := uint64(0x4a178c6ce344d1b2); got.Digest != want {
		t.Errorf("got the digest %#x, want %#x", got.Digest, want)
	}
	if want := []byte("2\x8f5\x83E\x06\x00\x01^\x00"); !bytes.Equal(got.Sketch, want) {
		t.Errorf("got the sketch %q, want %q", got.Sketch, want)
	}
}

func BenchmarkWeigh(b *testing.B) {
	content := []byte(strings.Repeat("## Install\n\nThe compiler turns a directory of Markdown files into a cache with max_tokens.\n\n", 100))
	parts := cut(content)
	w := sections.NewWeigher()
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range parts {
			w.Weigh("guide/install.md", p, func(words.TermWeight) {})
		}
	}
}

func TestFrontMatterAloneHasNoTerms(t *testing.T) {
	for content, has := range map[string]bool{
		"---\ntitle: Proxies\ntags: [proxy]\n---\n": false, "\ufeff---\ntitle: Proxies\n---\n \n": false,
		"---\ntitle: Proxies\n---\nText\n": true, "---\ntitle: Proxies\n---\n<!-- x -->\n": false, "Proxies\n": true, "": true, "# Proxies\n": true,
	} {
		got := false
		for _, s := range sections.Cut(markdown.Parse([]byte(content)).Body) {
			sections.NewWeigher().Weigh("proxies.md", s, func(words.TermWeight) { got = true })
		}
		if got != has {
			t.Errorf("%q: got %t, want %t", content, got, has)
		}
	}
}
