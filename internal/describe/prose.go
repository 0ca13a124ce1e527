package describe

import (
	"regexp"
	"strings"
	"unicode"
)

// describing returns the first passage that describes something, and the first
// heading; either may be "".
func describing(passages []passage) (prose, title string) {
	dull := false
	for _, p := range passages {
		switch {
		case p.heading:
			dull = dullSections[strings.ToLower(strings.Trim(p.text, "# :.0123456789"))]
			if title == "" && !dull {
				title = p.text
			}
		case !dull:
			if prose = proseOf(p); prose != "" {
				return prose, title
			}
		}
	}
	return "", title
}

// dullSections are headings under which no text says what something is.
var dullSections = map[string]bool{
	"table of contents": true, "contents": true, "toc": true, "index": true, "installation": true, "install": true,
	"installing": true, "license": true, "licence": true, "licensing": true, "contributing": true,
	"contributors": true, "sponsors": true, "backers": true, "sponsor": true, "supporters": true, "authors": true,
	"credits": true, "acknowledgements": true, "acknowledgments": true, "changelog": true, "support": true,
	"security": true, "requirements": true, "prerequisites": true, "news": true, "see also": true, "copyright": true,
}

// aside is how a passage begins that says something besides what a thing is, or
// that is markup of another tool than the reader's.
var aside = regexp.MustCompile(`(?i)^(?:\[!|\[toc\]|\[\[|\||\{\{|\{%|:::|!!!|import .* from |copyright\b|\(c\) |©|spdx-|` +
	`(?:\W{0,4})(?:note|warning|important|caution|tip|attention|notice|update|news|todo)\b ?[:!])`)

// proseOf returns the text of a paragraph without a last sentence that
// announces what follows it. It returns "" if the paragraph is no prose: links,
// badges, navigation, a table, a note.
func proseOf(p passage) string {
	if aside.MatchString(p.text) || isNavigation(p) || !hasWords(p.unlinked) {
		return ""
	}
	if strings.HasSuffix(p.text, ":") || strings.HasSuffix(p.text, "：") {
		return wholeSentences(p.text)
	}
	return p.text
}

// isNavigation reports whether a paragraph is a row of links between separators.
func isNavigation(p passage) bool {
	if p.text == p.unlinked {
		return false
	}
	separators := strings.Count(p.text, " | ") + strings.Count(p.text, "•") + strings.Count(p.text, "·")
	return separators > 0 && len(strings.Fields(p.text)) <= 5*(separators+1)
}

// hasWords reports whether text holds two words at least besides addresses. In
// a script without spaces four characters will do.
func hasWords(text string) bool {
	words, unspaced := 0, 0
	for word := range strings.FieldsSeq(text) {
		if strings.Contains(word, "://") || strings.HasPrefix(word, "www.") {
			continue
		}
		if strings.ContainsFunc(word, unicode.IsLetter) {
			words++
		}
		for _, r := range word {
			if isUnspaced(r) {
				unspaced++
			}
		}
	}
	return words >= 2 || unspaced >= 4
}
