package describe

import (
	"regexp"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// openingComment returns the first paragraph of the line comments at the top of
// source text, if they are about the file. Only an empty line or an import may
// follow them, because other comments are about the code after them.
func openingComment(text, marker string, imports *regexp.Regexp) string {
	var lines []string
	for text = text[:min(len(text), maxComment)]; text != ""; {
		if skipped := beforeComments().FindString(text); skipped != "" {
			if said := commentSentence(lines); said != "" {
				return said
			}
			lines, text = nil, text[len(skipped):]
			continue
		}
		line, rest, _ := strings.Cut(text, "\n")
		comment, ok := strings.CutPrefix(line, marker)
		if !ok {
			if imports.MatchString(line) {
				return commentSentence(lines)
			}
			return ""
		}
		lines, text = append(lines, comment), rest
	}
	return commentSentence(lines)
}

// beforeComments is an empty line, a comment between stars, or a line that says how
// to run the file.
var beforeComments = lazy.Regexp(`^(?:[ \t]*\n|#!/[^\n]*(?:\n|$)|/\*(?s:.*?)\*/[ \t]*|(?:'use [^'\n]*'|"use [^"\n]*")[ \t]*;?[ \t]*(?:\n|$))`)

// lineCommentBefore returns the first paragraph of the line comments at the end of
// text.
func lineCommentBefore(text, marker string) string {
	var lines []string
	for {
		text = strings.TrimSuffix(text, "\n")
		line := text[strings.LastIndexByte(text, '\n')+1:]
		comment, ok := strings.CutPrefix(line, marker)
		if !ok {
			slices.Reverse(lines)
			return commentSentence(lines)
		}
		lines = append(lines, comment)
		text = text[:len(text)-len(line)]
	}
}

// commentSentence returns the first paragraph of a comment if it is prose, instead
// of rights, disabled code, or text for or by a tool.
func commentSentence(lines []string) string {
	var kept []string
	for _, line := range lines {
		if !forTools().MatchString(line) {
			kept = append(kept, strings.TrimPrefix(boxed().ReplaceAllString(line, ""), " "))
		}
	}
	comment := strings.Join(kept, "\n")
	if licenseText().MatchString(comment) || generated().MatchString(comment) || isLicense(comment) || isCode().MatchString(comment) {
		return ""
	}
	return firstParagraph(comment)
}

var (
	// boxed is the end of a line in a box of comments.
	boxed = lazy.Regexp(`[ \t]+[#*/|]+[ \t]*$`)

	// forTools matches a line of a comment for tools instead of people.
	forTools = lazy.Regexp(`(?i)^(?:[/!]|[ \t]*(?:@|#|eslint|prettier|jshint|jslint|tslint|oxlint|biome-|deno-|globals? |istanbul |c8 |v8 |webpack|` +
		`<(?:reference|amd)|-\*-|vim?:|ex:|coding[:=]|type: ?ignore|pylint|flake8|noqa|mypy:|pyright:|ruff:|isort:|fmt:|yapf:|pragma:|` +
		`sourceMappingURL|rustfmt|ignore-|run-pass|(?:author|maintainer|date|version|file|filename|created|encoding|license)s?[ \t]*:|created (?:by|on)\b|compile-flags|edition:|(?:todo|fixme|xxx|hack)\b|https?://\S*$))`)

	// licenseText matches licences that the pattern rights does not recognize.
	licenseText = lazy.Regexp(`(?i)permission is hereby|redistribution and use|governed by|warrant(?:y|ies)|\b(?:mit|bsd|apache|isc|mozilla public|gnu \S+|general public) licen[cs]e`)

	// isCode is a line of code, or the beginning of a statement.
	isCode = lazy.Regexp(`(?m)[;{}\\]$|=>|\)[,:]?$|^(?:import|export|const|let|var|return|def|class|from|use|fn|pub|print)\b[^.]*[=({:'"]|^\w+ ?[-+|&]?= ?\S`)
)
