package analysis_test

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/internal/pages/analysis"
)

// These results depend on Go's tables and on libraries. We cannot use versions of them that produce
// other terms.
const wouldChange = "selection 1 would change: it must not; see docs/selection.md"

// In testdata/scripts.txt a line of text stands before the line of its terms,
// which a tab begins.
func TestTermsOfAllScriptsArePinned(t *testing.T) {
	file, err := os.ReadFile("testdata/scripts.txt")
	if err != nil {
		t.Fatal(err)
	}
	a := analysis.New()
	var got strings.Builder
	texts := 0
	for line := range strings.Lines(string(file)) {
		if !strings.HasPrefix(line, "\t") {
			got.WriteString(line + "\t" + strings.Join(termsOf(a, line), " ") + "\n")
			texts++
		}
	}
	if diff := cmp.Diff(strings.Split(string(file), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s (-pinned +got):\n%s", wouldChange, diff)
	}
	if texts < 50 {
		t.Errorf("got %d texts, want more", texts)
	}
}

func TestTermsOfManyTextsArePinned(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what takes seconds")
	}
	for _, tc := range []struct {
		name, want string
		texts      iter.Seq[[]byte]
	}{
		{"characters", "ce1452f28a103a12746211e547d68fd17cee7b1972c95af0a646518285ad6fed", characters},
		{"characters among letters", "882e7f3b1da39a6f7e1becf9d84da31145019ec68e118b90f2f39134bba8bb30", charactersAmongLetters},
		{"words", "eafe24639cdbf571b819500ae4e606077cf4b572d550419bf6a18b19a17bb146", randomTexts(1, "etaoinshrdlucmfwypvbgkqjxz", "", " \n'")},
		{"words with endings", "b045deee7a148a47e4f4317889b15ba6315f4889837b298bc95f8f60fd01c2ed", wordsWithEndings},
		{"identifiers", "d0130e04b7e568d3ab2748d7aadf04d3f6b7802904b4aedf2d3816da16b06213", randomTexts(2, "etaoinsETAOINS012", "._-", " /(")},
		{"latin", "3757e9677dffe444c918b8e927067cd56d7c5f8b061efc29e4039edc54068815", randomTexts(3, "etaoinsáèîõüßæœłđıİ\u0301\u0308\u00ad", "_-’·", " .")},
		{"scripts", "c641f95b9e7854e7ebb482e84935dd1a39404fc5a4df84e704117178a9fa2a51", randomTexts(4, "abГдеёΣσςאבג\u05b8مح\u064e\u0640हि१คำ日本語のカーｶﾅ한국ㄱＡｂ１𠮷𝐱½", "._’:·״\u200d", " ，、。")},
		{"emoji", "258773737d3a90a34f0e4cc98cab9555911a16d24feac17cedea4c7fa55eadb0", randomTexts(5, "a1日👩👍🇩🇪\u200d\ufe0f\u20e3\U0001f3fd", "_", " ")},
		{"any characters", "424f3209444ef1b1fb02752bae041e470e447809907f3eb30bb5c1c851146d5e", anyCharacters},
	} {
		if got := hashOf(tc.texts); got != tc.want {
			t.Errorf("%s: got %s, want %s: %s", tc.name, got, tc.want, wouldChange)
		}
	}
}

// hashOf returns the SHA-256 of the terms of texts: the kind, the size and the bytes of each, and
// 0xff after each text.
func hashOf(texts iter.Seq[[]byte]) string {
	hash := sha256.New()
	a := analysis.New()
	var terms analysis.Terms
	var buf []byte
	for text := range texts {
		terms.Reset()
		a.Append(&terms, text)
		buf = buf[:0]
		for i := range terms.Len() {
			term, kind := terms.At(i)
			buf = append(append(buf, byte(kind), byte(len(term))), term...)
		}
		hash.Write(append(buf, 0xff))
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// characters yields every character by itself.
func characters(yield func([]byte) bool) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) && !yield(utf8.AppendRune(nil, r)) {
			return
		}
	}
}

// charactersAmongLetters yields every character where it may join words.
func charactersAmongLetters(yield func([]byte) bool) {
	for text := range characters {
		if !yield([]byte("é" + string(text) + "f2" + string(text) + "3カ" + string(text) + "カ")) {
			return
		}
	}
}

// endings are the endings known to the English stemmer, and others that it mistakes for endings.
var endings = strings.Fields(`s es ies ied us ss sses eed eedly ed edly ing ingly at bl iz y ye tional enci anci
	abli entli izer ization ational ation ator alism aliti alli fulness ousli ousness iveness iviti biliti bli ogi
	fulli lessli li icate iciti ical ful ness ative alize al ance ence er ic able ible ant ement ment ent ism ate iti
	ous ive ize sion tion e l ll ies' 's`)

// wordsWithEndings yields words with English endings.
func wordsWithEndings(yield func([]byte) bool) {
	const letters = "aeiouybcdfglmnprstvwx"
	random := rand.NewPCG(7, 0)
	for range 100_000 {
		var word []byte
		for range 1 + random.Uint64()%6 {
			word = append(word, letters[random.Uint64()%uint64(len(letters))])
		}
		for range 1 + random.Uint64()%2 {
			word = append(word, endings[random.Uint64()%uint64(len(endings))]...)
		}
		if !yield(word) {
			return
		}
	}
}

// anyCharacters yields texts in which all characters are equally likely.
func anyCharacters(yield func([]byte) bool) {
	random := rand.NewPCG(6, 0)
	for range 4000 {
		var text []byte
		for range 64 {
			text = utf8.AppendRune(text, rune(random.Uint64()%(utf8.MaxRune+1)))
		}
		if !yield(text) {
			return
		}
	}
}

// randomTexts returns 4000 texts of words of these letters, some of them joined, and with something
// between the others. The same seed gives the same texts, because the numbers of PCG are specified.
func randomTexts(seed uint64, letters, joiners, between string) iter.Seq[[]byte] {
	l, j, b := []rune(letters), []rune(joiners), []rune(between)
	return func(yield func([]byte) bool) {
		random := rand.NewPCG(seed, 0)
		for range 4000 {
			var text []byte
			for range 24 {
				for range 1 + random.Uint64()%12 {
					text = utf8.AppendRune(text, l[random.Uint64()%uint64(len(l))])
				}
				if len(j) > 0 && random.Uint64()%2 == 0 {
					text = utf8.AppendRune(text, j[random.Uint64()%uint64(len(j))])
				} else {
					text = utf8.AppendRune(text, b[random.Uint64()%uint64(len(b))])
				}
			}
			if !yield(text) {
				return
			}
		}
	}
}
