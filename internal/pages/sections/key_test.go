package sections_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/analysis"
	"github.com/contextcompiler/context/internal/pages/sections"
)

// keyOf returns a key of a text by its terms.
func keyOf(kind sections.KeyKind, text string) string {
	var terms analysis.Terms
	analysis.New().Append(&terms, []byte(text))
	return sections.TermsKey(kind, &terms)
}

// keysIn returns the keys of each section of a page, except for sections without keys.
func keysIn(page string) (all [][]string) {
	w := sections.NewWeigher()
	for _, s := range cut([]byte(page)) {
		var keys []string
		w.Weigh("a.md", s, func(t words.TermWeight) {
			if isKey(string(t.Text)) {
				keys = append(keys, string(t.Text))
			}
		})
		all = append(all, keys)
	}
	return all
}

func TestKeysOfATextIgnoreHowItIsWritten(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"What is a cache?", "what is  a `Cache`", true},
		{"about_Scopes", "About_scopes", true},
		{"*Größe*: \u201cx\u201d", "größe \u201cx\u201d", true},
		{"What is a cache?", "What is the cache?", false},
		{"Install the compiler", "install compiler", false},
		{"C++", "C#", false},
		{"a b", "ab", false},
	} {
		if got := sections.TextKey(tc.a) == sections.TextKey(tc.b); got != tc.want {
			t.Errorf("%q and %q: got %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
	for _, none := range []string{"", " ?! ", strings.Repeat("x", sections.LongestHeading+1)} {
		if got := sections.TextKey(none); got != "" {
			t.Errorf("%.20q: got the key %q", none, got)
		}
	}
}

func TestKeysOfTermsAreOfWordsThatCanBeAskedFor(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"What is an inverted index?", "The inverted indexes", true},
		{"max_tokens", "max token", true},
		{"GPUs", "the GPU", true},
		{"inverted index", "index, inverted", false},
		{"inverted index", "inverted", false},
	} {
		if got := keyOf(sections.HeadingKey, tc.a) == keyOf(sections.HeadingKey, tc.b); got != tc.want {
			t.Errorf("%q and %q: got %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
	if got := keyOf(sections.HeadingKey, "what is it"); got != "" {
		t.Errorf("got the key %q of stop words", got)
	}
	if keyOf(sections.HeadingKey, "cache") == keyOf(sections.TitleTermsKey, "cache") {
		t.Error("kinds share a key")
	}
}

// Only the first section has keys of titles: of the front matter's title and the first heading of
// the page.
func TestKeysOfTitlesAreInTheFirstSection(t *testing.T) {
	long := strings.Repeat("some more words\n\n", 150)
	page := "---\ntitle: The Guide\n---\n# Read me {#start}\n\n" + long + "# Setup of caches {#setup}\n\n" + long
	keys := keysIn(page)
	last := len(keys) - 1
	for _, tc := range []struct {
		key     string
		section int // with the key; -1 if no section has it
	}{
		{sections.TextKey("the guide"), 0},
		{keyOf(sections.TitleTermsKey, "guide"), 0},
		{sections.TextKey("Read me"), 0},
		{keyOf(sections.TitleTermsKey, "read me"), 0},
		{keyOf(sections.HeadingKey, "read me"), 0},
		{keyOf(sections.HeadingKey, "guide"), -1}, // the front matter isn't a heading
		{keyOf(sections.HeadingKey, "setup caches"), last},
		{sections.TextKey("Setup of caches"), -1},
		{keyOf(sections.TitleTermsKey, "setup caches"), -1},
	} {
		for i, has := range keys {
			if got := slices.Contains(has, tc.key); got != (i == tc.section) {
				t.Errorf("%q is in section %d: got %v", tc.key, i, got)
			}
		}
	}
}

func TestSubjectsOfDefinitionsAreKeys(t *testing.T) {
	for text, subject := range map[string]string{
		"A span is a unit of work.":                   "span",
		"Runs. Inverted indexes are lists.":           "inverted index",
		"- The life of a span means much":             "life span",
		"| Spans | x |\n|-|-|\n| a span is | y |":     "span",
		"A GPU's memory refers to RAM":                "gpu memory",
		"The `max_tokens` describes it":               "max_tokens",
		"One two three four is five":                  "one two three four",
		"One two three four five is six":              "",
		"What is a span?":                             "",
		"If a span is sent, it counts.":               "",
		"This is it":                                  "",
		"# A span is here":                            "",
		"The one of the two of the three is too long": "",
		"The end of the life of spans is it":          "end life span", // seven words before the verb
		"The end of the life of a span is it":         "",
		"Spans run":                                   "",
		"```\nspan is None\n```":                      "span",
		strings.Repeat("word ", 2000) + "is":          "",
	} {
		want := keyOf(sections.SubjectKey, subject)
		var got []string
		for _, key := range keysIn(text)[0] {
			if strings.HasPrefix(key, " \x01d") {
				got = append(got, key)
			}
		}
		if want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%.40q: got %q, want %q of %q", text, got, want, subject)
		}
	}
}

// A page can be a single line of 16 MiB, which can also be a heading.
func TestAHeadingThatIsTooLongHasNoKeys(t *testing.T) {
	if keys := keysIn("# " + strings.Repeat("word ", 100))[0]; len(keys) > 0 {
		t.Errorf("got %q", keys)
	}
}

// The index contains keys, so they never change.
func TestKeysArePinned(t *testing.T) {
	for got, want := range map[string]string{
		sections.TextKey("Install"):                             " \x01tinstall",
		sections.TextKey("Inverted index"):                      " \x01tf\xd0\x0e*Q\x9eL@",
		keyOf(sections.TitleTermsKey, "Installing"):             " \x01ninstal",
		keyOf(sections.HeadingKey, "Installing the max_tokens"): " \x01h\xb5\x7f\xbc\x97\xd1.\x90P",
		keyOf(sections.SubjectKey, "A span"):                    " \x01dspan",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestASubjectConsistsOfAtMostThreeWords(t *testing.T) {
	section := cut([]byte("A trace is a tree. The root span is first. The first root span is not."))[0]
	if got, want := section.Subjects(), []string{"A trace", "The root span"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
