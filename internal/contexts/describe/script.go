package describe

import (
	"cmp"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

var (
	scriptDeclared = lazy.Regexp(`^(export[ \t]+(?:default[ \t]+)?)?(?:declare[ \t]+)?(?:abstract[ \t]+|async[ \t]+|const[ \t]+)?` +
		`(?:function[ \t]*\*?|class|interface|type|enum|namespace|const|let|var)[ \t]+([\w$]+)[ \t]*[^ \t,}\w]`)
	exportName = lazy.Regexp(`^(?:export[ \t]+default[ \t]|module\.exports[ \t]*=)[ \t]*([\w$]+)[ \t]*;?(?:\n|$)|` +
		`^(?:module\.)?exports\.([\w$]+)[ \t]*=[^=]|^export[ \t]*\*[ \t]*as[ \t]+([\w$]+)`)
	exportList = lazy.Regexp(`^(?:export(?:[ \t]+type)?|module\.exports[ \t]*=)[ \t]*\{`)
	listedName = lazy.Regexp(`^(?:type\s+)?(?:[\w$]+\s+as\s+)?([\w$]+)\s*(?::.*)?$`)
)

// scriptImport is a line of imports, or of exports without a name.
var scriptImport = lazy.Regexp(`^(?:import\b|export\s*[*{]|export\s+default\s*[{(\[]|module\.exports\s*=|require\(|(?:const|let|var)\b.*\brequire\()`)

// readScript reads the comment about a JavaScript or TypeScript file, and its
// declarations.
func readScript(stem, text string) (u sourceDocs) {
	u.ofFile = cmp.Or(scriptDoc(text), openingComment(text, "//", scriptImport()))
	var declared []declaration
	all := script.blank(text)
	for start, code := range statements(all) {
		if at := scriptDeclared().FindStringSubmatchIndex(code); at != nil {
			declared = append(declared, declaration{code[at[4]:at[5]], start, at[2] >= 0})
		}
		if !strings.HasPrefix(code, "export") && !strings.HasPrefix(code, "module") {
			continue
		}
		if list := exportList().FindStringIndex(code); list != nil {
			u.exportItems(all[start+list[1]:])
		}
		if match := exportName().FindStringSubmatch(code); match != nil {
			u.export(cmp.Or(match[1:]...))
		}
	}
	u.add(stem, declared, func(d declaration) string {
		before := text[max(0, d.at-maxDoc):d.at]
		return cmp.Or(docBefore(before), lineCommentBefore(before, "//"))
	})
	return u
}

// exportItems adds the names of the list at the beginning of text. The list ends
// with its brace, or before the first item that is more than a name.
func (u *sourceDocs) exportItems(text string) {
	if end := strings.IndexAny(text, "{}("); end >= 0 {
		text = text[:end]
	}
	for item := range strings.SplitSeq(text, ",") {
		u.export(group(listedName(), strings.TrimSpace(item)))
	}
}

func (u *sourceDocs) export(name string) {
	if name != "" && name != "default" && name != "__esModule" {
		u.values = append(u.values, name)
	}
}

// ofFile marks a doc comment about the whole file, and ofItem a doc comment about
// what follows.
var (
	ofFile = lazy.Regexp(`@(?:module|fileoverview|file|packageDocumentation|overview)\b[ \t]*([^\n]*)`)
	ofItem = lazy.Regexp(`@(?:params?|returns?|type|typedef|template|class|function|constructor|enum|throws|callback|internal|ts-\w+|jest-environment|vitest-environment)\b`)
)

// comment is a comment between stars. If it contains the first group, it is a doc
// comment.
var comment = lazy.Regexp(`(?s)/\*(\*)?(.*?)\*/`)

// maxComments bounds the comments to search for the docs of a file.
const maxComments = 32

// scriptDoc returns the first paragraph of the doc comment about a file. The
// comment must contain a tag of the file, or come before any code without being
// about a declaration.
func scriptDoc(text string) string {
	at, leading := 0, true
	for _, m := range comment().FindAllStringSubmatchIndex(text, maxComments) {
		leading = leading && !hasCode(text[at:m[0]])
		at = m[1]
		if m[2] < 0 {
			continue
		}
		doc := withoutStars(text[m[4]:m[5]])
		if ofFile().MatchString(doc) || leading && !isLicense(doc) && !declaring().MatchString(text[at:]) && !ofItem().MatchString(doc) {
			if s := firstParagraph(untagged(doc)); s != "" {
				return s
			}
		}
	}
	return ""
}

// declaring matches what follows a comment about a declaration.
var declaring = lazy.Regexp(`^[ \t]*\n?[ \t]*(?:@\w|(?:export|declare|abstract|async|const|let|var|function|class|interface|type|enum|namespace)\s+[\w$]|\w+(?:\.\w+)+\s*=)`)

// maxDoc bounds the bytes between the beginning of a doc comment and its
// declaration.
const maxDoc = 16 << 10

// docBefore returns the first paragraph of the doc comment at the end of text.
func docBefore(text string) string {
	text = strings.TrimRight(text, " \t\n")
	body, ok := strings.CutSuffix(text, "*/")
	at := strings.LastIndex(body, "/*")
	if !ok || at < 0 || !strings.HasPrefix(body[at:], "/**") {
		return ""
	}
	return firstParagraph(untagged(withoutStars(body[at+len("/**"):])))
}

func hasCode(text string) bool { return !codeless().MatchString(text) }

var codeless = lazy.Regexp(`^(?:[ \t;]*(?:(?://|#!|'use |"use )[^\n]*)?(?:\n|$))*$`)

// inlineTag is a tag within a sentence: {@code x}, {@link Name}, {@link Name
// label}.
var inlineTag = lazy.Regexp(`\{@(?:link\w*\s+[^\s{}|]+[\s|]+|\w+\s+)([^{}]+)\}`)

// untagged returns the description in a doc comment: the sentence after the tag of
// the file, or the text before the first tag.
func untagged(comment string) string {
	comment = comment[:min(len(comment), maxComment)]
	comment = inlineTag().ReplaceAllString(comment, "$1")
	if at := ofFile().FindStringSubmatchIndex(comment); at != nil {
		tag, first := comment[at[0]:at[2]], comment[at[2]:at[3]]
		if !strings.Contains(first, " ") || strings.HasPrefix(tag, "@module") {
			first = "" // a name instead of a description
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
