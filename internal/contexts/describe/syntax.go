package describe

import (
	"regexp"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// A syntax finds the comments and declarations of a language without a parser. Since
// patterns are slow, they only read lines at the top level that may match.
type syntax struct {
	begins   string                // the first characters of spans and literals
	spans    []delimiter           // comments and strings
	literal  func() *regexp.Regexp // another string within a line, or nil
	imports  func() *regexp.Regexp // a line of imports, or of exports without a name
	declared func() *regexp.Regexp // a declaration on a line: the name of an export, or another name
	exported func() *regexp.Regexp // a list of exported names in any of its groups

	docstrings bool // documentation is a string after the declaration instead of a comment before it
}

// A delimiter begins and ends a comment or a string. A span without an end includes the rest of
// the text.
type delimiter struct {
	open, close string
	escapes     bool // a backslash hides the next character
	isLine      bool // it ends with its line at the latest
}

var (
	python = syntax{
		begins: `#"'`,
		spans: []delimiter{
			{open: "#", close: "\n"}, quoted(`"""`), quoted("'''"), quotedLine(`"`), quotedLine("'"),
		},
		imports:    lazy.Regexp(`^(?:import|from)\b`),
		declared:   lazy.Regexp(`^(?:async[ \t]+)?(?:def|class)[ \t]+(?:([\pL\pN]\w*)|(\w+))`),
		exported:   lazy.Regexp(`^__all__[^=\n]*=[ \t]*[\[(]([^\])]*)`),
		docstrings: true,
	}
	rust = syntax{ // a comment in a comment ends both, which is rare and costs a few words
		begins: `/"'r`,
		spans: []delimiter{
			{open: "//", close: "\n"},
			{open: "/*", close: "*/"},
			quoted(`"`),
			{open: `r"`, close: `"`},
			{open: `r#"`, close: `"#`},
			{open: `r##"`, close: `"##`},
		},
		literal:  lazy.Regexp(`^'(?:\\[^\n][^'\n]{0,10}|[^\\'\n])'`), // a lifetime has one quote
		imports:  lazy.Regexp(`^(?:use|extern|mod|#!\[)`),
		declared: lazy.Regexp(`^(?:pub[ \t]+` + rustItem + `|(?:pub\([^)\n]*\)[ \t]+)?` + rustItem + `)`),
		exported: lazy.Regexp(`^(?:pub[ \t]+use[ \t]+([^;]*)|#\[macro_export\][ \t]*\nmacro_rules![ \t]*(\w+))`),
	}
	script = syntax{
		begins: "/\"'`",
		spans: []delimiter{
			{open: "//", close: "\n"}, {open: "/*", close: "*/"}, quoted("`"), quotedLine(`"`), quotedLine("'"),
		},
		literal:  lazy.Regexp(`^/(?:\\.|\[(?:\\.|[^\]\\\n])*\]?|[^/\\\[\n])+/?`), // a regular expression
		imports:  lazy.Regexp(`^(?:import\b|export\s*[*{]|export\s+default\s*[{(\[]|module\.exports\s*=|require\(|(?:const|let|var)\b.*\brequire\()`),
		declared: lazy.Regexp(`^(?:export[ \t]+(?:default[ \t]+)?` + scriptItem + `|` + scriptItem + `)`),
		exported: lazy.Regexp(`^(?:(?:export(?:[ \t]+type)?|module\.exports[ \t]*=)[ \t]*\{([^{}(]*)|` +
			`(?:export[ \t]+default[ \t]|module\.exports[ \t]*=)[ \t]*([\w$]+)[ \t]*;?(?m:$)|` +
			`(?:module\.)?exports\.([\w$]+)[ \t]*=[^=]|export[ \t]*\*[ \t]*as[ \t]+([\w$]+))`),
	}
)

func quoted(quote string) delimiter { return delimiter{quote, quote, true, false} }

func quotedLine(quote string) delimiter { return delimiter{quote, quote, true, true} }

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
	if u.ofFile == "" {
		u.ofFile = s.openingComment(text)
	}
	code := s.code(text)
	var declared []declaration
	at, next, listEnd := 0, 0, 0
	for line := range strings.Lines(code) {
		at, next = next, next+len(line)
		if c := line[0]; (c < 'a' || 'z' < c) && c != '_' && c != '#' {
			continue
		}
		if m := s.declared().FindStringSubmatchIndex(line); m != nil {
			end := max(m[3], m[5])
			d := declaration{name: line[max(m[2], m[4]):end], at: at, end: at + end, exported: m[2] >= 0}
			if s.docstrings || !slices.Contains(nameless, d.name) {
				declared = append(declared, d)
			}
		}
		if at < listEnd {
			continue
		}
		m := s.exported().FindStringSubmatchIndex(code[at:])
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				u.values = append(u.values, listedNames(code[at+m[i]:at+m[i+1]], text[at+m[i]:at+m[i+1]])...)
				listEnd = at + m[1]
			}
		}
	}
	for i := range declared {
		if d := &declared[i]; s.docstrings { // a private module exports nothing, and a list decides
			d.exported = d.exported && (stem == "__init__" || stem[0] != '_') && (u.values == nil || slices.Contains(u.values, d.name))
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
	for start, at := 0, 0; ; {
		next := strings.IndexAny(text[at:], s.begins)
		if next < 0 {
			return string(code)
		}
		at += next
		size, _ := s.span(text[at:])
		if size == 0 && s.literal != nil && (text[at] != '/' || endsNoOperand(text[start:at])) {
			line, _, _ := strings.Cut(text[at:], "\n")
			size = len(s.literal().FindString(line))
		}
		if size == 0 {
			at++
			continue
		}
		for i := at; i < at+size; i++ {
			if code[i] != '\n' {
				code[i] = ' '
			}
		}
		at += size
		start = at
	}
}

// span returns the length of the comment or string at the beginning of text, or 0, and what
// is between its delimiters if it has an end.
func (s *syntax) span(text string) (size int, inner string) {
	which := slices.IndexFunc(s.spans, func(d delimiter) bool { return strings.HasPrefix(text, d.open) })
	if which < 0 {
		return 0, ""
	}
	d := s.spans[which]
	for i := len(d.open); i < len(text); i++ {
		switch {
		case d.escapes && text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], d.close):
			return i + len(d.close), text[len(d.open):i]
		case d.isLine && text[i] == '\n':
			return i, ""
		}
	}
	return len(text), ""
}

// endsNoOperand reports whether a slash after code begins a pattern, because there is nothing
// to divide.
func endsNoOperand(code string) bool {
	before := strings.TrimRight(code, " \t\n\f\r")
	return before != "" && strings.IndexByte("(,=:[!&|?{};+-*%~^<>", before[len(before)-1]) >= 0
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

// beforeDocstring is comments and the prefix of a string.
var beforeDocstring = lazy.Regexp(`^(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*([uUrR]?)["']`)

var pythonEscapes = strings.NewReplacer("\\\n", "", `\\`, `\`, `\"`, `"`, `\'`, "'", `\n`, "\n")

// docstring returns the first paragraph of the string at the beginning of Python source.
func docstring(text string) string {
	text = text[:min(len(text), maxText)]
	m := beforeDocstring().FindStringSubmatchIndex(text)
	if m == nil {
		return ""
	}
	_, doc := python.span(text[m[3]:])
	doc = strings.TrimSpace(doc)
	if !strings.EqualFold(text[m[2]:m[3]], "r") {
		doc = pythonEscapes.Replace(doc)
	}
	// The first line is next to the quotes, so the second line shows the indentation.
	return firstParagraph(restructured(strings.ReplaceAll(doc, "\n"+group(secondLine(), doc), "\n")))
}

// secondLine matches up to the second line that is not blank.
var secondLine = lazy.Regexp(`\n(?:[ \t]*\n)*([ \t]*)\S`)
