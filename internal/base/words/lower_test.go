package words_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/words"
)

func TestEveryCodePointLowersAsUnicodeSays(t *testing.T) {
	data := readUnicodeData(t)
	for r := range rune(utf8.MaxRune + 1) {
		if !utf8.ValidRune(r) {
			continue
		}
		want, ok := data.lower[r]
		if !ok {
			want = string(r)
		}
		if got := words.Lower(string(r)); got != want {
			t.Errorf("U+%04X: got %q, want %q", r, got, want)
		}
		if _, ok := data.lower[firstRune(want)]; ok {
			t.Errorf("U+%04X: got %q, want what is in lower case", r, want)
		}
	}
}

// Beyond the first two planes, the test only tries code points with a class.
func TestEveryCodePointBesideSigmaIsOfItsClass(t *testing.T) {
	data := readUnicodeData(t)
	const text = "?Σ a?Σ aΣ? aΣ?a"
	lowered := map[string]string{
		"C": "?ς a?ς aσ? aσ?a", // has case
		"I": "?σ a?ς aς? aσ?a", // is ignored
		"":  "?σ a?σ aς? aς?a", // ends the word
	}
	for r := range rune(utf8.MaxRune + 1) {
		class := data.class[r]
		if r == 'Σ' || !utf8.ValidRune(r) || class == "" && r > 0x1FFFF {
			continue
		}
		got := words.Lower(strings.ReplaceAll(text, "?", string(r)))
		want := strings.ReplaceAll(lowered[class], "?", words.Lower(string(r)))
		if got != want {
			t.Errorf("U+%04X: got %q, want %q", r, got, want)
		}
	}
}

func TestWhiteSpaceHasNoCaseAndIsNotIgnorable(t *testing.T) {
	data := readUnicodeData(t)
	for r := range data.space {
		if class, ok := data.class[r]; ok {
			t.Errorf("U+%04X: got class %s, want none", r, class)
		}
		if lower, ok := data.lower[r]; ok {
			t.Errorf("U+%04X: got lower case %q, want itself", r, lower)
		}
	}
	for r, lower := range data.lower {
		if strings.ContainsFunc(lower, words.IsSpace) {
			t.Errorf("U+%04X: got lower case %q, want no white space", r, lower)
		}
	}
}

func TestLowerFollowsTheRulesOfContext(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"The CACHE", "the cache"},
		{"ΟΔΥΣΣΕΥΣ", "οδυσσευς"},
		{"Σ", "σ"},
		{"aΣ", "aς"},
		{"Σa", "σa"},
		{"a.Σ", "a.ς"},
		{"aΣ.", "aς."},
		{"aΣ'b", "aσ'b"},
		{"aΣ b", "aς b"},
		{"ΣΣ", "σς"},
		{"İSTANBUL", "i̇stanbul"},
		{"\u212A \u212B", "k å"},
		{"ẞ", "ß"},
		{"Ⱥ", "ⱥ"},
	} {
		if got := words.Lower(test.text); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

func TestLowerKeepsInvalidBytes(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"\xff", "\xff"},
		{"A\xffB", "a\xffb"},
		{"\xCEA", "\xCEa"},
		{"aΣ\xCE", "aς\xCE"},
		{"\xED\xA0\x80Q", "\xED\xA0\x80q"},
	} {
		if got := words.Lower(test.text); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

func TestLowerOfLowerCaseDoesNotAllocate(t *testing.T) {
	const text = "docs/straße/οδυσσευς/文档.md"
	if got := testing.AllocsPerRun(100, func() { words.Lower(text) }); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}

func FuzzLower(f *testing.F) {
	data := readUnicodeData(f)
	for i, text := range trickyTexts {
		f.Add(text, trickyTexts[len(trickyTexts)-1-i])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		got := words.Lower(a)
		if want := data.lowerOf(a); got != want {
			t.Errorf("%q: got %q, want %q", a, got, want)
		}
		if again := words.Lower(got); again != got {
			t.Errorf("%q: got %q at first and %q again, want the same", a, got, again)
		}
		if appended := words.AppendLower([]byte(b), []byte(a)); string(appended) != b+got {
			t.Errorf("%q: got %q appended to %q, want %q", a, appended, b, b+got)
		}
		if joined, want := words.Lower(a+" "+b), got+" "+words.Lower(b); joined != want {
			t.Errorf("%q and %q: got %q, want %q", a, b, joined, want)
		}
	})
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func TestLowerEightIsLowerForASCII(t *testing.T) {
	for c := range 0x80 {
		var text [8]byte
		for i := range text {
			text[i] = byte((c + 17*i) % 0x80)
		}
		got := binary.BigEndian.AppendUint64(nil, words.LowerEight(binary.BigEndian.Uint64(text[:])))
		if want := strings.ToLower(string(text[:])); string(got) != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
