package describe

import (
	"regexp"
	"slices"
	"strings"
)

// plainPassages returns the passages of a text that is laid out with blank
// lines: reStructuredText or plain text.
func plainPassages(text string) []passage {
	var r plainReader
	var block []string
	for line := range strings.SplitSeq(text, "\n") {
		if len(r.passages) >= maxPassages {
			break
		}
		line = strings.TrimRight(line, " \t")
		if line != "" {
			block = append(block, line)
			continue
		}
		r.readBlock(block)
		block = nil
	}
	r.readBlock(block)
	return r.passages
}

// maxPassages is the most passages that are looked at.
const maxPassages = 256

// A plainReader collects passages.
type plainReader struct {
	passages []passage
	began    bool // whether a block was read
}

// readBlock reads consecutive lines that are not blank: headings, and then the
// text under the last heading.
func (r *plainReader) readBlock(block []string) {
	for len(block) > 0 && len(r.passages) < maxPassages {
		title, size := headingOf(block)
		if size == 0 {
			r.readText(block)
			break
		}
		r.addHeading(title)
		block = block[size:]
	}
	r.began = r.began || len(block) > 0
}

// readText reads a block without a heading. What is indented belongs to a
// directive or is code, unless it is a title in the middle of its line.
func (r *plainReader) readText(block []string) {
	indented := block[0][0] == ' ' || block[0][0] == '\t'
	switch {
	case indented && !r.began && len(r.passages) == 0:
		r.addHeading(block[0])
	case indented, notProse.MatchString(block[0]):
	default:
		r.addParagraph(block)
	}
}

// notProse is how the first line of a block begins that is a directive, a
// comment, a list of fields or of anything else, a table, or a rule.
var notProse = regexp.MustCompile(`^(?:\.\.(?:\s|$)|//|:[\w -]+:|[-*+•] |#\. |\d+[.)] |\+[-=]|\||[a-z0-9]+::?\S*\[|` +
	`(?:={2,}|-{2,}|\*{2,}|#{2,}|~{2,}|_{2,}|\.{3,})(?:$|[-=*#~_ ]))`)

// listItem is a line of a list that follows a paragraph at once.
var listItem = regexp.MustCompile(`^\s*[-*+•] `)

// rule is a line under a heading, and prefixed a heading that has none.
var (
	rule     = regexp.MustCompile(`^(?:={2,}|-{2,}|~{2,}|\^{2,}|\*{2,}|#{2,}|\+{2,}|"{2,}|_{2,})$`)
	prefixed = regexp.MustCompile(`^(?:#{1,6}|={1,6})\s+(\S.*?)[\s#=]*$`)
)

// headingOf returns the heading with which a block begins and how many lines
// it takes, 0 if there is none.
func headingOf(block []string) (title string, size int) {
	switch match := prefixed.FindStringSubmatch(block[0]); {
	case match != nil && !rule.MatchString(strings.ReplaceAll(block[0], " ", "")):
		return match[1], 1
	case len(block) > 2 && rule.MatchString(block[0]) && rule.MatchString(block[2]):
		return block[1], 3
	case len(block) > 1 && rule.MatchString(block[1]) && !rule.MatchString(block[0]):
		return block[0], 2
	}
	return "", 0
}

func (r *plainReader) addHeading(line string) {
	if title := oneLine(withoutMarkup(line, "$1")); title != "" {
		r.passages = append(r.passages, passage{heading: true, text: title})
	}
}

func (r *plainReader) addParagraph(block []string) {
	if list := slices.IndexFunc(block, listItem.MatchString); list > 0 {
		block = block[:list]
	}
	text := strings.Join(block, "\n")
	if len(text) > maxParagraph {
		text = text[:strings.LastIndexAny(text[:maxParagraph], " \n")+1]
	}
	if announcement, ok := strings.CutSuffix(text, "::"); ok {
		text = announcement + ":"
	}
	r.passages = append(r.passages, passage{
		text:     oneLine(withoutMarkup(text, "$1")),
		unlinked: oneLine(withoutMarkup(text, "")),
	})
}

// A mark is markup that a reader does not see. The reader sees the first group of
// its pattern, or another text in the place of a link.
type mark struct {
	pattern *regexp.Regexp
	isLink  bool
}

// inlineMarkup is the markup within a paragraph, in the order of its removal.
var inlineMarkup = []mark{
	{regexp.MustCompile(`\|[^|\s](?:[^|]*[^|\s])?\|_{0,2}`), false},
	{regexp.MustCompile(`\[[\w#*-]+\]_`), false},
	{regexp.MustCompile("``([^`]+)``"), false},
	{regexp.MustCompile("(?::[\\w:+.-]+:)`~?([^`<]*[^`<\\s])\\s*(?:<[^`>]*>)?`"), false},
	{regexp.MustCompile("`([^`<]*[^`<\\s])\\s*(?:<[^`>]*>)?`__?"), true},
	{regexp.MustCompile("`([^`]+)`"), false},
	{regexp.MustCompile(`\*\*([^*\s](?:[^*]*[^*\s])?)\*\*`), false},
	{regexp.MustCompile(`\*([^*\s](?:[^*]*[^*\s])?)\*`), false},
	{regexp.MustCompile(`\b([A-Za-z0-9][A-Za-z0-9.-]*)__?\b`), true},
	{regexp.MustCompile(`\\(?:\s|(\S))`), false},
}

// withoutMarkup returns text as a reader sees it, with link for each link.
func withoutMarkup(text, link string) string {
	for _, m := range inlineMarkup {
		seen := "$1"
		if m.isLink {
			seen = link
		}
		text = m.pattern.ReplaceAllString(text, seen)
	}
	return text
}
