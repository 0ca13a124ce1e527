package analysis

import (
	_ "embed"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/contextcompiler/context/internal/base/words"
)

//go:embed characters.txt
var characterTable string

// characters are sets of characters beyond ASCII. See characters.txt.
type characters struct{ letters, unspaced, ignored, numbers words.RuneSet }

// allCharacters reads the table on first use, because most texts are ASCII.
var allCharacters = sync.OnceValue(func() *characters {
	var c characters
	sets := map[string]*words.RuneSet{"letter": &c.letters, "unspaced": &c.unspaced, "ignored": &c.ignored, "number": &c.numbers}
	words.Rows(characterTable, func(first, last rune, set string) { sets[set].Add(first, last) })
	return &c
})

func (c *characters) isUnspaced(r rune) bool { return c.unspaced.Has(r) && c.letters.Has(r) }

func IsPartOfWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 0 && classes[r] > joiner
	}
	return allCharacters().letters.Has(r)
}

// IsOtherNumber reports whether a character is a number without digits, such as a fraction.
func IsOtherNumber(r rune) bool { return r >= utf8.RuneSelf && allCharacters().numbers.Has(r) }

// folds are the folded forms of lower-case letters that Unicode doesn't decompose into a letter
// from a to z and accents, and of a few Greek and Cyrillic letters.
var folds = map[rune]string{
	'đ': "d", 'ħ': "h", 'ı': "i", 'ł': "l", 'ø': "o", 'ŧ': "t", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'ĳ': "ij",
	'ς': "σ", 'ё': "е", 'ї': "і",
}

// foldedOf returns the folded form of the lower-case letter at the beginning of a text, if it has
// one: a Latin letter without its accents, or one of folds. Decompositions are the same in all
// versions of Unicode.
func foldedOf(r rune, text []byte) (folded string, isFolded bool) {
	if folded, isFolded = folds[r]; isFolded {
		return folded, true
	}
	letters := norm.NFD.Properties(text).Decomposition()
	if len(letters) == 0 || classes[letters[0]] != lower {
		return "", false
	}
	return string(letters[:1]), true
}
