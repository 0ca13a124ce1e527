package describe

import (
	"regexp"
	"slices"
	"strings"
)

var rust = syntax{comment: "//", blocks: true, nested: true, texts: []string{`"`}, rust: true}

var (
	rustDeclared = regexp.MustCompile(`^(pub[ \t]+)?(?:pub\([^)\n]*\)[ \t]+)?(?:(?:unsafe|async|const|default|extern[ \t]+)[ \t]+)*` +
		`(?:fn|struct|enum|trait|type|union|mod|const|static(?:[ \t]+mut)?)[ \t]+(\w+)`)
	rustMacro = regexp.MustCompile(`^macro_rules![ \t]*(\w+)`)
	rustUse   = regexp.MustCompile(`^pub[ \t]+use[ \t]+([^;]*);`)
)

// readRust reads the inner docs of a file and its items that are not in a module
// or a macro. It exports the items that are pub without bounds.
func readRust(stem, text string) (u unit) {
	u.ofFile = firstParagraph(innerDoc(text))
	var declared []declaration
	for start, code := range statements(rust.blank(text)) {
		if at := rustDeclared.FindStringSubmatchIndex(code); at != nil {
			if name := code[at[4]:at[5]]; name != "_" && name != "tests" {
				declared = append(declared, declaration{name, start, at[2] >= 0})
			}
		}
		if name := group(rustMacro, code); name != "" && strings.HasSuffix(strings.TrimRight(text[:start], " \t\n"), "#[macro_export]") {
			u.values = append(u.values, name)
		}
		u.values = append(u.values, usedNames(group(rustUse, code))...)
	}
	u.add(stem, declared, func(d declaration) string { return firstParagraph(outerDoc(text[:d.at])) })
	return u
}

// usedNames returns the names that a use of one path, or of a list of names,
// declares.
func usedNames(path string) (names []string) {
	before, list, nested := strings.Cut(path, "{")
	if !nested {
		list = before
	}
	for item := range strings.SplitSeq(strings.TrimRight(list, "} \t\n"), ",") {
		words := strings.FieldsFunc(item, func(r rune) bool { return strings.ContainsRune(": \t\n{}", r) })
		if len(words) > 0 && !slices.Contains([]string{"*", "self", "_"}, words[len(words)-1]) {
			names = append(names, words[len(words)-1])
		}
	}
	return names
}

// innerDoc returns the Markdown of the inner doc comments, "//!" or "/*!", at
// the beginning of Rust source. Attributes and other comments may stand before
// and between them.
func innerDoc(text string) string {
	var doc strings.Builder
	for text != "" {
		text = strings.TrimLeft(text, " \t\n")
		if block, ok := strings.CutPrefix(text, "/*"); ok {
			block, text, _ = strings.Cut(block, "*/")
			if inner, ok := strings.CutPrefix(block, "!"); ok {
				doc.WriteString(withoutStars(inner) + "\n")
			}
			continue
		}
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if inner, ok := strings.CutPrefix(line, "//!"); ok {
			doc.WriteString(strings.TrimPrefix(inner, " ") + "\n")
			continue
		}
		if !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "#!") {
			break
		}
	}
	return doc.String()
}

// outerDoc returns the Markdown of the doc comment lines that text ends with, and
// the attributes among them.
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

// withoutStars returns the text of a block comment without the stars that
// begin its lines.
func withoutStars(comment string) string {
	lines := strings.Split(comment, "\n")
	for i, line := range lines {
		line = strings.TrimLeft(line, " \t")
		line = strings.TrimPrefix(strings.TrimLeft(line, "*"), " ")
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}
