package describe

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

var python = syntax{comment: "#", texts: []string{`"""`, `'''`}, lines: []string{`"`, "'"}}

var (
	pythonDeclared = regexp.MustCompile(`^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)`)
	pythonAll      = regexp.MustCompile(`^__all__[^=\n]*=[ \t]*[\[(]([^\])]*)[\])]`)
	pythonName     = regexp.MustCompile(`["'](\w+)["']`)
)

// readPython reads the docstring of a module and its functions and classes. The
// exported names are the ones in __all__. Without __all__, they are the ones that
// do not begin with an underscore.
func readPython(stem, text string) (u unit) {
	u.ofFile = docstringSentence(text)
	code := python.blank(text)
	var all []string
	var declared []declaration
	for start, statement := range statements(code) {
		if at := pythonAll.FindStringSubmatchIndex(statement); at != nil {
			all = groups(pythonName, text[start+at[2]:start+at[3]])
		}
		if at := pythonDeclared.FindStringSubmatchIndex(statement); at != nil {
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

// pythonBody returns the text after the line with the colon that ends the
// signature at an offset.
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

// beforeDocstring is what may stand before a docstring: comments.
var beforeDocstring = regexp.MustCompile(`^(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*`)

// openingQuotes begin a string that may be a docstring.
var openingQuotes = regexp.MustCompile(`^([uUrR]?)("""|'''|"|')`)

// docstring returns the text of the string with which Python source begins.
func docstring(text string) string {
	text = text[len(beforeDocstring.FindString(text)):]
	match := openingQuotes.FindStringSubmatch(text)
	if match == nil {
		return ""
	}
	body, quotes := text[len(match[0]):], match[2]
	end := closingQuotes(body, quotes)
	if end < 0 || len(quotes) == 1 && strings.Contains(body[:end], "\n") {
		return ""
	}
	if strings.EqualFold(match[1], "r") {
		return body[:end]
	}
	return strings.NewReplacer("\\\n", "", `\\`, `\`, `\"`, `"`, `\'`, "'", `\n`, "\n").Replace(body[:end])
}

// closingQuotes returns where the string ends that body begins in, -1 if it
// does not.
func closingQuotes(body, quotes string) int {
	for i := 0; i < len(body); i++ {
		switch {
		case body[i] == '\\':
			i++
		case strings.HasPrefix(body[i:], quotes):
			return i
		}
	}
	return -1
}

// dedent takes from every line the indentation of the second one that is not
// blank: the first stands beside the quotes.
func dedent(doc string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(doc), "\n")
	lines := strings.Split(rest, "\n")
	indent := ""
	for _, line := range lines {
		if trimmed := strings.TrimLeft(line, " \t"); trimmed != "" {
			indent = line[:len(line)-len(trimmed)]
			break
		}
	}
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, indent)
	}
	return first + "\n" + strings.Join(lines, "\n")
}
