package markdown

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/analysis"
)

// anchors contains the anchors of the headings so far, each with the highest number appended to it
// for another heading.
type anchors map[string]int

// next returns the anchor of the next heading from its text, as GitHub does: in lower case,
// with hyphens for spaces and without punctuation. If the anchor is taken, next appends
// "-1", "-2" and so on until it is unique. A heading can also name its own anchor by ending
// in "{#name}". The anchor is "" if nothing of the text is left.
func (a anchors) next(text string) string {
	slug, named := nameIn(text)
	if !named {
		slug = slugOf(text)
	}
	return a.unique(slug)
}

// unique returns an anchor as it is, or with a number if another heading has it.
func (a anchors) unique(slug string) string {
	anchor := slug
	for a.has(anchor) {
		a[slug]++
		anchor = slug + "-" + strconv.Itoa(a[slug])
	}
	a[anchor] = 0
	return anchor
}

func (a anchors) has(anchor string) bool {
	_, found := a[anchor]
	return found
}

func nameIn(heading string) (name string, ok bool) {
	before, found := strings.CutSuffix(strings.TrimRight(heading, " "), "}")
	at := strings.LastIndex(before, "{#")
	if !found || at < 0 {
		return "", false
	}
	name = before[at+len("{#"):]
	isOther := func(r rune) bool { return !isKept(r) && r != '.' && r != ':' }
	return name, name != "" && !strings.ContainsFunc(name, isOther)
}

// WithoutAnchor returns a heading without its explicit anchor, as in Setup {#setup}.
func WithoutAnchor(heading string) string {
	if text, _, found := strings.Cut(heading, " {#"); found && strings.HasSuffix(heading, "}") {
		return text
	}
	return heading
}

// AnchorComment returns a comment that names the anchor of the heading that it ends. Unlike
// "{#name}", it is not text, so converted pages can keep the anchors of a generator without
// being found by their words. It returns "" for names with white space or other characters
// that no comment should contain.
func AnchorComment(name string) string {
	isOdd := func(r rune) bool {
		return r <= ' ' || strings.ContainsRune("<>~\x7f", r) || r >= utf8.RuneSelf && !isKept(r)
	}
	if name == "" || strings.HasSuffix(name, "-") || strings.Contains(name, "--") || strings.ContainsFunc(name, isOdd) {
		return ""
	}
	return anchorOpening + name + anchorEnd
}

const (
	anchorOpening = "<!--#"
	anchorEnd     = "-->"
)

// commentedName returns the anchor that a comment at the end of a heading names.
func commentedName(heading []byte) (name string, ok bool) {
	before, found := strings.CutSuffix(strings.TrimRight(string(heading[max(0, len(heading)-maxTitle):]), " "), anchorEnd)
	at := strings.LastIndex(before, anchorOpening)
	if !found || at < 0 {
		return "", false
	}
	name = before[at+len(anchorOpening):]
	return name, AnchorComment(name) != ""
}

// slugOf returns the anchor of the first heading of a text.
func slugOf(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case isKept(r):
			return r
		}
		return -1
	}, words.Lower(text))
}

// isKept reports whether an anchor keeps a character: a letter, mark, digit, hyphen or
// underscore.
func isKept(r rune) bool {
	return r == '-' || r == '_' || analysis.IsPartOfWord(r) && !slices.ContainsFunc(otherNumbers, func(bounds [2]rune) bool {
		return bounds[0] <= r && r <= bounds[1]
	})
}

// otherNumbers are numbers without digits, for example superscripts, fractions and circled
// numbers.
var otherNumbers = [][2]rune{
	{0xB2, 0xB3},
	{0xB9, 0xB9},
	{0xBC, 0xBE},
	{0x2070, 0x2070},
	{0x2074, 0x2079},
	{0x2080, 0x2089},
	{0x2150, 0x215F},
	{0x2189, 0x2189},
	{0x2460, 0x249B},
	{0x24EA, 0x24FF},
	{0x2776, 0x2793},
	{0x3192, 0x3195},
	{0x3220, 0x3229},
	{0x3248, 0x324F},
	{0x3251, 0x325F},
	{0x3280, 0x3289},
	{0x32B1, 0x32BF},
}
