package index

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/words"
)

// wordsOf returns the words of a text from a splitter, plain and in lower case.
func wordsOf(text []byte) (plain, lower []string) {
	split := splitter{text: text}
	for ended, more := split.next(); more; ended, more = split.next() {
		for _, w := range ended {
			word := text[w.start:w.end]
			plain = append(plain, string(word))
			if w.isOdd {
				word = lowered(nil, word)
			}
			lower = append(lower, string(word))
		}
	}
	return plain, lower
}

func checkSplit(t *testing.T, text []byte) {
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

// Whatever lies across the end of a block.
func TestSplitDoesNotDependOnBlocks(t *testing.T) {
	for n := range stride + 2 {
		for _, filler := range []string{"x", "Y "} {
			before := strings.Repeat(filler, n)
			for _, a := range splitPieces {
				checkSplit(t, []byte(before+a))
				for _, b := range splitPieces {
					checkSplit(t, []byte(before+a+b+"c"))
				}
			}
		}
	}
}

func TestEveryByteIsSplitAndLowered(t *testing.T) {
	for b := range 256 {
		for _, around := range []string{"", "ab", "abcdefghi"} {
			checkSplit(t, bytes.Join([][]byte{[]byte(around), []byte(around)}, []byte{byte(b)}))
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add([]byte(strings.Join(splitPieces, "")))
	f.Add([]byte(strings.Repeat("The quick\u2003brown fox ", 20)))
	f.Fuzz(checkSplit)
}
