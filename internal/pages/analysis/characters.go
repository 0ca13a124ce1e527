package analysis

import (
	_ "embed"
	"sync"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/words"
)

// letters lists the letters, marks and numbers of Unicode 15.0.0 beyond ASCII.
//
//go:embed letters.txt
var letters string

// inWords are the characters beyond ASCII that belong to words. They are read on first use, because
// most texts are ASCII.
var inWords = sync.OnceValue(func() (set words.RuneSet) {
	words.Rows(letters, func(first, last rune, _ string) { set.Add(first, last) })
	return set
})

func IsPartOfWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 0 && classes[r] > joiner
	}
	return inWords().Has(r)
}

// unspaced are the blocks of scripts without spaces between words. They include Hangul, because its
// words take endings, and stemming doesn't support them.
var unspaced = sync.OnceValue(func() words.RuneSet {
	return setOfRunes([][2]rune{
		{0x0E00, 0x0EFF},                   // Thai, Lao
		{0x1000, 0x109F},                   // Myanmar
		{0x1100, 0x11FF},                   // Hangul Jamo
		{0x1780, 0x17FF},                   // Khmer
		{0x3005, 0x3007}, {0x3021, 0x3029}, // marks and numbers among Han
		{0x3031, 0x3035}, {0x3038, 0x303C}, // more of them
		{0x3041, 0x3096}, {0x309D, 0x309F}, // Hiragana
		{0x30A1, 0x30FA}, {0x30FC, 0x30FF}, // Katakana
		{0x3105, 0x312F},                   // Bopomofo
		{0x3131, 0x318E}, {0x31A0, 0x31BF}, // Hangul Compatibility Jamo, more Bopomofo
		{0x31F0, 0x31FF},                   // Katakana Phonetic Extensions
		{0x3400, 0x4DBF}, {0x4E00, 0xA48C}, // Han, Yi
		{0xA960, 0xA97C},                       // Hangul Jamo Extended-A
		{0xAC00, 0xD7FB},                       // Hangul
		{0xF900, 0xFAFF},                       // Han compatible with others
		{0xFF66, 0xFFDC},                       // half-width Katakana and Hangul
		{0x1B000, 0x1B16F}, {0x20000, 0x3FFFF}, // more Kana, more Han
	})
})

// ignored are characters often left out of words: combining accents, the points of Arabic and
// Hebrew, and characters affecting only the shape.
var ignored = sync.OnceValue(func() words.RuneSet {
	return setOfRunes([][2]rune{
		{0x00AD, 0x00AD},
		{0x0300, 0x036F},
		{0x0591, 0x05BD},
		{0x05BF, 0x05BF},
		{0x05C1, 0x05C2},
		{0x05C4, 0x05C5},
		{0x05C7, 0x05C7},
		{0x0640, 0x0640},
		{0x064B, 0x065F},
		{0x0670, 0x0670},
		{0x200C, 0x200D},
		{0xFE00, 0xFE0F},
	})
})

func setOfRunes(bounds [][2]rune) (set words.RuneSet) {
	for _, b := range bounds {
		set.Add(b[0], b[1])
	}
	return set
}

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
