package model_test

// Results written out by hand from the contract. The versions in them come
// from sha256sum.

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/caches/model"
)

// For "red", b.md scores 1 and has 4 tokens, a.md 0.5 and 2, c.md 0 and 2, d.md 0 and 0.
var colours = map[string]string{
	"a.md": "red blue",
	"b.md": "red red red red",
	"c.md": "green",
	"d.md": "",
}

const (
	redBlue = "sha256:40e19b4d8e219e440c1b5f45da2a7462a72789fe7b5aa56c59efe967228f7aac"
	reds    = "sha256:9c7c3dce984f27df30e1edbfcda42ec1127d6a4927b704a1674f177a4f923ad4"
	green   = "sha256:ba4788b226aa8dc2e6dc74248bb9f618cfa8c959e0c26c147be48f6839a0b088"
	nothing = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

func TestResolvePrintsEveryByteOfTheContract(t *testing.T) {
	got := model.Resolve(colours, "RED  <Rouge>\tred", 8, false)
	why := `"why":{"query_terms":["red","<rouge>","red"],`
	want := `{"documents":[` +
		`{"id":"b.md","version":"` + reds + `","content":"red red red red","score":1.0,"tokens":4,` + why + `"term_matches":4,"total_words":4}},` +
		`{"id":"a.md","version":"` + redBlue + `","content":"red blue","score":0.5,"tokens":2,` + why + `"term_matches":1,"total_words":2}},` +
		`{"id":"c.md","version":"` + green + `","content":"green","score":0.0,"tokens":2,` + why + `"term_matches":0,"total_words":1}},` +
		`{"id":"d.md","version":"` + nothing + `","content":"","score":0.0,"tokens":0,` + why + `"term_matches":0,"total_words":0}}` +
		`],"selection":{"query":"RED  <Rouge>\tred","budget":8,"tokens_used":8,` +
		`"documents_considered":4,"documents_selected":4,"documents_excluded_by_budget":0}}` + "\n"
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestResolveIndentsThePrettyFormByTwoSpaces(t *testing.T) {
	got := model.Resolve(colours, "red blue", 2, true)
	want := `{
  "documents": [
    {
      "id": "a.md",
      "version": "sha256:40e19b4d8e219e440c1b5f45da2a7462a72789fe7b5aa56c59efe967228f7aac",
      "content": "red blue",
      "score": 1.0,
      "tokens": 2,
      "why": {
        "query_terms": [
          "red",
          "blue"
        ],
        "term_matches": 2,
        "total_words": 2
      }
    },
    {
      "id": "d.md",
      "version": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "content": "",
      "score": 0.0,
      "tokens": 0,
      "why": {
        "query_terms": [
          "red",
          "blue"
        ],
        "term_matches": 0,
        "total_words": 0
      }
    }
  ],
  "selection": {
    "query": "red blue",
    "budget": 2,
    "tokens_used": 2,
    "documents_considered": 4,
    "documents_selected": 2,
    "documents_excluded_by_budget": 2
  }
}
`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestResolveWithBudgetZeroSelectsNothing(t *testing.T) {
	got := model.Resolve(colours, "red", 0, true)
	want := `{
  "documents": [],
  "selection": {
    "query": "red",
    "budget": 0,
    "tokens_used": 0,
    "documents_considered": 4,
    "documents_selected": 0,
    "documents_excluded_by_budget": 4
  }
}
`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestResolveOfAnEmptyQueryAndDocumentPrintsEmptyTerms(t *testing.T) {
	got := model.Resolve(map[string]string{"d.md": ""}, "", 1, true)
	want := `{
  "documents": [
    {
      "id": "d.md",
      "version": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "content": "",
      "score": 0.0,
      "tokens": 0,
      "why": {
        "query_terms": [],
        "term_matches": 0,
        "total_words": 0
      }
    }
  ],
  "selection": {
    "query": "",
    "budget": 1,
    "tokens_used": 0,
    "documents_considered": 1,
    "documents_selected": 1,
    "documents_excluded_by_budget": 0
  }
}
`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestResolveOfAnEmptyCacheConsidersNothing(t *testing.T) {
	got := model.Resolve(nil, "red", math.MaxUint64, false)
	want := `{"documents":[],"selection":{"query":"red","budget":18446744073709551615,"tokens_used":0,` +
		`"documents_considered":0,"documents_selected":0,"documents_excluded_by_budget":0}}` + "\n"
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestResolveSkipsWhatDoesNotFitAndTriesTheNext(t *testing.T) {
	for _, test := range []struct {
		budget uint64
		want   []string
	}{
		{1, []string{"d.md"}},
		{2, []string{"a.md", "d.md"}},
		{3, []string{"a.md", "d.md"}},
		{4, []string{"b.md", "d.md"}}, // nothing is left, and d.md fits
		{5, []string{"b.md", "d.md"}},
		{6, []string{"b.md", "a.md", "d.md"}},
		{7, []string{"b.md", "a.md", "d.md"}},
		{8, []string{"b.md", "a.md", "c.md", "d.md"}},
	} {
		if got := selectedIDs(colours, "red", test.budget); !slices.Equal(got, test.want) {
			t.Errorf("budget %d: got %q, want %q", test.budget, got, test.want)
		}
	}
}

func TestResolveOrdersEqualScoresByTheBytesOfIDs(t *testing.T) {
	sources := map[string]string{
		"𐐨.md":  "red",
		"ａ.md":  "red red",
		"Z.md":  "red",
		"a/b":   "red",
		"a.md":  "red",
		"a-b":   "red",
		"no.md": "blue",
	}
	got := selectedIDs(sources, "red", 100)
	want := []string{"a-b", "a.md", "a/b", "z.md", "ａ.md", "𐐨.md", "no.md"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// 2117/4142 is greater than 2094/4097, but not as a float32.
func TestResolveComparesScoresAsFloat32(t *testing.T) {
	sources := map[string]string{
		"a.md": strings.Repeat("red ", 2094) + strings.Repeat("x ", 4097-2094),
		"b.md": strings.Repeat("red ", 2117) + strings.Repeat("x ", 4142-2117),
	}
	got := selectedIDs(sources, "red", math.MaxUint64)
	if want := []string{"a.md", "b.md"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestResolveMatchesWholeWordsInAnyCase(t *testing.T) {
	sources := map[string]string{
		"bom.md":     "\uFEFFred x",             // the BOM is part of the word
		"case.md":    "ReD x x",                 // 1 of 3
		"comma.md":   "red, x",                  // so is the comma
		"sigma.md":   "ΟΔΟΣ x x x",              // 1 of 4
		"spaces.md":  "x\u0085x\u2028red\u3000", // 1 of 3
		"units.md":   "x\u001cred",              // U+001C splits nothing
		"dotted.md":  "İ x x x x",               // 1 of 5
		"reddish.md": "reddish",
	}
	got := selectedIDs(sources, "red οδος i\u0307", 100)
	want := []string{"case.md", "spaces.md", "sigma.md", "dotted.md", "bom.md", "comma.md", "reddish.md", "units.md"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTokensAreAQuarterOfTheBytesRoundedUp(t *testing.T) {
	for _, test := range []struct {
		bytes int
		want  uint64
	}{{0, 0}, {1, 1}, {3, 1}, {4, 1}, {5, 2}, {8, 2}, {9, 3}} {
		if got := model.Tokens(test.bytes); got != test.want {
			t.Errorf("Tokens(%d): got %d, want %d", test.bytes, got, test.want)
		}
	}
}

// selectedIDs returns the ids of the selected documents in their order. It works for contents and
// queries without `"id":`.
func selectedIDs(sources map[string]string, query string, budget uint64) []string {
	result := model.Resolve(sources, query, budget, false)
	var ids []string
	for _, match := range regexp.MustCompile(`"id":"([^"]*)"`).FindAllStringSubmatch(result, -1) {
		ids = append(ids, match[1])
	}
	return ids
}
