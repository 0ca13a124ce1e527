package describe

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

var (
	rustDeclared = lazy.Regexp(`^(pub[ \t]+)?(?:pub\([^)\n]*\)[ \t]+)?(?:(?:unsafe|async|const|default|extern[ \t]+)[ \t]+)*` +
		`(?:fn|struct|enum|trait|type|union|mod|const|static(?:[ \t]+mut)?)[ \t]+(\w+)`)
	rustImport = lazy.Regexp(`^(?:use|extern|mod|#!\[)`)
	rustMacro  = lazy.Regexp(`^macro_rules![ \t]*(\w+)`)
	rustUse    = lazy.Regexp(`^pub[ \t]+use[ \t]+([^;]*);`)
)

// readRust reads the inner docs of a file and its items, except for items in a
// module or a macro. It exports the items with an unrestricted pub.
func readRust(stem, text string) (u sourceDocs) {
	u.ofFile = cmp.Or(firstParagraph(innerDoc(text)), openingComment(text, "//", rustImport()))
	var declared []declaration
	for start, code := range statements(rust.blank(text)) {
		if at := rustDeclared().FindStringSubmatchIndex(code); at != nil {
			if name := code[at[4]:at[5]]; name != "_" && name != "tests" {
				declared = append(declared, declaration{name, start, at[2] >= 0})
			}
		}
		if name := group(rustMacro(), code); name != "" && strings.HasSuffix(strings.TrimRight(text[:start], " \t\n"), "#[macro_export]") {
			u.values = append(u.values, name)
		}
		u.values = append(u.values, usedNames(group(rustUse(), code))...)
	}
	u.add(stem, declared, func(d declaration) string { return firstParagraph(outerDoc(text[:d.at])) })
	return u
}

// usedNames returns the names declared by a use, for a path or a list of names.
func usedNames(path string) (names []string) {
	for _, match := range lastName().FindAllStringSubmatch(path, -1) {
		if match[1] != "self" && match[1] != "_" {
			names = append(names, match[1])
		}
	}
	return names
}

var lastName = lazy.Regexp(`((?:r#)?\w+)\s*(?:[,}]|$)`)

// innerDoc returns the Markdown of the inner doc comments, "//!" or "/*!", before
// the first item of Rust source.
func innerDoc(text string) string {
	var doc strings.Builder
	for _, m := range innerDocs().FindAllStringSubmatch(beforeItems().FindString(text), -1) {
		doc.WriteString(m[1] + withoutStars(m[2]) + "\n")
	}
	return doc.String()
}

var (
	beforeItems = lazy.Regexp(`^(?:\s+|//[^\n]*|/\*(?s:.*?)\*/|#![^\n]*)*`)
	innerDocs   = lazy.Regexp(`//! ?([^\n]*)|//[^\n]*|/\*!(?s:(.*?))\*/|/\*(?s:.*?)\*/`)
)

// outerDoc returns the Markdown of the doc comment lines at the end of text. There
// may be attributes between them.
func outerDoc(text string) string {
	var lines []string
	for {
		text = strings.TrimSuffix(text, "\n")
		line := text[strings.LastIndexByte(text, '\n')+1:]
		doc, ok := strings.CutPrefix(line, "///")
		if !ok && !strings.HasPrefix(line, "#[") {
			slices.Reverse(lines)
			return strings.Join(lines, "\n")
		}
		if ok {
			lines = append(lines, strings.TrimPrefix(doc, " "))
		}
		text = text[:len(text)-len(line)]
	}
}

func withoutStars(comment string) string { return stars().ReplaceAllString(comment, "") }

var stars = lazy.Regexp(`(?m)^[ \t]*\** ?`)
