package model_test

// Lower and Words agree with every row of the recorded tables in testdata. They change
// no other code point, and the tables agree with Go's where Go has a rule.

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/contextcompiler/context/internal/caches/model"
)

func TestPrintScorePrintsEveryRecordedScore(t *testing.T) {
	for _, row := range recorded(t, "f32.tsv") {
		matches, words := parse(t, row[0], 10), parse(t, row[1], 10)
		score := model.Score(matches, words)
		if got, want := uint64(math.Float32bits(score)), parse(t, row[2], 16); got != want {
			t.Errorf("Score(%d, %d): got bits %08x, want %08x", matches, words, got, want)
		}
		if got, want := model.PrintScore(score), row[3]; got != want {
			t.Errorf("PrintScore(%d/%d): got %s, want %s", matches, words, got, want)
		}
	}
}

func TestPrintScoreKnowsTheScoresOfTheContract(t *testing.T) {
	for _, test := range []struct {
		score float32
		want  string
	}{
		{0, "0.0"},
		{1, "1.0"},
		{0.75, "0.75"},
		{float32(1) / 3, "0.33333334"},
		{0.00001, "0.00001"},
		{1e-6, "0.000001"},
		{math.Nextafter32(1e-6, 0), "9.999999e-7"},
		{1e-7, "1e-7"},
		{1.5e-10, "1.5e-10"},
	} {
		if got := model.PrintScore(test.score); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestScoreOfNoWordsIsZero(t *testing.T) {
	if got := model.Score(0, 0); got != 0 {
		t.Errorf("got %v, want 0", got)
	}
}

func TestLowerMapsEveryRecordedCodePointAndNoOther(t *testing.T) {
	want := map[rune]string{}
	for _, row := range recorded(t, "lowercase.tsv") {
		lower := ""
		for _, field := range strings.Split(row[1], " ") {
			lower += string(rune(parse(t, field, 16)))
		}
		want[rune(parse(t, row[0], 16))] = lower
	}
	for c := range codePoints() {
		lower, ok := want[c]
		if !ok {
			lower = string(c)
		}
		if got := model.Lower(string(c)); got != lower {
			t.Errorf("Lower(%U): got %+q, want %+q", c, got, lower)
		}
	}
}

// Go's tables are older, so they have fewer letters. Both agree on the letters of Go's
// tables, except U+0130.
func TestLowerAgreesWithGoWhereGoKnowsALetter(t *testing.T) {
	for c := range codePoints() {
		lower := unicode.ToLower(c)
		if lower == c || c == 'İ' {
			continue
		}
		if got := model.Lower(string(c)); got != string(lower) {
			t.Errorf("Lower(%U): got %+q, want %+q", c, got, string(lower))
		}
	}
}

func TestLowerWritesSigmaByEveryRecordedNeighbour(t *testing.T) {
	class := map[rune]string{}
	for _, row := range recorded(t, "final_sigma.tsv") {
		class[rune(parse(t, row[0], 16))] = row[1]
	}
	// The lower case of the sigma next to each class of neighbour.
	type sigmas struct{ behind, between, before, inside string }
	want := map[string]sigmas{
		"C": {behind: "ς", between: "ς", before: "σ", inside: "σ"},
		"I": {behind: "σ", between: "ς", before: "ς", inside: "σ"},
		"":  {behind: "σ", between: "σ", before: "ς", inside: "ς"},
	}
	for c := range codePoints() {
		if c == 'Σ' {
			continue // it would lower-case twice; see the words below
		}
		if c > 0x1FFFF && class[c] == "" {
			continue // nothing but ideographs and gaps, and very many of them
		}
		n, lower := string(c), model.Lower(string(c))
		w := want[class[c]]
		checkLower(t, n+"Σ", lower+w.behind)
		checkLower(t, "A"+n+"Σ", "a"+lower+w.between)
		checkLower(t, "AΣ"+n, "a"+w.before+lower)
		checkLower(t, "AΣ"+n+"A", "a"+w.inside+lower+"a")
	}
}

func TestLowerWritesSigmaByItsPlaceInTheWord(t *testing.T) {
	for text, want := range map[string]string{
		"Σ":            "σ",
		"ΣΣ":           "σς",
		"ΣΣΣ":          "σσς",
		"ΟΔΟΣ":         "οδος",
		"ΟΔΟΣ ΟΔΟΣ":    "οδος οδος",
		"ΟΔΟΣ.":        "οδος.",
		"ΟΔΟΣ.Α":       "οδοσ.α",
		"ΟΔΟΣ'..'Α":    "οδοσ'..'α",
		"ΟΔΟΣ-Α":       "οδος-α",
		"Α\u0345Σ":     "α\u0345ς", // cased and ignored: it is ignored
		"\u0345Σ":      "\u0345σ",
		"1Σ":           "1σ",
		"ΑΣ\u00ad":     "ας\u00ad",
		"ς Σ σ":        "ς σ σ",
		"İΣ":           "i\u0307ς",
		"Α\uFEFFΣ\tΑΣ": "α\uFEFFς\tας",
	} {
		checkLower(t, text, want)
	}
}

func TestWordsSplitAtEveryRecordedWhiteSpaceAndNoOther(t *testing.T) {
	var spaces []rune
	for _, row := range recorded(t, "white_space.txt") {
		spaces = append(spaces, rune(parse(t, row[0], 16)))
	}
	for c := range codePoints() {
		n := string(c)
		want := []string{"a" + model.Lower(n) + "b"}
		if slices.Contains(spaces, c) {
			want = []string{"a", "b"}
		}
		if got := model.Words("A" + n + "B"); c != 'Σ' && !slices.Equal(got, want) {
			t.Errorf("Words of a %U b: got %+q, want %+q", c, got, want)
		}
		if got, want := slices.Contains(spaces, c), unicode.IsSpace(c); got != want {
			t.Errorf("%U is white space: got %t, want %t as Go has it", c, got, want)
		}
	}
}

func TestWordsAreNeverEmpty(t *testing.T) {
	for text, want := range map[string][]string{
		"":                     nil,
		" \r\n\u2003":          nil,
		"One":                  {"one"},
		" \tOne\r\n\r\nTwo\n":  {"one", "two"},
		"\u3000É\u2028\u0085ß": {"é", "ß"},
		"one one":              {"one", "one"},
	} {
		if got := model.Words(text); !slices.Equal(got, want) {
			t.Errorf("Words(%+q): got %+q, want %+q", text, got, want)
		}
	}
}

func checkLower(t *testing.T, text, want string) {
	t.Helper()
	if got := model.Lower(text); got != want {
		t.Errorf("Lower(%+q): got %+q, want %+q", text, got, want)
	}
}

// codePoints yields every code point allowed in UTF-8.
func codePoints() func(yield func(rune) bool) {
	return func(yield func(rune) bool) {
		for c := rune(0); c <= unicode.MaxRune; c++ {
			isSurrogate := 0xD800 <= c && c <= 0xDFFF
			if !isSurrogate && !yield(c) {
				return
			}
		}
	}
}

// recorded returns the tab-separated fields of each row of a table in testdata.
func recorded(t *testing.T, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var table [][]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && !strings.HasPrefix(line, "#") {
			table = append(table, strings.Split(line, "\t"))
		}
	}
	if len(table) == 0 {
		t.Fatalf("no rows in %s", name)
	}
	return table
}

func parse(t *testing.T, digits string, base int) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
