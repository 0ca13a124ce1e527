package words_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/words"
)

func TestOnlyWhiteSpaceSplits(t *testing.T) {
	data := readUnicodeData(t)
	for r := range rune(utf8.MaxRune + 1) {
		if got, want := words.IsSpace(r), data.space[r]; got != want {
			t.Errorf("U+%04X: got white space %v, want %v", r, got, want)
		}
		if !utf8.ValidRune(r) {
			continue
		}
		text := "a" + string(r) + "b"
		want := []string{text}
		if data.space[r] {
			want = []string{"a", "b"}
		}
		if got := words.Split(text); !slices.Equal(got, want) {
			t.Errorf("U+%04X: got words %q, want %q", r, got, want)
		}
		if got, _ := wordsOf([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("U+%04X: got words %q, want %q", r, got, want)
		}
	}
}

func TestSplitLeavesWordsAsTheyAre(t *testing.T) {
	got := words.Split("\t The\u00A0Cache, \xff\u3000\n")
	if want := []string{"The", "Cache,", "\xff"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func BenchmarkOf(b *testing.B) {
	for _, script := range []string{"ascii", "mixed", "cjk"} {
		b.Run("text="+script, func(b *testing.B) {
			text := prose(script, 1<<20)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for range words.Of(text) {
				}
			}
		})
	}
}

func BenchmarkAppendLower(b *testing.B) {
	for _, script := range []string{"ascii", "mixed", "cjk"} {
		b.Run("text="+script, func(b *testing.B) {
			text := prose(script, 1<<20)
			var lowered []byte
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				lowered = words.AppendLower(lowered[:0], text)
			}
		})
	}
}

// prose returns text of size bytes or a little more, the same on every run. A few words are common,
// and most are rare, as in a language.
func prose(script string, size int) (text []byte) {
	random := rand.New(rand.NewPCG(1, 2))
	var vocabulary []string
	for range 2000 {
		vocabulary = append(vocabulary, randomWord(random, script))
	}
	rank := rand.NewZipf(random, 1.1, 10, uint64(len(vocabulary)-1))
	for len(text) < size {
		word := vocabulary[rank.Uint64()]
		if random.IntN(8) == 0 {
			_, size := utf8.DecodeRuneInString(word)
			word = strings.ToUpper(word[:size]) + word[size:]
		}
		text = append(text, word...)
		text = append(text, []string{" ", " ", " ", ", ", ".\n"}[random.IntN(5)]...)
	}
	return text
}

// randomWord returns a word of English, Chinese, Japanese or Russian letters. Words in languages
// without spaces are as long as a clause.
func randomWord(random *rand.Rand, script string) string {
	alphabets := map[string][]string{
		"ascii": {"az"},
		"mixed": {"az", "az", "ая", "一龥", "ぁヺ"},
		"cjk":   {"一龥", "ぁヺ"},
	}[script]
	alphabet := []rune(alphabets[random.IntN(len(alphabets))])
	length := 1 + random.IntN(10)
	if alphabet[0] > 'я' {
		length *= 2
	}
	word := make([]rune, length)
	for i := range word {
		word[i] = alphabet[0] + random.Int32N(alphabet[1]-alphabet[0]+1)
	}
	return string(word)
}
