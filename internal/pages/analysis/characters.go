package analysis

import (
	_ "embed"
	"sync"
	"unicode/utf8"

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

// accented lists the lower-case letters of each folded form: Latin letters without accents
// or as two letters, and a few Greek and Cyrillic letters.
var accented = map[string]string{
	"a":  "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ",
	"b":  "ḃḅḇ",
	"c":  "çćĉċčḉ",
	"d":  "ďđḋḍḏḑḓ",
	"e":  "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ",
	"f":  "ḟ",
	"g":  "ĝğġģǧǵḡ",
	"h":  "ĥħȟḣḥḧḩḫẖ",
	"i":  "ìíîïĩīĭįıǐȉȋḭḯỉị",
	"j":  "ĵǰ",
	"k":  "ķǩḱḳḵ",
	"l":  "ĺļľłḷḹḻḽ",
	"m":  "ḿṁṃ",
	"n":  "ñńņňǹṅṇṉṋ",
	"o":  "òóôõöøōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ",
	"p":  "ṕṗ",
	"r":  "ŕŗřȑȓṙṛṝṟ",
	"s":  "śŝşšșṡṣṥṧṩ",
	"t":  "ţťŧțṫṭṯṱẗ",
	"u":  "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự",
	"v":  "ṽṿ",
	"w":  "ŵẁẃẅẇẉẘ",
	"x":  "ẋẍ",
	"y":  "ýÿŷȳẏẙỳỵỷỹ",
	"z":  "źżžẑẓẕ",
	"σ":  "ς",
	"е":  "ё",
	"і":  "ї",
	"ss": "ß", "ae": "æ", "oe": "œ", "ij": "ĳ",
}

// folds maps lower-case letters to their folded forms.
var folds = func() map[rune]string {
	all := map[rune]string{}
	for becomes, letters := range accented {
		for _, letter := range letters {
			all[letter] = becomes
		}
	}
	return all
}()
