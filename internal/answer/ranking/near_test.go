package ranking

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
)

func TestWordsareNearThatAreOneEditApart(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"kubernets", "kubernet", true}, // a letter more
		{"instll", "install", true},     // a letter less
		{"insta", "instal", true},       // at the end
		{"embeding", "embedang", true},  // another letter
		{"recieve", "receive", true},    // neighbours swapped
		{"größe", "grösse", false},      // two letters
		{"größe", "größen", true},       // letters beyond ASCII
		{"größe", "gräße", true},        //
		{"поиск", "поска", false},       //
		{"install", "instance", false},  // more edits
		{"vector", "sector", false},     // another first letter
		{"éclair", "èclair", false},     // the same first byte
		{"iinstall", "install", true},   //
		{"install", "install", false},   // the same word
		{"abcdef", "abdcfe", false},     // two swaps
		{"", "a", false},
	} {
		if got := areNear(tc.a, tc.b); got != tc.want || areNear(tc.b, tc.a) != tc.want {
			t.Errorf("%q and %q: got %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestNearWordsAreThoseOfAllEdits(t *testing.T) {
	letters := []rune("abcé")
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SliceOfN(rapid.SampledFrom(letters), 2, 6).Draw(t, "word")
		other := rapid.SliceOfN(rapid.SampledFrom(letters), 1, 7).Draw(t, "other")
		edits := map[string]bool{}
		for i := 1; i <= len(word); i++ {
			for _, r := range letters {
				edits[string(slices.Insert(slices.Clone(word), i, r))] = true
				if i < len(word) {
					edits[string(slices.Concat(word[:i], []rune{r}, word[i+1:]))] = true
				}
			}
			if i < len(word) {
				edits[string(slices.Concat(word[:i], word[i+1:]))] = true
			}
			if i+1 < len(word) {
				edits[string(slices.Concat(word[:i], []rune{word[i+1], word[i]}, word[i+2:]))] = true
			}
		}
		delete(edits, string(word))
		if got := areNear(string(word), string(other)); got != edits[string(other)] {
			t.Fatalf("%q and %q: got %v, want %v", string(word), string(other), got, !got)
		}
	})
}

func TestAShortWordStandsForItsSingular(t *testing.T) {
	for _, tc := range []struct {
		term, word string
		want       bool
	}{
		{"gpus", "gpu", true},
		{"vms", "vm", true},
		{"gpus", "gpuz", false},
		{"gpus", "gpus", false},
		{"gpus", "gpusx", false},
		{"kubes", "kube", true}, // an edit away
		{"kubes", "kuber", true},
	} {
		if got := CanBeNear(tc.term, 1) && StandsFor(tc.term, tc.word); got != tc.want {
			t.Errorf("%q for %q: got %v, want %v", tc.term, tc.word, got, tc.want)
		}
	}
}

func TestOnlyWordsOfEnoughLettersStandForOthers(t *testing.T) {
	for term, want := range map[string]bool{"kuber": true, "kube": false, "gpus": true, "vms": true, "gs": false, "k8s": false, "größe": true, "sha256": false, "v1234": false, "検索": false, "": false} {
		if got := CanBeNear(term, 64); got != want {
			t.Errorf("%q: got %v, want %v", term, got, want)
		}
		if CanBeNear(term, 65) {
			t.Errorf("other words replace %q although the query is long", term)
		}
	}
}

// An unknown term should score like a single term with all postings of the words near it,
// but at half the weight.
func TestAnUnknownTermStandsForTheWordsNearIt(t *testing.T) {
	scoreOf := func(query TermQuery, known map[string][]index.Posting) *Scores {
		t.Helper()
		columns := columnsOf([]uint32{100, 100, 100}, []sections.Traits{sections.First, sections.First, sections.First})
		scores, err := ScoreSections(t.Context(), query, columns, &fakeIndex{sections: 3, postings: known, near: func(term string) []string {
			return slices.DeleteFunc([]string{"instal", "instar"}, func(word string) bool { return !areNear(term, word) })
		}})
		if err != nil {
			t.Fatal(err)
		}
		return scores
	}
	known := map[string][]index.Posting{
		"instal": {{Ordinal: 0, Count: 2}, {Ordinal: 2, Count: 1}},
		"instar": {{Ordinal: 0, Count: 3}},
		"both":   {{Ordinal: 0, Count: 5}, {Ordinal: 2, Count: 1}},
		"cach":   {{Ordinal: 1, Count: 1}},
	}
	query := TermQuery{Terms: []Term{{Text: "instak", Weight: one}, {Text: "cach", Weight: one}, {Text: "kubes", Weight: one}}}
	got := scoreOf(query, known)
	query.Terms[0] = Term{Text: "both", Weight: one / 2}
	if want := scoreOf(query, known); !slices.Equal(got.All(), want.All()) {
		t.Errorf("got %v, want %v", got.All(), want.All())
	}
	if got, want := got.Query.Texts(), []string{"instak", "instal", "instar", "cach", "kubes"}; !slices.Equal(got, want) {
		t.Errorf("got the texts %q, want %q", got, want)
	}
	if got.Sections(0) != 2 || got.Sections(2) != 0 {
		t.Errorf("got %d and %d sections, want 2 and 0", got.Sections(0), got.Sections(2))
	}
}
