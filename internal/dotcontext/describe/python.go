package describe

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/lazy"
)

var (
	pythonDeclared = lazy.Regexp(`^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)`)
	pythonAll      = lazy.Regexp(`^__all__[^=\n]*=[ \t]*[\[(]([^\])]*)[\])]`)
	pythonImport   = lazy.Regexp(`^(?:import|from)\b`)
	pythonName     = lazy.Regexp(`["'](\w+)["']`)
)

// readPython reads the docstring of a module and its functions and classes. It
// exports the names in __all__. Without __all__, it exports all names but the ones
// with an underscore at the beginning.
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

// maxSignature is the most bytes between a name and the body of its function.
const maxSignature = 4 << 10

// pythonBody returns the text after the signature that begins at an offset.
func pythonBody(text, code string, at int) string {
	if end := strings.Index(code[at:min(len(code), at+maxSignature)], ":\n"); end >= 0 {
		return text[at+end+2:]
	}
	return ""
}

// docstringSentence returns the first paragraph of the docstring that text begins
// with.
func docstringSentence(text string) string {
	doc := docstring(text)
	prose, title := describing(plainPassages(dedent(doc[:min(len(doc), maxText)])))
	return sentence(cmp.Or(prose, title))
}

// beforeDocstring is comments, and the prefix of a string.
var beforeDocstring = lazy.Regexp(`^(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*[uUrR]?`)

var pythonEscapes = strings.NewReplacer("\\\n", "", `\\`, `\`, `\"`, `"`, `\'`, "'", `\n`, "\n")

// docstring returns the text of the string with which Python source begins.
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

// dedent takes from every line the indentation of the second one: the first stands
// beside the quotes.
func dedent(doc string) string {
	doc = strings.TrimSpace(doc)
	return strings.ReplaceAll(doc, "\n"+group(secondLine(), doc), "\n")
}
