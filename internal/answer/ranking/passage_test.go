package ranking

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/analysis"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

type modelSentence struct {
	words     []byte
	isHeading bool
}

// findSlowly is a model of find in floating point, which reads sentences instead of a
// sketch.
func (p *passages) findSlowly(all []modelSentence, only uint64) (sentence, heading float64) {
	headings := 0
	for _, s := range all {
		sum, matching, seen := 0.0, 0, map[int]bool{}
		for _, word := range s.words {
			if p.terms[word]&only != 0 {
				matching++
			}
			for i, gain := range p.gains {
				if p.terms[word]&only&(1<<i) != 0 && !seen[i] {
					seen[i] = true
					sum += float64(gain)
				}
			}
		}
		if matching == 0 {
			continue
		}
		share := sum / float64(p.total)
		sentence = max(sentence, share)
		if s.isHeading && headings < 8 {
			headings++
			heading = max(heading, share*math.Pow(float64(matching)/float64(len(s.words)), 2))
		}
	}
	return sentence, heading
}

func TestTheBestPassageIsTheOneWithMostOfTheQuery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := passages{total: 1}
		for i := range rapid.IntRange(1, mostTerms).Draw(t, "terms") {
			p.gains[i] = rapid.Uint64Range(1, 1<<44).Draw(t, "gain")
			p.total += p.gains[i]
			for range rapid.IntRange(1, 2).Draw(t, "words") {
				p.terms[rapid.ByteRange(2, 40).Draw(t, "byte")] |= 1 << i
			}
		}
		var sketch []byte
		var model []modelSentence
		for range rapid.IntRange(0, 30).Draw(t, "sentences") {
			s := modelSentence{rapid.SliceOfN(rapid.ByteRange(2, 60), 1, 8).Draw(t, "sentence"), rapid.Bool().Draw(t, "is heading")}
			model = append(model, s)
			if s.isHeading {
				sketch = append(sketch, analysis.HeadingSentence)
			}
			sketch = append(append(sketch, s.words...), analysis.EndOfSentence)
		}
		only := rapid.OneOf(rapid.Uint64(), rapid.Just(^uint64(0))).Draw(t, "terms of the section")
		sentence, heading := p.find(sketch, only)
		wantSentence, wantHeading := p.findSlowly(model, only)
		for _, tc := range []struct {
			name string
			got  sentenceShare
			want float64
		}{{"sentence", sentence, wantSentence}, {"heading", heading, wantHeading}} {
			if got := float64(tc.got.share) / (1 << 16); math.Abs(got-tc.want) > 4.0/(1<<16) {
				t.Fatalf("%s: got %v, want %v", tc.name, got, tc.want)
			}
			if tc.got.share > 0 && tc.got.share > p.share(tc.got.terms) {
				t.Fatalf("%s: got a share of %d, more than that of its %d terms", tc.name, tc.got.share, bits.OnesCount64(tc.got.terms))
			}
		}
	})
}

// A corpus scores sections by the rules of selection 1.
type corpus struct {
	sections []sections.Section
	pages    []document.ID // by section
}

// add adds a page without an ID, as a single section. If title isn't empty, the page starts with
// front matter.
func (c *corpus) add(title, text string) {
	section := sections.Section{Text: []byte(text), Traits: sections.First}
	if title != "" {
		section.Headings, section.Above = []string{title}, 1
	}
	for line := range strings.Lines(text) {
		if heading, isHeading := strings.CutPrefix(line, "# "); isHeading {
			section.Headings = append(section.Headings, strings.TrimSpace(heading))
		}
	}
	c.sections, c.pages = append(c.sections, section), append(c.pages, "")
}

// ranked returns the scores of the sections for a query.
func (c corpus) ranked(t rapid.TB, text string) (*Scores, []Score) {
	t.Helper()
	parsed, err := selection.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	query := ParseQuery(parsed)
	w := sections.NewWeigher()
	var lengths []uint32
	var traits []sections.Traits
	var sketches [][]byte
	weights := map[string][]index.Posting{}
	for ordinal, section := range c.sections {
		weight := w.Weigh(c.pages[ordinal], section, func(t words.TermWeight) {
			of := weights[string(t.Text)]
			if n := len(of); n == 0 || of[n-1].Ordinal != uint32(ordinal) {
				of = append(of, index.Posting{Ordinal: uint32(ordinal)})
			}
			of[len(of)-1].Count += t.Weight
			weights[string(t.Text)] = of
		})
		lengths, traits, sketches = append(lengths, weight.Length), append(traits, section.Traits), append(sketches, weight.Sketch)
	}
	scores, err := ScoreSections(context.Background(), query, columnsOf(lengths, traits), &fakeIndex{
		sections: len(lengths), postings: weights,
		sketches: func(ordinal uint32) []byte { return sketches[ordinal] },
		near: func(term string) (near []string) {
			for _, word := range slices.Sorted(maps.Keys(weights)) {
				if StandsFor(term, word) {
					near = append(near, word)
				}
			}
			return near
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	of := make([]Score, len(c.sections))
	for ordinal := range of {
		of[ordinal] = scores.Score(uint32(ordinal))
	}
	return scores, of
}

// Both texts contain the same words, but because of a single rule, the first answers the
// query better.
func TestPassagesMakeASectionBetter(t *testing.T) {
	for _, tc := range []struct{ name, query, better, worse string }{
		{"a sentence with both words", "red fox", "A fox that is red. Many trees grow.", "A fox that grows. Many trees is red."},
		{"a pair", "red fox", "It sees a red fox. A tree.", "It fox a red sees. A tree."},
		{"a pair is in one sentence", "red fox", "one red fox here. two", "one here red. Fox two"},
		{"a row", "red fox", "| red | a fox |\n| tree | one |", "| red | tree |\n| fox | one |"},
		{"a heading about the query", "red fox", "# A fox: red\nThe tree grows in woods with some more trees", "# A fox: red tree grows woods\n"},
		{"a definition", "what is a span", "Red trees. A span is work.", "Red trees work. Is a span?"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := corpus{}
			c.add("", tc.worse)
			c.add("", tc.better)
			if _, scores := c.ranked(t, tc.query); scores[1] <= scores[0] {
				t.Errorf("%q: got %d for %q and %d for %q, want more for the first", tc.query, scores[1], tc.better, scores[0], tc.worse)
			}
		})
	}
}

// This must hold even if other pages repeat the words, for example in their headings.
func TestAPageWithTheTitleOfTheQueryIsFirst(t *testing.T) {
	for _, query := range []string{"Scopes of spans", "scopes of spans", "What is a scope of a span?", "scope span"} {
		c := corpus{}
		c.add("", "# All about scopes of spans\nScopes of spans and scopes of spans. Spans scope spans.")
		c.add("About scopes of many spans", "Scopes of spans, scopes of spans, scopes of spans.")
		c.add("", "# Usage\ntext\n# Scopes of spans\nScopes of spans, scopes of spans.")
		c.add("Scopes of spans", "Read on "+strings.Repeat("in another of all these long pages ", 20))
		_, scores := c.ranked(t, query)
		if best := slices.Max(scores[:3]); scores[3] <= best {
			t.Errorf("%q: got %d for the page with the title, and %d for another page", query, scores[3], best)
		}
	}
}

// A title typed verbatim should count more than another title of the same words.
func TestATitleTypedVerbatimIsFirst(t *testing.T) {
	c := corpus{}
	for _, title := range []string{"Where is the scope?", "What is a scope?", "The scope"} {
		c.add(title, "Some text on each scope.")
	}
	for i, query := range []string{"where is the scope", "what is a scope?", "THE SCOPE"} {
		if _, scores := c.ranked(t, query); slices.Index(scores, slices.Max(scores)) != i {
			t.Errorf("%q: got %v, want page %d to be the best", query, scores, i)
		}
	}
}

// In the sketch of the first section, another word has the byte of a term, although the
// section doesn't contain the term.
func TestAWordThatOnlyHasTheByteOfATermMakesNoPassage(t *testing.T) {
	n := 0
	for analysis.SketchOf(strconv.AppendInt(nil, int64(n), 10)) != analysis.SketchOf([]byte("fox")) {
		n++
	}
	c := corpus{}
	c.add("", fmt.Sprintf("A red %d here.", n))
	c.add("", "A red tree here, and somewhere else a fox.")
	scores, _ := c.ranked(t, "red fox")
	for ordinal, want := range [][]string{{"red"}, {"red", "fox"}} {
		if _, sentence, _ := scores.OfPassages(uint32(ordinal)); !slices.Equal(sentence.Terms, want) {
			t.Errorf("section %d: got %q, want %q", ordinal, sentence.Terms, want)
		}
	}
}

// Sketches contain neither wholes nor stop words, even if the query consists of stop
// words alone. However, other words may share their byte.
func TestOnlyWordsInSketchesMakePassages(t *testing.T) {
	text := "To be or not to be. maxTokens and max tokens in it. "
	for _, hidden := range []string{"be", "maxtoken"} {
		n := 0
		for analysis.SketchOf(strconv.AppendInt(nil, int64(n), 10)) != analysis.SketchOf([]byte(hidden)) {
			n++
		}
		text += strconv.Itoa(n) + ". "
	}
	c := corpus{}
	c.add("", text)
	for query, want := range map[string][]string{"to be": nil, "what is it": nil, "maxTokens": {"max", "token"}} {
		scores, _ := c.ranked(t, query)
		if _, sentence, _ := scores.OfPassages(0); !slices.Equal(sentence.Terms, want) {
			t.Errorf("%q: got %q, want %q", query, sentence.Terms, want)
		}
		for i, term := range scores.Query.Terms {
			if term.IsInSketches != slices.Contains(want, term.Text) {
				t.Errorf("%q: got term %d, %+v", query, i, term)
			}
		}
	}
	query, _ := selection.ParseQuery("maxTokens maxtokens")
	if terms := ParseQuery(query).Terms; !terms[2].IsInSketches {
		t.Errorf("got %+v for a word that is also a whole", terms[2])
	}
}

// No part of a score can exceed all of it, and the whole is at most 1.
func TestPassagesOfLongQueriesDoNotOverflow(t *testing.T) {
	const terms = 1 << 19
	query := TermQuery{Terms: make([]Term, terms)}
	for i := range query.Terms {
		query.Terms[i] = Term{Text: string(rune('a'+i%26)) + string(rune('a'+i/26%26)), Weight: one, IsInSketches: true}
	}
	query.Terms[0].Weight = one << 19 // like a query that repeats a single word
	for i := range maxPairs {
		query.Pairs = append(query.Pairs, Pair{0, i + 1, [2]byte{2, 3}})
	}
	posting := []index.Posting{{Ordinal: 0, Count: math.MaxUint32}}
	from := indexOf(query, 1<<20, slices.Repeat([][]index.Posting{posting}, terms))
	from.sketches = func(uint32) []byte {
		all := []byte{analysis.HeadingSentence}
		for i := range 254 {
			all = append(all, byte(i+2))
		}
		return append(all, 2, 3)
	}
	scores, err := ScoreSections(t.Context(), query, columnsOf(make([]uint32, 1<<20), make([]sections.Traits, 1<<20)), from)
	if err != nil {
		t.Fatal(err)
	}
	sum, least := scores.sumOf(0), scores.passages.most*3/2/100*99 // a heading with this many words adds little
	if sum > scores.most || sum < least {
		t.Errorf("got a sum of %d, want %d to %d", sum, least, scores.most)
	}
}

func TestPassagesAreReadInTheBestSections(t *testing.T) {
	c := corpus{}
	for range 130 {
		c.add("", "A red fox.")
	}
	if scores, _ := c.ranked(t, "red fox"); len(scores.passages.read) != 128 {
		t.Errorf("got %d sections, want 128", len(scores.passages.read))
	}
}

func TestPassagesContainTheFirstTermsOfAQuery(t *testing.T) {
	var text strings.Builder
	for i := range 70 {
		fmt.Fprintf(&text, "%d ", 1000+i)
	}
	c := corpus{}
	c.add("", text.String())
	scores, _ := c.ranked(t, text.String())
	if _, sentence, _ := scores.OfPassages(0); len(sentence.Terms) != 64 {
		t.Errorf("got %d terms, want 64", len(sentence.Terms))
	}
	if got := len(scores.Query.Pairs); got != 64 {
		t.Errorf("got %d pairs, want 64", got)
	}
}
