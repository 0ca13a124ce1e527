package describe

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

var (
	pythonDeclared = lazy.Regexp(`^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)`)
	pythonAll      = lazy.Regexp(`^__all__[^=\n]*=[ \t]*[\[(]([^\])]*)[\])]`)
	pythonImport   = lazy.Regexp(`^(?:import|from)\b`)
	pythonName     = lazy.Regexp(`["'](\w+)["']`)
)

// readPython reads the docstring of a module and its functions and classes. The
// names in __all__ are exported. Without __all__, all names are, unless they begin
// with an underscore.
func readPython(stem, text string) (u sourceDocs) {
	u.ofFile = cmp.Or(docstringSentence(text), openingComment(text, "#", pythonImport()))
	code := python.blank(text)
	var all []string
	var declared []declaration
	for start, statement := range statements(code) {
		if at := pythonAll().FindStringSubmatchIndex(statement); at != nil {
			for _, match := range pythonName().FindAllStringSubmatch(text[start+at[2]:start+at[3]], -1) {
				all = append(all, match[1])
			}
		}
		if at := pythonDeclared().FindStringSubmatchIndex(statement); at != nil {
			declared = append(declared, declaration{name: statement[at[2]:at[3]], at: start + at[3]})
		}
	}
	for i, d := range declared {
		public := !strings.HasPrefix(d.name, "_") && (all == nil || slices.Contains(all, d.name))
		declared[i].exported = public && (stem == "__init__" || !strings.HasPrefix(stem, "_"))
	}
	u.add(stem, declared, func(d declaration) string { return docstringSentence(pythonBody(text, code, d.at)) })
	u.values = slices.DeleteFunc(all, func(name string) bool { return slices.Contains(u.exported, name) })
	return u
}

// maxSignature bounds the bytes between a name and the body of its function.
const maxSignature = 4 << 10

// pythonBody returns the text after the signature at an offset.
func pythonBody(text, code string, at int) string {
	if end := strings.Index(code[at:min(len(code), at+maxSignature)], ":\n"); end >= 0 {
		return text[at+end+2:]
	}
	return ""
}

// docstringSentence returns the first paragraph of the docstring at the beginning
// of text.
func docstringSentence(text string) string {
	doc := docstring(text)
	prose, title := describing(plainPassages(dedent(doc[:min(len(doc), maxText)])))
	return sentence(cmp.Or(prose, title))
}

// beforeDocstring is comments and the prefix of a string.
var beforeDocstring = lazy.Regexp(`^(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*[uUrR]?`)

var pythonEscapes = strings.NewReplacer("\\\n", "", `\\`, `\`, `\"`, `"`, `\'`, "'", `\n`, "\n")

// docstring returns the text of the string at the beginning of Python source.
func docstring(text string) string {
	before := beforeDocstring().FindString(text)
	text = text[len(before):]
	for _, p := range python.spans {
		if !strings.HasPrefix(text, p.open) {
			continue
		}
		body, closed := strings.CutSuffix(text[len(p.open):p.size(text)], p.close)
		switch {
		case !closed:
			return ""
		case strings.HasSuffix(strings.ToLower(before), "r"):
			return body
		}
		return pythonEscapes.Replace(body)
	}
	return ""
}

// secondLine matches up to the second line that is not blank.
var secondLine = lazy.Regexp(`\n(?:[ \t]*\n)*([ \t]*)\S`)

// dedent removes the indentation of the second line from every line, because the
// first line is next to the quotes.
func dedent(doc string) string {
	doc = strings.TrimSpace(doc)
	return strings.ReplaceAll(doc, "\n"+group(secondLine(), doc), "\n")
}
