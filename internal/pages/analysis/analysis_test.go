package analysis_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/analysis"
)

// describe returns terms from the n-th on, with "-" before stop words, and "=" before whole
// identifiers.
func describe(terms *analysis.Terms, n int) (described []string) {
	for i := n; i < terms.Len(); i++ {
		term, kind := terms.At(i)
		mark := ""
		if kind&analysis.Whole != 0 {
			mark += "="
		}
		if kind&analysis.Stop != 0 {
			mark += "-"
		}
		described = append(described, mark+string(term))
	}
	return described
}

// termsOf returns the terms of a text, as describe does.
func termsOf(a *analysis.Analyzer, text string) []string {
	var terms analysis.Terms
	a.Append(&terms, []byte(text))
	return describe(&terms, 0)
}

func TestTermsOfATextAreTheseInThisOrder(t *testing.T) {
	long, limit := strings.Repeat("x", analysis.MaxTerm+1), strings.Repeat("x", analysis.MaxTerm)
	for _, tc := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"no words", " \t\n!?/()[]{}#*`~ 👍 → ", ""},
		{"stems", "running Runs generalization caches", "run run general cach"},
		{"stop words", "to be or not to be: The API", "-to -be -or -not -to -be -the api"},
		{"apostrophes", "don't isn't we're", "-don -t -isn -t -we -re"},

		{"joined", "max_tokens max-tokens max.tokens", "max token =maxtoken max token =maxtoken max token =maxtoken"},
		{"humps", "maxTokens MaxTokens MAX_TOKENS maxTOKENS", "max token =maxtoken max token =maxtoken max token =maxtoken max token =maxtoken"},
		{"abbreviations", "HTTPServer XMLHttpRequest getURLsOf IOError", "http server =httpserver xml http request =xmlhttprequest get url -of =geturlsof io error =ioerror"},
		{"more than one abbreviation", "APIs URLs userIDs", "api url user id =userid"},
		{"plurals of abbreviations", "GPUs VMs CPUs LLMs SDKs PDFs CRDs PVCs", "gpu =gpus vm =vms cpu =cpus llm =llms sdk =sdks pdf =pdfs crd =crds pvc =pvcs"},
		{"plurals among others", "max_GPUs GPUsPerVM “GPUs”", "max gpu =gpus =maxgpus gpu =gpus per vm =gpuspervm gpu =gpus"},
		{"no plurals of abbreviations", "gpus CSS As Js GPUS K8s HTTPSt", "gpus css -as js gpus k8s http st =httpst"},
		{"a plural that is too long", strings.Repeat("A", analysis.MaxTerm+1) + "s", ""},
		{"verbs of scale", "scaling scale scaled autoscaling autoscale autoscaler", "scale scale scale autoscal autoscal autoscal"},
		{"one word", "iPhone dBm eBPF aB A", "iphon dbm ebpf ab -a"},
		{"digits", "sha256 utf8 x86_64 h2o 2FA v1.2.3", "sha256 utf8 x86 64 =x8664 h2o 2fa v1 2 3 =v123"},
		{"a whole that is a stop word", "in-to", "-in -to =-into"},
		{"four parts", "a.b.c.d", "-a b c -d =abcd"},
		{"five parts", "a.b.c.d.e", "-a b c -d e"},
		{"what joins nothing", "_foo_ --bar a..b foo. .NET C++ foo__bar", "foo bar -a b foo net c foo bar"},
		{"a path", "docs/selection.md", "doc select md =selectionmd"},

		{"as long as can be", limit, limit},
		{"too long", long, ""},
		{"too long in a single part", "max_" + long, "max"},
		{"too long as a whole", "max_" + limit, "max " + limit},
		{"too long only with its accents", strings.Repeat("é", analysis.MaxTerm/2+1), strings.Repeat("e", analysis.MaxTerm/2+1)},

		{"accents", "café naïve Größe Ångström señor", "cafe naiv gross angstrom senor"},
		{"two letters from a single letter", "ß Straße œuvre Æsir", "ss strass oeuvr aesir"},
		{"accents that stand alone", "e\u0301te\u0301 a\u0301\u0302b \u0301", "ete ab"},
		{"turkish", "İstanbul ISTANBUL ıstanbul", "istanbul istanbul istanbul"},
		{"parts beyond ASCII", "naïve_bayes größeWert 1é", "naiv bay =naivebay grossewert 1e"},
		{"hyphens beyond ASCII", "Größen-Wahn", "grossen wahn"},
		{"invisible", "soft\u00adhyphen zero\u200dwidth", "softhyphen zerowidth"},
		{"full width", "ＡＰＩ\u3000Ｓｅｒｖｅｒ２ ＡＢ＿ＣＤ", "api server2 ab cd =abcd"},
		{"signs that are letters", "\u212a ½ ² ﬁle", "k ½ ² ﬁle"},

		{"cyrillic", "ёлка Ёлка ЕЛКА Київ", "елка елка елка киів"},
		{"greek", "ΟΔΥΣΣΕΥΣ οδυσσευς σοφός", "οδυσσευσ οδυσσευσ σοφόσ"},
		{"arabic", "مُحَمَّد محمد", "محمد محمد"},
		{"hebrew", "שָׁלוֹם שלום", "שלום שלום"},
		{"devanagari", "हिन्दी १२३", "हिन्दी १२३"},

		{"chinese", "上下文编译器", "上下 下文 文编 编译 译器"},
		{"one character", "語", "語"},
		{"a single character between others", "用API取，本", "用 api 取 本"},
		{"characters among words", "日本語APIサーバー", "日本 本語 api サー ーバ バー"},
		{"a single character and an identifier", "語max_tokens語", "語 max token =maxtoken 語"},
		{"kana", "カタカナ ひらがな ｶﾀｶﾅ", "カタ タカ カナ ひら らが がな ｶﾀ ﾀｶ ｶﾅ"},
		{"between characters", "日本、語 日本 語", "日本 語 日本 語"},
		{"korean", "한국어 문서 API는", "한국 국어 문서 api 는"},
		{"thai", "ไทยแลนด์", "ไท ทย ยแ แล ลน นด ด์"},
		{"beyond the basic plane", "𠮷野家 𝐱", "𠮷野 野家 𝐱"},

		{"no UTF-8", "ab\xffcd \xc3 \xe6\x97 e\xcc x\x80", "ab cd e x"},
		{"no UTF-8 between characters", "日\xff本", "日 本"},
		{"zero", "a\x00b", "-a b"},
	} {
		got := strings.Join(termsOf(analysis.New(), tc.text), " ")
		if got != tc.want {
			t.Errorf("%s: %q: got\n%q, want\n%q", tc.name, tc.text, got, tc.want)
		}
	}
}

// ascii are the characters of ASCII.
var ascii = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0, Hi: unicode.MaxASCII, Stride: 1}}}

// fragments are what random texts are made of.
var fragments = []string{
	"a", "B", "s", "max", "Tokens", "HTTP", "APIs", "the", "running", "7", "42", "_", "-", ".", " ", "\n", "'", "’", "/", ":",
	"é", "ß", "Ё", "Σ", "İ", "\u0301", "\u00ad", "\u200d", "\ufe0f", "日", "本語", "ー", "한국", "ไท", "ｶ", "Ｂ", "．", "２", "א", "م", "👩", "🇩", "½",
	"·", "\xff", "\xc3", "\xe6\x97", strings.Repeat("x", analysis.MaxTerm), strings.Repeat("é", analysis.MaxTerm/2),
}

func drawText(t *rapid.T) string {
	parts := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(fragments), rapid.StringN(0, 4, -1))).Draw(t, "parts")
	return strings.Join(parts, "")
}

// checkTerms fails the test if a term is invalid, or doesn't match the information stored with it.
func checkTerms(t rapid.TB, text string, terms *analysis.Terms) {
	t.Helper()
	for i := range terms.Len() {
		if term, _ := terms.At(i); len(term) == 0 || len(term) > analysis.MaxTerm || !utf8.Valid(term) {
			t.Fatalf("%q: got the term %q", text, term)
		} else if terms.Hash(i) != words.Hash(term) || terms.Sketch(i) != analysis.SketchOf(term) ||
			terms.HasDigit(i) != bytes.ContainsAny(term, "0123456789") {
			t.Fatalf("%q: got %d, %d and %v with the term %q", text, terms.Hash(i), terms.Sketch(i), terms.HasDigit(i), term)
		}
	}
}

// The previous texts of an analyzer, and the terms to which it appends, change nothing.
func TestATextHasTheSameTermsEveryTime(t *testing.T) {
	used := analysis.New()
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		want := termsOf(analysis.New(), text)
		var terms analysis.Terms
		used.Append(&terms, []byte(text))
		n := terms.Len()
		used.Append(&terms, []byte(text))
		checkTerms(t, text, &terms)
		if diff := cmp.Diff(slices.Concat(want, want), describe(&terms, 0)); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", text, diff)
		}
		terms.Reset()
		used.Append(&terms, []byte(text))
		if terms.Len() != n || !slices.Equal(describe(&terms, 0), want) {
			t.Fatalf("%q: got %q after Reset, want %q", text, describe(&terms, 0), want)
		}
	})
}

// Two texts with a space between them, or any other ASCII character outside of words, have the
// terms of both.
func TestTextsThatAreApartHaveTheTermsOfEach(t *testing.T) {
	a := analysis.New()
	rapid.Check(t, func(t *rapid.T) {
		first, second := drawText(t), drawText(t)
		between := rapid.SampledFrom([]string{" ", "\n", "/", "'", "\x00", "(", "\x7f"}).Draw(t, "between")
		want := slices.Concat(termsOf(a, first), termsOf(a, second))
		if diff := cmp.Diff(want, termsOf(a, first+between+second)); diff != "" {
			t.Fatalf("%q and %q (-want +got):\n%s", first, second, diff)
		}
	})
}

// The caches have room for a few thousand words and identifiers. Here the analyzer reads many more,
// in both orders.
func TestTheCachesChangeNoAnswer(t *testing.T) {
	texts := make([]string, 30_000)
	for i := range texts {
		n := uint64(i) * 0x9E3779B97F4A7C15
		var word strings.Builder
		for range 1 + i%18 {
			word.WriteByte("aeionrtslcdmginged"[n%18])
			n /= 18
		}
		if i%3 > 0 {
			fmt.Fprintf(&word, "%sX%x", strings.Repeat("_ab", i%7), i%5000)
		}
		texts[i] = word.String()
	}
	answers := make([][]string, len(texts))
	forward, backward := analysis.New(), analysis.New()
	for i, text := range texts {
		answers[i] = termsOf(forward, text)
	}
	for i, text := range slices.Backward(texts) {
		if got := termsOf(backward, text); !slices.Equal(got, answers[i]) {
			t.Fatalf("%q: got %q, want %q", text, got, answers[i])
		}
		if got := termsOf(forward, text); !slices.Equal(got, answers[i]) {
			t.Fatalf("%q once more: got %q, want %q", text, got, answers[i])
		}
		if i%100 == 0 {
			if got := termsOf(analysis.New(), text); !slices.Equal(got, answers[i]) {
				t.Fatalf("%q by itself: got %q, want %q", text, got, answers[i])
			}
		}
	}
}

// A word with a folded letter beyond ASCII has a stem, but a word that is written like that
// doesn't.
func TestFoldedWordsAreNotThoseOfTheirSpelling(t *testing.T) {
	for _, pair := range [][2]string{{"еtitle", "ёtitle"}, {"іtitle", "їtitle"}, {"σtitle", "ςtitle"}} {
		written, folded := termsOf(analysis.New(), pair[0]), termsOf(analysis.New(), pair[1])
		if slices.Equal(written, folded) {
			t.Errorf("%q: got the terms of %q, which makes this test useless", pair[0], pair[1])
		}
		for _, order := range [][2]string{pair, {pair[1], pair[0]}} {
			a := analysis.New()
			termsOf(a, order[0])
			if got, want := termsOf(a, order[1]), termsOf(analysis.New(), order[1]); !slices.Equal(got, want) {
				t.Errorf("%q after %q: got %q, want %q", order[1], order[0], got, want)
			}
		}
	}
}

// A text in pieces has the terms of the text.
func TestSomeTermsAndThenTheRestAreAll(t *testing.T) {
	a := analysis.New()
	rapid.Check(t, func(t *rapid.T) {
		text, n := drawText(t), rapid.IntRange(1, 5).Draw(t, "n")
		var got []string
		var terms analysis.Terms
		for rest := []byte(text); len(rest) > 0; {
			terms.Reset()
			if rest = a.AppendSome(&terms, rest, n); len(rest) > 0 && terms.Len() < n {
				t.Fatalf("%q: got %d terms and the rest %q, want %d terms", text, terms.Len(), rest, n)
			}
			got = append(got, describe(&terms, 0)...)
		}
		if diff := cmp.Diff(termsOf(a, text), got); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", text, diff)
		}
	})
}

// identifiers are ASCII identifiers: letters and digits, and the characters between them.
var identifiers = regexp.MustCompile(`[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*`)

// slowTerms returns the terms of an ASCII text in the plainest way, without what
// says which are stop words.
func slowTerms(text string) (terms []string) {
	for _, identifier := range identifiers.FindAllString(text, -1) {
		var parts []string
		for _, run := range strings.FieldsFunc(identifier, func(r rune) bool { return strings.ContainsRune("._-", r) }) {
			parts = append(parts, humpsOf(run)...)
		}
		for _, part := range parts {
			if abbreviations.MatchString(part) {
				terms = appendPlural(terms, part)
			} else {
				terms = appendStem(terms, "", part)
			}
		}
		if 2 <= len(parts) && len(parts) <= 4 {
			terms = appendStem(terms, "=", strings.Join(parts, ""))
		}
	}
	return terms
}

// abbreviations are those in the plural.
var abbreviations = regexp.MustCompile(`^[A-Z]{2,63}s$`)

// appendPlural appends the stem of the singular and, if it differs, the stem of the plural as a
// whole.
func appendPlural(terms []string, plural string) []string {
	terms = appendStem(terms, "", strings.TrimSuffix(plural, "s"))
	if whole := appendStem(nil, "", plural)[0]; whole != terms[len(terms)-1] {
		terms = append(terms, "="+whole)
	}
	return terms
}

// appendStem appends the stem of a word, unless the word is too long.
func appendStem(terms []string, mark, word string) []string {
	word = strings.ToLower(word)
	if len(word) > analysis.MaxTerm {
		return terms
	}
	if !strings.ContainsAny(word, "0123456789") {
		env := snowballstem.NewEnv(word)
		english.Stem(env)
		word = env.Current()
	}
	return append(terms, mark+word)
}

// A hump is at the second of two letters in these places, the second or third of
// a part or later. What ends an abbreviation is "s" and no further small letter.
var (
	upward  = regexp.MustCompile(`^[a-z][A-Z][A-Za-z]`)
	ofAWord = regexp.MustCompile(`^[A-Z][A-Z](?:[a-rt-z]|s[a-z])`)
)

func humpsOf(run string) (parts []string) {
	start := 0
	for i := 1; i < len(run); i++ {
		if i-start >= 2 && (upward.MatchString(run[i-1:]) || ofAWord.MatchString(run[i-1:])) {
			parts = append(parts, run[start:i])
			start = i
		}
	}
	return append(parts, run[start:])
}

func TestPartsOfASCIIAreRunsOfLettersAndDigitsCutAtHumps(t *testing.T) {
	a := analysis.New()
	characters := rapid.OneOf(
		rapid.RuneFrom([]rune("aabsBCSS9_-. ")), // where humps are
		rapid.RuneFrom([]rune("ingedlyAPIs")),   // the words with stems
		rapid.RuneFrom(nil, ascii),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(characters).Draw(t, "text")
		want := slowTerms(text)
		got := termsOf(a, text)
		for i, term := range got {
			got[i] = strings.Replace(term, "-", "", 1)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	})
}

func TestIsPartOfWordIsLettersMarksAndNumbers(t *testing.T) {
	for _, r := range "azAZ09éßЁ日한ไ\u0301²½\u0903" {
		if !analysis.IsPartOfWord(r) {
			t.Errorf("%q: got false, want true", r)
		}
	}
	for _, r := range []rune{-1, 0, ' ', '_', '-', '.', '\u007f', '·', '’', '。', '\u00ad', '\u200d', '👍', utf8.RuneError, 0xD800, utf8.MaxRune, utf8.MaxRune + 1} {
		if analysis.IsPartOfWord(r) {
			t.Errorf("%U: got true, want false", r)
		}
	}
}

// For any bytes, terms are valid UTF-8, not empty, not too long, and the same every time. Text
// after a space doesn't affect the terms before it.
func FuzzAppend(f *testing.F) {
	for _, fragment := range fragments {
		f.Add([]byte(fragment + fragments[len(fragment)%len(fragments)] + fragment))
	}
	f.Add([]byte(strings.Join(fragments, "")))
	f.Add([]byte(strings.Join(fragments, " ")))
	a := analysis.New()
	f.Fuzz(func(t *testing.T, text []byte) {
		var terms analysis.Terms
		a.Append(&terms, text)
		checkTerms(t, string(text), &terms)
		n := terms.Len()
		a.Append(&terms, fmt.Appendf(nil, "%s %[1]s", text))
		want := describe(&terms, 0)[:n]
		if got := describe(&terms, n); !slices.Equal(got, slices.Concat(want, want)) {
			t.Errorf("%q twice: got %q, want %q", text, got, want)
		}
	})
}
