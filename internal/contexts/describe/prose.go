package describe

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// describing returns the first passage of a package's docs that describes
// something, and the first heading. Either may be "".
func describing(passages []textBlock) (prose, title string) {
	for _, p := range passages {
		if p.heading {
			title = cmp.Or(title, p.text)
			continue
		}
		if prose = proseOf(p); prose != "" {
			break
		}
	}
	return prose, title
}

// introducing is describing for a README. Since much of a README is not about its
// subject, a paragraph must be in a section that introduces it, and must not ask
// anything of its reader.
func introducing(passages []textBlock) (prose, title string) {
	headings, introduces := 0, true
	for _, p := range passages {
		if p.heading {
			if headings++; headings == 1 {
				title = p.text
			}
			introduces = headings == 1 && !offTopic().MatchString(p.text) || aboutIt().MatchString(p.text)
			continue
		}
		if prose = proseOf(p); prose == "" || !introduces {
			continue
		}
		if !solicits().MatchString(prose) && !addressed().MatchString(prose) && !strings.HasSuffix(firstSentence(prose), "?") {
			return prose, title
		}
	}
	return "", title
}

// aboutIt matches the heading of a section about the subject.
var aboutIt = lazy.Regexp(`(?i)^\W*(?:\d\W*)?(?:about|overview|introduction|intro|summary|description|purpose|abstract|what (?:is|it is|it does)|what[’']s (?:this|it))\b`)

// offTopic matches headings of sections about something else.
var offTopic = lazy.Regexp(`(?i)\b(?:donat\w*|sponsor\w*|fund\w*|backers?|supporters|conduct|contribut\w*|licen[sc]\w*|copyright|trademarks?|` +
	`install\w*|set ?up|getting started|quick ?start|prerequisites?|requirements|usage|(?:table of )?contents|toc|index|news|` +
	`announcements?|change ?log|release notes|credits|authors|maintainers|acknowledge?ments|support|security|see also|deprecated|status)\b`)

// solicits matches paragraphs about money, rules, rights, or where to go instead.
var solicits = lazy.Regexp(`(?i)\b(?:donat(?:e|ion|ing)\w*|sponsor\w*|funding|fundraising|patreon|open ?collective|code of conduct|contribut(?:ing|ions?|ors?)|` +
	`pull requests?|licensed under|copyright|all rights reserved|deprecated|unmaintained|no longer|archived|(?:has|been) moved|renamed to|` +
	`star (?:this|us|the)|follow (?:us|me|along)|join (?:us|our|the)|subscribe|sign up|newsletter|hiring|` +
	`click here|(?:npm|pip|yarn|cargo|brew|go|apt|apt-get) (?:install|add|i|get))\b`)

// addressed matches a text that tells its reader to do something, or is about its
// author.
var addressed = lazy.Regexp(`(?i)^\W*(?:to|run|clone|download|see|read|visit|check|click|please|thanks?|welcome|if you|when you|do you|want|looking for|` +
	`first|before|after|make sure|start|follow|you|your|we|our|i|my|for (?:more|full|the|a|details|information|help)|` +
	`documentation|docs|latest|current|status|version|view|try|use|using|let|note|hello|hi|hey|are you|more|full|` +
	`maintained|made|written by|created by|built by|brought|install|available)\b`)

// aside matches the beginning of a passage about something else, or
// contains markup for another tool.
var aside = lazy.Regexp(`(?i)^(?:\[!|\[toc\]|\[\[|\||\{\{|\{%|:::|!!!|import .* from |copyright\b|\(c\) |©|spdx-|` +
	`(?:\W{0,4})(?:note|warning|important|caution|tip|attention|notice|update|news|todo)\b ?[:!])`)

// proseOf returns the text of a paragraph, but without a last sentence announcing
// the next passage. It returns "" if the paragraph is not prose, for example links,
// badges, navigation, a table or a note.
func proseOf(p textBlock) string {
	if aside().MatchString(p.text) || isNavigation(p) || !hasWords(p.unlinked) {
		return ""
	}
	if strings.HasSuffix(p.text, ":") || strings.HasSuffix(p.text, "：") {
		if whole := sentencesOf(p.text); len(whole) > 0 {
			return whole[len(whole)-1]
		}
		return ""
	}
	return p.text
}

func isNavigation(p textBlock) bool {
	if p.text == p.unlinked {
		return false
	}
	separators := strings.Count(p.text, " | ") + strings.Count(p.text, "•") + strings.Count(p.text, "·")
	return separators > 0 && len(strings.Fields(p.text)) <= 5*(separators+1)
}

// hasWords reports whether text contains at least two words, not counting
// addresses. In a script without spaces, four characters are enough.
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
