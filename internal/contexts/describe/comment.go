package describe

import (
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// maxComment bounds the bytes to search for the first sentence of a comment.
const maxComment = 16 << 10

var (
	// beforeComments is an empty line, a comment between stars that isn't documentation, an
	// attribute of a Rust file, or a line that says how to run the file.
	beforeComments = lazy.Regexp(`^(?:[ \t]*\n|#!?\[[^\n]*(?:\n|$)|#![^\n]*(?:\n|$)|/\*\*?/|/\*[^*!](?s:.*?)\*/[ \t]*|` +
		`(?:'use [^'\n]*'|"use [^"\n]*")[ \t]*;?[ \t]*(?:\n|$))`)

	// commentGroup is a comment for documentation, or lines of comments of the same kind.
	commentGroup = lazy.Regexp(`^(?:/\*[*!](?s:.*?)\*/[ \t]*\n?|(?:#[^\n]*(?:\n|$))+|(?://![^\n]*(?:\n|$))+|(?:///[^\n]*(?:\n|$))+|(?://(?:[^/!\n][^\n]*)?(?:\n|$))+)`)

	// innerDoc begins the documentation of the file around it, in Rust.
	innerDoc = lazy.Regexp(`^/[/*]!`)

	// docComment is a comment of JavaScript for documentation.
	docComment = lazy.Regexp(`(?s)/\*\*.*?\*/`)
)

// maxComments bounds the comments to search for the docs of a file.
const maxComments = 32

// openingComment returns the first paragraph of the first comment about the file. Unless it
// has the tag of a file, the comment must be at the top, and only an empty line, an import or
// another comment may follow it, because other comments are about the code after them.
func (s *syntax) openingComment(text string) string {
	text = text[:min(len(text), maxComment)]
	for rest := text; ; {
		if skipped := beforeComments().FindString(rest); skipped != "" {
			rest = rest[len(skipped):]
			continue
		}
		group := commentGroup().FindString(rest)
		if group == "" {
			break
		}
		rest = rest[len(group):]
		endsHere := rest == "" || rest[0] == '\n' || commentGroup().MatchString(rest) || beforeComments().MatchString(rest)
		if innerDoc().MatchString(group) || !ofItem().MatchString(group) && (endsHere || s.imports().MatchString(rest)) {
			if said := commentSentence(group); said != "" {
				return said
			}
		}
	}
	for _, doc := range docComment().FindAllString(text, maxComments) {
		if !ofFile().MatchString(doc) {
			continue
		}
		if said := commentSentence(doc); said != "" {
			return said
		}
	}
	return ""
}

// commentBefore returns the first paragraph of the comment at the end of text.
func commentBefore(text string) string {
	text = text[max(0, len(text)-maxComment):]
	if at := strings.LastIndex(text, "/**"); at >= 0 && strings.HasSuffix(strings.TrimRight(text, " \t\n"), "*/") && strings.Count(text[at:], "*/") == 1 {
		return commentSentence(text[at:])
	}
	return commentSentence(linesAtEnd().FindString(text))
}

// linesAtEnd are line comments, with attributes between them.
var linesAtEnd = lazy.Regexp(`(?:(?m:^)(?://|#\[)[^\n]*\n)+\z`)

// commentSentence returns the first paragraph of a comment if it is prose, instead
// of rights, disabled code, or text for or by a tool.
func commentSentence(comment string) string {
	comment = strings.TrimRight(comment, " \t\n")
	isLine := strings.HasPrefix(comment, "#") || lineComment().MatchString(comment)
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(comment, "*/"), "\n") {
		if strings.HasPrefix(line, "#[") { // an attribute of Rust
			continue
		}
		line = ofFile().ReplaceAllString(commentMark().ReplaceAllString(line, ""), "")
		if forTools().MatchString(line) {
			line = ""
		}
		lines = append(lines, boxed().ReplaceAllString(line, ""))
	}
	text := inlineTag().ReplaceAllString(strings.Join(lines, "\n"), "$1")
	lower := strings.ToLower(comment)
	isGrant := containsAny(lower, grants) || strings.Contains(lower, " licen") && grant().MatchString(lower)
	if isGrant || isLicense(comment) || generated().MatchString(text) || isLine && isCode().MatchString(text) {
		return ""
	}
	return firstParagraph(text)
}

// grants are words of licences that rights does not contain, in lower case.
var grants = []string{"permission is hereby", "redistribution and use", "governed by", "warranty", "warranties"}

var (
	lineComment = lazy.Regexp(`^//(?:[^/!]|$)`)

	// commentMark begins a line of a comment.
	commentMark = lazy.Regexp(`^[ \t]*(?://[/!]?|/\*[*!]?|\*(?:[ \t]|$)|#)? ?`)

	// boxed is the end of a line in a box of comments.
	boxed = lazy.Regexp(`[ \t]+[#*/|]+[ \t]*$`)

	// ofFile is a tag of a comment about the whole file. Its first group is a name instead of
	// a description.
	ofFile = lazy.Regexp(`@(?:(?:fileoverview|file|packageDocumentation|overview)\b|module\b[^\n]*)`)

	// ofItem is a tag of a comment about what follows.
	ofItem = lazy.Regexp(`@(?:params?|returns?|type|typedef|template|class|function|constructor|enum|throws|callback|internal)\b`)

	// inlineTag is a tag within a sentence: {@code x}, {@link Name}, {@link Name label}.
	inlineTag = lazy.Regexp(`\{@(?:link\w*\s+[^\s{}|]+[\s|]+|\w+\s+)([^{}]+)\}`)

	// forTools matches a line of a comment for tools instead of people.
	forTools = lazy.Regexp(`(?i)^(?:!|[ \t]*(?:@|#{4,}|eslint|prettier|jshint|jslint|tslint|oxlint|biome-|deno-|globals? |istanbul |c8 |v8 |webpack|` +
		`<(?:reference|amd)|-\*-|vim?:|ex:|coding[:=]|type: ?ignore|pylint|flake8|noqa|mypy:|pyright:|ruff:|isort:|fmt:|yapf:|pragma:|` +
		`sourceMappingURL|rustfmt|ignore-|run-pass|(?:author|maintainer|date|version|file|filename|created|encoding|license)s?[ \t]*:|created (?:by|on)\b|compile-flags|edition:|(?:todo|fixme|xxx|hack)\b|https?://\S*$))`)

	// grant names a licence, in lower case.
	grant = lazy.Regexp(`\b(?:mit|bsd|apache|isc|mozilla public|gnu \S+|general public) licen[cs]e`)

	// isCode is a line of code, or the beginning of a statement.
	isCode = lazy.Regexp(`(?m)[;{}\\]$|=>|\)[,:]?$|^(?:import|export|const|let|var|return|def|class|from|use|fn|pub|print)\b[^.]*[=({:'"]|^\w+ ?[-+|&]?= ?\S`)
)
