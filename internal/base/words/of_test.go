package words_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/base/words"
)

// wordsOf returns the words of a text, plain and in lower case.
func wordsOf(text []byte) (plain, lower []string) {
	for w := range words.Of(text) {
		word := text[w.Start:w.End]
		plain = append(plain, string(word))
		if w.IsOdd {
			word = words.AppendLower(nil, word)
		}
		lower = append(lower, string(word))
	}
	return plain, lower
}

func checkWords(t *testing.T, text []byte) {
	t.Helper()
	plain, lower := wordsOf(text)
	want := words.Split(string(text))
	if !slices.Equal(plain, want) {
		t.Fatalf("%q: got %q, want %q", text, plain, want)
	}
	for i, word := range want {
		if want := words.Lower(word); lower[i] != want {
			t.Fatalf("%q: got %q, want %q", word, lower[i], want)
		}
	}
}

// splitPieces are what words and the space between them are made of.
var splitPieces = []string{
	" ", "\t\r\n", "\u0085", "\u00A0", "\u1680", "\u2003", "\u2028", "\u205F", "\u3000", "\xC2", "\xE2\x80", "\xE3", "\x80", "\x08", "\x0E", "!", "\x7F",
	"a", "Z", "@[", "`{", "İ", "ΑΣ", "文", "🙂", "word",
}

func TestWordsAreThoseOfSplit(t *testing.T) {
	for _, a := range splitPieces {
		checkWords(t, []byte(a))
		for _, b := range splitPieces {
			checkWords(t, []byte(a+b+"c"))
			checkWords(t, []byte("x"+a+b+" Y "))
		}
	}
}

func TestWordsAreTheSameAtEveryPlace(t *testing.T) {
	for _, tricky := range trickyTexts {
		for at := range 3 {
			for _, filling := range []string{"", " ", "x", " x", "\u3000", "x\u3000x"} {
				checkWords(t, []byte(strings.Repeat("x", at)+filling+tricky+"\u3000"+filling))
			}
		}
	}
}

func TestWordsContainEveryByte(t *testing.T) {
	for b := range 256 {
		for _, around := range []string{"", "ab", "abcdefghi"} {
			checkWords(t, bytes.Join([][]byte{[]byte(around), []byte(around)}, []byte{byte(b)}))
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add([]byte(strings.Join(splitPieces, "")))
	f.Add([]byte(strings.Repeat("The quick\u2003brown fox ", 20)))
	f.Fuzz(checkWords)
}
