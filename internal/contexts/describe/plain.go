package describe

import (
	"regexp"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// These constants bound how many passages of a text are read, and the bytes of
// each.
const (
	maxPassages  = 256
	maxParagraph = 4 << 10
)

// plainPassages returns the passages of reStructuredText or plain text: the blocks
// between blank lines. A block can begin with a heading.
func plainPassages(text string) (passages []textBlock) {
	for _, block := range blankLines().Split(strings.Trim(text, "\n"), maxPassages) {
		if m := underlined().FindStringSubmatch(block); m != nil {
			passages = append(passages, textBlock{heading: true, text: oneLine(withoutMarkup(m[1], "$1"))})
			block = block[len(m[0]):]
		}
		if !notProse().MatchString(block) {
			passages = append(passages, paragraph(block))
		}
	}
	return passages
}

var blankLines = lazy.Regexp(`\n(?:[ \t]*\n)+`)

// underlined is a heading with a line below, and perhaps another above.
var underlined = lazy.Regexp(`^(?:` + rule + `\n)?([^\n]*[\pL\pN][^\n]*)\n` + rule + `(?:\n|$)`)

const rule = `(?:={2,}|-{2,}|~{2,}|\^{2,}|\*{2,}|#{2,}|\+{2,}|"{2,}|_{2,})[ \t]*`

// notProse matches the beginning of a block that is indented, or contains a
// directive, a list of fields or anything else, a table, or a rule.
var notProse = lazy.Regexp(`^(?:$|\s|\.\.(?:\s|$)|//|:[\w -]+:|[-*+•] |#\. |\d+[.)] |\+[-=]|\||[-=*#~_.]{2,}(?:$|[-=*#~_\s]))`)

// listAfter is a list that follows a paragraph without a blank line.
var listAfter = lazy.Regexp(`(?s)\n\s*[-*+•] .*`)

func paragraph(block string) textBlock {
	text := listAfter().ReplaceAllString(block, "")
	if len(text) > maxParagraph {
		text = text[:strings.LastIndexAny(text[:maxParagraph], " \n")+1]
	}
	if announcement, ok := strings.CutSuffix(text, "::"); ok {
		text = announcement + ":"
	}
	return textBlock{text: oneLine(withoutMarkup(text, "$1")), unlinked: oneLine(withoutMarkup(text, ""))}
}

// A mark is markup, which readers do not see. Instead, they see the first group of
// its pattern, or other text in place of a link.
type mark struct {
	pattern func() *regexp.Regexp
	isLink  bool
}

// marks are the markup within a paragraph. They must be removed in this order.
var marks = []mark{
	{lazy.Regexp(`\|[^|\s](?:[^|]*[^|\s])?\|_{0,2}|\[[\w#*-]+\]_`), false}, // substitutions and footnotes
	{lazy.Regexp("``([^`]+)``"), false},
	{lazy.Regexp(":[\\w:+.-]+:`~?([^`<]*[^`<\\s])\\s*(?:<[^`>]*>)?`"), false}, // roles
	{lazy.Regexp("`([^`<]*[^`<\\s])\\s*(?:<[^`>]*>)?`__?"), true},
	{lazy.Regexp("`([^`]+)`"), false},
	{lazy.Regexp(`\*\*([^*\s](?:[^*]*[^*\s])?)\*\*`), false},
	{lazy.Regexp(`\*([^*\s](?:[^*]*[^*\s])?)\*`), false},
	{lazy.Regexp(`\b([A-Za-z0-9][A-Za-z0-9.-]*)__?\b`), true},
	{lazy.Regexp(`\\(?:\s|(\S))`), false},
}

// withoutMarkup returns text as a reader sees it, with link in place of each link.
func withoutMarkup(text, link string) string {
	for _, m := range marks {
		seen := "$1"
		if m.isLink {
			seen = link
		}
		text = m.pattern().ReplaceAllString(text, seen)
	}
	return text
}
