package words_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// This file interprets Unicode's data, as recorded in the tables, in a slow but simple way. The
// tests compare the package with it.

// unicodeData is the content of the tables.
type unicodeData struct {
	lower map[rune]string // lower case of a code point by itself
	class map[rune]string // next to a sigma: C cased, I ignorable
	space map[rune]bool   // whether it is white space
}

func readUnicodeData(t testing.TB) unicodeData {
	t.Helper()
	data := unicodeData{map[rune]string{}, map[rune]string{}, map[rune]bool{}}
	for key, value := range rowsOf(t, "lowercase.tsv") {
		var lower strings.Builder
		for _, hex := range strings.Fields(value) {
			lower.WriteRune(parseRune(t, hex))
		}
		data.lower[parseRune(t, key)] = lower.String()
	}
	for key, class := range rowsOf(t, "final_sigma.tsv") {
		data.class[parseRune(t, key)] = class
	}
	for key := range rowsOf(t, "testdata/white_space.txt") {
		data.space[parseRune(t, key)] = true
	}
	return data
}

// rowsOf returns the lines of a file, cut at the first tab.
func rowsOf(t testing.TB, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "\t")
		rows[key] = value
	}
	if len(rows) == 0 {
		t.Fatalf("%s: got no rows, want some", name)
	}
	return rows
}

func parseRune(t testing.TB, hex string) rune {
	t.Helper()
	r, err := strconv.ParseUint(hex, 16, 21)
	if err != nil {
		t.Fatal(err)
	}
	return rune(r)
}

// lowerOf is what Lower should return.
func (data unicodeData) lowerOf(s string) string {
	var lowered strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		lower, ok := data.lower[r]
		switch {
		case !ok:
			lowered.WriteString(s[i : i+size])
		case r == 'Σ' && data.casedAtEnd(s[:i]) && !data.casedAtStart(s[i+size:]):
			lowered.WriteString("ς")
		default:
			lowered.WriteString(lower)
		}
		i += size
	}
	return lowered.String()
}

func (data unicodeData) casedAtEnd(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return data.class[r] == "I" })
	r, _ := utf8.DecodeLastRuneInString(s)
	return data.class[r] == "C"
}

func (data unicodeData) casedAtStart(s string) bool {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return data.class[r] == "I" })
	r, _ := utf8.DecodeRuneInString(s)
	return data.class[r] == "C"
}

// trickyTexts reveal wrong rules and wrong shortcuts.
var trickyTexts = []string{
	"", " ", "a", "The Cache", "@AZ[ `az{", "AZERTYUIOP", "ÄÖÜ straße", "МОСКВА", "北京 文档",
	"ΟΔΥΣΣΕΥΣ", "Σ", "aΣ", "Σa", "a.Σ", "aΣ.", "aΣ'b", "aΣ.b", "a Σ b", ".Σ", "ΣΣ", "aΣ\u00ADΣ",
	"aʰΣ", "ʰΣ", "aΣ\u0345", "aΣ\u0345b", "1Σ", "a1Σ", "aΣ1", "aΣ\u3000b", "a\u0085Σ",
	"İSTANBUL", "İ", "aΣİ", "\u212Aelvin", "\u212A\u212A\u212A", "Kelvin", "kel\u212A", "Å \u212B", "ẞ", "ȺȾ",
	"a\u0085b", "a\u00A0b", "a\u1680b", "a\u2000b\u200Ac", "a\u2028b\u2029c", "a\u202Fb\u205Fc\u3000d",
	"a\u001Cb", "a\uFEFFb", "a\u200Bb", "a\u180Eb", "あ、い。う\u3000え", "\t\n\v\f\r x",
	"a\x00", "a\x00 a", "abcdefg\x07 abcdefg", "abcdefgh abcdefghi ABCDEFGH",
	"\xff", "a\xffB", "\x85", "\xC2 \x85", "\xE3\x80", "\xE3\x80 \x80", "a\xCEΣ", "aΣ\xCE", "\xED\xA0\x80",
}
