package describe

import (
	"regexp"
	"strings"
)

var script = syntax{comment: "//", blocks: true, texts: []string{"`"}, lines: []string{`"`, "'"}, regexps: true}

var (
	scriptDeclared = regexp.MustCompile(`^(export[ \t]+(?:default[ \t]+)?)?(?:declare[ \t]+)?(?:abstract[ \t]+|async[ \t]+|const[ \t]+)?` +
		`(?:function[ \t]*\*?|class|interface|type|enum|namespace|const|let|var)[ \t]+([\w$]+)[ \t]*[^ \t,}\w]`)
	exportDefault = regexp.MustCompile(`^(?:export[ \t]+default[ \t]|module\.exports[ \t]*=)[ \t]*([\w$]+)[ \t]*;?(?:\n|$)`)
	exportList    = regexp.MustCompile(`^(?:export(?:[ \t]+type)?|module\.exports[ \t]*=)[ \t]*\{`)
	exportMember  = regexp.MustCompile(`^(?:module\.)?exports\.([\w$]+)[ \t]*=[^=]`)
	exportStar    = regexp.MustCompile(`^export[ \t]*\*[ \t]*as[ \t]+([\w$]+)`)
	listedName    = regexp.MustCompile(`^(?:type\s+)?(?:[\w$]+\s+as\s+)?([\w$]+)\s*(?::.*)?$`)
)

// readScript reads the doc comment that is about a JavaScript or TypeScript file,
// and its declarations.
func readScript(stem, text string) (u unit) {
	u.ofFile = scriptDoc(text)
	var declared []declaration
	all := script.blank(text)
	for start, code := range statements(all) {
		if at := scriptDeclared.FindStringSubmatchIndex(code); at != nil {
			declared = append(declared, declaration{code[at[4]:at[5]], start, at[2] >= 0})
		}
		if !strings.HasPrefix(code, "export") && !strings.HasPrefix(code, "module") {
			continue
		}
		if list := exportList.FindStringIndex(code); list != nil {
			u.exportItems(all[start+list[1]:])
		}
		for _, pattern := range []*regexp.Regexp{exportDefault, exportMember, exportStar} {
			u.export(group(pattern, code))
		}
	}
	u.add(stem, declared, func(d declaration) string { return docBefore(text[:d.at]) })
	return u
}

// exportItems adds the names of the list that text begins with. The list ends
// with its brace, or before the first item that is more than a name.
func (u *unit) exportItems(text string) {
	if end := strings.IndexAny(text, "{}("); end >= 0 {
		text = text[:end]
	}
	for item := range strings.SplitSeq(text, ",") {
		u.export(group(listedName, strings.TrimSpace(item)))
	}
}

// export adds a name from a list of exports.
func (u *unit) export(name string) {
	if name != "" && name != "default" && name != "__esModule" {
		u.values = append(u.values, name)
	}
}

// ofFile marks a doc comment that is about the whole file, and ofItem one that
// is about what follows it.
var (
	ofFile = regexp.MustCompile(`@(?:module|fileoverview|file|packageDocumentation|overview)\b[ \t]*([^\n]*)`)
	ofItem = regexp.MustCompile(`@(?:params?|returns?|type|typedef|template|class|function|constructor|enum|throws|callback|internal|ts-\w+|jest-environment|vitest-environment)\b`)
)

// scriptDoc returns the first paragraph of the comment about a file: one with a
// tag of the file, or one before any code that is not about a declaration.
func scriptDoc(text string) string {
	for _, c := range docComments(text) {
		marked := ofFile.MatchString(c.text)
		if isLicense(c.text) && !marked {
			continue
		}
		if marked || c.leading && !c.attached && !ofItem.MatchString(c.text) {
			if s := firstParagraph(untagged(c.text)); s != "" {
				return s
			}
		}
	}
	return ""
}

// A docComment is the text between "/**" and "*/".
type docComment struct {
	text     string
	leading  bool // no code stands before it
	attached bool // a declaration follows in the next line
}

// maxDocComments is the most doc comments of a file that are looked at.
const maxDocComments = 16

// declaring matches the line after a comment that is about a declaration.
var declaring = regexp.MustCompile(`^[ \t]*\n?[ \t]*(?:@\w|(?:export|declare|abstract|async|const|let|var|function|class|interface|type|enum|namespace)\s+[\w$]|\w+(?:\.\w+)+\s*=)`)

// docComments returns the first doc comments of a text.
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
			comments = append(comments, docComment{withoutStars(doc), leading, declaring.MatchString(after)})
		}
		text = after
	}
	return comments
}

// maxDoc is how far before a declaration its doc comment may begin.
const maxDoc = 16 << 10

// docBefore returns the first paragraph of the doc comment that text ends with.
func docBefore(text string) string {
	text = strings.TrimRight(text[max(0, len(text)-maxDoc):], " \t\n")
	body, ok := strings.CutSuffix(text, "*/")
	at := strings.LastIndex(body, "/*")
	if !ok || at < 0 || !strings.HasPrefix(body[at:], "/**") {
		return ""
	}
	return firstParagraph(untagged(withoutStars(body[at+len("/**"):])))
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

// untagged returns the description in a doc comment: the sentence after the tag
// of the file, or the text before the first tag.
func untagged(comment string) string {
	comment = comment[:min(len(comment), maxComment)]
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
