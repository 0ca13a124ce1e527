package describe

import (
	"io/fs"
	"regexp"
	"strings"
)

// pythonSummary returns the first paragraph of the docstring of a package, or of
// the only module of a directory.
func pythonSummary(fsys fs.FS, names []string) string {
	modules := sources(names, []string{".py"}, "__init__", "__main__")
	for i, name := range modules {
		if name != "__init__.py" && name != "__main__.py" && len(modules) > 1 {
			modules = modules[:i]
			break
		}
	}
	return firstOf(modules, func(name string) string {
		prose, title := describing(plainPassages(dedent(docstring(readHead(fsys, name))), ".rst"))
		if prose == "" {
			return title
		}
		return prose
	})
}

// beforeDocstring is what may stand before a docstring: comments.
var beforeDocstring = regexp.MustCompile(`^(?:[ \t]*(?:#[^\n]*)?\n)*`)

// openingQuotes are those of a string that may be a docstring.
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
