package describe

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// scriptExtensions are those of JavaScript and TypeScript.
var scriptExtensions = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}

// scriptSummary returns what the doc comment says that begins the index of a
// JavaScript or TypeScript package, or its only file.
func scriptSummary(fsys fs.FS, names []string) string {
	files := sources(names, scriptExtensions, "index", "mod", "main")
	files = slices.DeleteFunc(slices.Clone(files), func(name string) bool {
		stem, _, _ := strings.Cut(name, ".")
		return len(files) > 1 && !slices.Contains([]string{"index", "mod", "main"}, stem)
	})
	return firstOf(files, func(name string) string {
		return scriptDoc(readHead(fsys, name))
	})
}

// ofFile marks a doc comment that is about the whole file, and ofItem one that
// is about what follows it.
var (
	ofFile = regexp.MustCompile(`@(?:module|fileoverview|file|packageDocumentation|overview)\b[ \t]*([^\n]*)`)
	ofItem = regexp.MustCompile(`@(?:params?|returns?|type|typedef|template|class|function|constructor|enum|throws|callback|internal|ts-\w+|jest-environment|vitest-environment)\b`)
)

// scriptDoc returns the first paragraph of the comment that is about a file: one
// that says so, or else one before any code that is about nothing else.
func scriptDoc(text string) string {
	leading := true
	for _, c := range docComments(text) {
		leading = leading && c.leading
		if isLicense(c.text) && !ofFile.MatchString(c.text) {
			continue
		}
		if ofFile.MatchString(c.text) || leading && !ofItem.MatchString(c.text) {
			if s := firstParagraph(untagged(c.text)); s != "" {
				return s
			}
		}
	}
	return ""
}

// A docComment is the text between "/**" and "*/". It is leading if no code
// stands before it.
type docComment struct {
	text    string
	leading bool
}

// maxDocComments is the most doc comments of a file that are looked at.
const maxDocComments = 16

// docComments returns the first doc comments of a text in a language that looks
// like C.
func docComments(text string) (comments []docComment) {
	leading := true
	for len(comments) < maxDocComments {
		before, rest, found := strings.Cut(text, "/*")
		body, after, closed := strings.Cut(rest, "*/")
		if !found || !closed {
			break
		}
		leading = leading && !hasCode(before)
		if doc, ok := strings.CutPrefix(body, "*"); ok {
			comments = append(comments, docComment{withoutStars(doc), leading})
		}
		text = after
	}
	return comments
}

// hasCode reports whether text holds more than line comments and directives.
func hasCode(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.Trim(line, " \t;")
		isDirective := strings.HasPrefix(line, "'use ") || strings.HasPrefix(line, `"use `)
		if line != "" && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "#!") && !isDirective {
			return true
		}
	}
	return false
}

// labelTag and inlineTag are tags within a sentence: {@link Name label}, {@code x}.
var (
	labelTag  = regexp.MustCompile(`\{@link\w*\s+[^\s{}|]+[\s|]+([^{}]+)\}`)
	inlineTag = regexp.MustCompile(`\{@\w+\s+([^{}]*)\}`)
)

// untagged returns the description in a doc comment: what follows the tag of
// the file, if that is a sentence, or else what stands before any tag.
func untagged(comment string) string {
	comment = labelTag.ReplaceAllString(comment, "$1")
	comment = inlineTag.ReplaceAllString(comment, "$1")
	if at := ofFile.FindStringSubmatchIndex(comment); at != nil {
		tag, first := comment[at[0]:at[2]], comment[at[2]:at[3]]
		if !strings.Contains(first, " ") || strings.HasPrefix(tag, "@module") {
			first = "" // a name, not a description
		}
		comment = comment[:at[0]] + "\n\n" + first + comment[at[3]:]
	}
	var kept []string
	for line := range strings.SplitSeq(comment, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "@") {
			if hasWords(strings.Join(kept, " ")) {
				break
			}
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// javaSummary returns what package-info.java says.
func javaSummary(fsys fs.FS, names []string) string {
	if !has(names, "package-info.java") {
		return ""
	}
	for _, c := range docComments(readHead(fsys, "package-info.java")) {
		if !isLicense(c.text) {
			return firstParagraph(untagged(c.text))
		}
	}
	return ""
}
