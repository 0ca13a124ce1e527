package describe

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// A syntax finds the comments and declarations of a language without a parser.
type syntax struct {
	begins   string                // the first characters of opaque
	opaque   func() *regexp.Regexp // a comment or a string; only its group if there is one
	imports  func() *regexp.Regexp // a line of imports, or of exports without a name
	declared func() *regexp.Regexp // a declaration: the name of an export, or another name
	exported func() *regexp.Regexp // a list of exported names in any of its groups

	docstrings bool // docs are strings after what they are about, instead of comments before it
}

var (
	python = syntax{
		begins:     `#"'`,
		opaque:     lazy.Regexp(`^(?:#[^\n]*|"""(?s:(?:\\.|[^\\])*?)(?:"""|\z)|'''(?s:(?:\\.|[^\\])*?)(?:'''|\z)|"(?s:\\.|[^"\\\n])*"?|'(?s:\\.|[^'\\\n])*'?)`),
		imports:    lazy.Regexp(`^(?:import|from)\b`),
		declared:   lazy.Regexp(`(?m)^(?:async[ \t]+)?(?:def|class)[ \t]+(?:([\pL\pN]\w*)|(\w+))`),
		exported:   lazy.Regexp(`(?m)^__all__[^=\n]*=[ \t]*[\[(]([^\])]*)`),
		docstrings: true,
	}
	rust = syntax{ // a comment in a comment ends both, which is rare and costs a few words
		begins: `/"'r`,
		opaque: lazy.Regexp(`^(?://[^\n]*|/\*(?s:.*?)(?:\*/|\z)|r"[^"]*"?|r#"(?s:.*?)(?:"#|\z)|r##"(?s:.*?)(?:"##|\z)|"(?s:\\.|[^"\\])*"?|` +
			`'(?:\\[^\n][^'\n]{0,10}|[^\\'\n])')`), // a lifetime has one quote
		imports:  lazy.Regexp(`^(?:use|extern|mod|#!\[)`),
		declared: lazy.Regexp(`(?m)^(?:pub[ \t]+` + rustItem + `|(?:pub\([^)\n]*\)[ \t]+)?` + rustItem + `)`),
		exported: lazy.Regexp(`(?m)^pub[ \t]+use[ \t]+([^;]*)|^#\[macro_export\][ \t]*\nmacro_rules![ \t]*(\w+)`),
	}
	script = syntax{
		begins: "/\"'`(,=:[!&|?{};+-*%~^<>",
		opaque: lazy.Regexp("^(?://[^\n]*|/\\*(?s:.*?)(?:\\*/|\\z)|`(?s:\\\\.|[^`\\\\])*`?|\"(?s:\\\\.|[^\"\\\\\n])*\"?|'(?s:\\\\.|[^'\\\\\n])*'?|" +
			// A slash after an operator begins a pattern, because there is nothing to divide.
			`[(,=:\[!&|?{};+\-*%~^<>]\s*(/(?:\\.|\[(?:\\.|[^\]\\\n])*\]?|[^/*\\\[\n])(?:\\.|\[(?:\\.|[^\]\\\n])*\]?|[^/\\\[\n])*/?))`),
		imports:  lazy.Regexp(`^(?:import\b|export\s*[*{]|export\s+default\s*[{(\[]|module\.exports\s*=|require\(|(?:const|let|var)\b.*\brequire\()`),
		declared: lazy.Regexp(`(?m)^(?:export[ \t]+(?:default[ \t]+)?` + scriptItem + `|` + scriptItem + `)`),
		exported: lazy.Regexp(`(?m)^(?:export(?:[ \t]+type)?|module\.exports[ \t]*=)[ \t]*\{([^{}(]*)|` +
			`^(?:export[ \t]+default[ \t]|module\.exports[ \t]*=)[ \t]*([\w$]+)[ \t]*;?$|` +
			`^(?:module\.)?exports\.([\w$]+)[ \t]*=[^=]|^export[ \t]*\*[ \t]*as[ \t]+([\w$]+)`),
	}
)

const (
	rustItem = `(?:(?:unsafe|async|const|default|extern[ \t]+)[ \t]+)*` +
		`(?:fn|struct|enum|trait|type|union|mod|const|static(?:[ \t]+mut)?)[ \t]+(\w+)`
	scriptItem = `(?:declare[ \t]+)?(?:abstract[ \t]+|async[ \t]+|const[ \t]+)?` +
		`(?:function[ \t]*\*?|class|interface|type|enum|namespace|const|let|var)[ \t]+([\w$]+)[ \t]*[^ \t,}\w]`
)

// read reads the comment about a file and its declarations at the top level.
func (s *syntax) read(stem, text string) (u sourceDocs) {
	if s.docstrings {
		u.ofFile = docstring(text)
	}
	u.ofFile = cmp.Or(u.ofFile, s.openingComment(text))
	code := s.code(text)
	for _, m := range s.exported().FindAllStringSubmatchIndex(code, -1) {
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				u.values = append(u.values, listedNames(code[m[i]:m[i+1]], text[m[i]:m[i+1]])...)
			}
		}
	}
	var declared []declaration
	for _, m := range s.declared().FindAllStringSubmatchIndex(code, -1) {
		d := declaration{at: m[0], exported: m[2] >= 0}
		d.name, d.end = code[max(m[2], m[4]):max(m[3], m[5])], max(m[3], m[5])
		if s.docstrings { // a private module exports nothing, and a list decides
			d.exported = d.exported && (stem == "__init__" || stem[0] != '_') && (u.values == nil || slices.Contains(u.values, d.name))
		}
		if s.docstrings || !slices.Contains(nameless, d.name) {
			declared = append(declared, d)
		}
	}
	u.add(stem, declared, func(d declaration) string {
		if !s.docstrings {
			return commentBefore(text[:d.at])
		}
		if end := strings.Index(code[d.end:min(len(code), d.end+maxSignature)], ":\n"); end >= 0 {
			return docstring(text[d.end+end+2:])
		}
		return ""
	})
	u.values = slices.DeleteFunc(u.values, func(name string) bool {
		return slices.Contains(u.exported, name) || !s.docstrings && slices.Contains(nameless, name)
	})
	return u
}

// maxSignature bounds the bytes between a name and the body of its function.
const maxSignature = 4 << 10

// code returns text with spaces instead of comments and strings, so that lines and
// offsets stay the same.
func (s *syntax) code(text string) string {
	code := []byte(text)
	for at := 0; ; {
		next := strings.IndexAny(text[at:], s.begins)
		if next < 0 {
			return string(code)
		}
		at += next
		m := s.opaque().FindStringSubmatchIndex(text[at:])
		if m == nil {
			at++
			continue
		}
		start, end := m[len(m)-2], m[len(m)-1]
		if start < 0 {
			start, end = 0, m[1]
		}
		for i := at + start; i < at+end; i++ {
			if code[i] != '\n' {
				code[i] = ' '
			}
		}
		at += end
	}
}

// listedNames returns the names in a list of exports. Python quotes them, so they are missing
// in code.
func listedNames(code, text string) (names []string) {
	pattern := listedName()
	if strings.Trim(code, ", \t\n") == "" {
		code, pattern = text, quotedName()
	}
	for _, m := range pattern.FindAllStringSubmatch(code, -1) {
		names = append(names, m[1])
	}
	return names
}

var (
	quotedName = lazy.Regexp(`["'](\w+)["']`)
	listedName = lazy.Regexp(`([\w$]+)\s*(?::[^:,{}][^,{}]*)?(?:[,}]|$)`)
)

// nameless are words in place of an exported name.
var nameless = []string{"_", "default", "self", "tests", "__esModule"}

// docString is the string at the beginning of Python source, after comments.
var docString = lazy.Regexp(`^(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*([uUrR]?)` +
	`(?:"""((?s:\\.|[^\\])*?)"""|'''((?s:\\.|[^\\])*?)'''|"((?s:\\.|[^"\\\n])*)"|'((?s:\\.|[^'\\\n])*)')`)

var pythonEscapes = strings.NewReplacer("\\\n", "", `\\`, `\`, `\"`, `"`, `\'`, "'", `\n`, "\n")

// docstring returns the first paragraph of the string at the beginning of Python source.
func docstring(text string) string {
	m := docString().FindStringSubmatch(text[:min(len(text), maxText)])
	if m == nil {
		return ""
	}
	doc := strings.TrimSpace(strings.Join(m[2:], ""))
	if !strings.EqualFold(m[1], "r") {
		doc = pythonEscapes.Replace(doc)
	}
	// The first line is next to the quotes, so the second line shows the indentation.
	return firstParagraph(restructured(strings.ReplaceAll(doc, "\n"+group(secondLine(), doc), "\n")))
}

// secondLine matches up to the second line that is not blank.
var secondLine = lazy.Regexp(`\n(?:[ \t]*\n)*([ \t]*)\S`)
