package markdown

import (
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
	if name, named := nameIn(text); named {
		return a.unique(name)
	}
	return a.unique(slugOf(text))
}

// unique returns an anchor as it is, or with a number if another heading has it.
func (a anchors) unique(slug string) string {
	anchor := slug
	for _, isTaken := a[anchor]; isTaken; _, isTaken = a[anchor] {
		a[slug]++
		anchor = slug + "-" + strconv.Itoa(a[slug])
	}
	a[anchor] = 0
	return anchor
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
	return r == '-' || r == '_' || analysis.IsPartOfWord(r) && !analysis.IsOtherNumber(r)
}
