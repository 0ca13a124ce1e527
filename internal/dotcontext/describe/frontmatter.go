package describe

import (
	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/lazy"
)

// frontMatter is YAML or TOML at the beginning of a page. Its first line has a
// field: other text may begin with a rule.
var frontMatter = lazy.Regexp(`(?s)^(?:---[ \t]*\n(?:[^\n]*[:=].*?\n)??(?:---|\.\.\.)|\+\+\+[ \t]*\n(?:[^\n]*[:=].*?\n)??\+\+\+)[ \t]*(?:\n|$)`)

// headField is a line with a field of front matter: title: "x", title = "x".
var headField = lazy.Regexp(`(?m)^(title|description)[ \t]*[:=][ \t]*(.+)$`)

// splitFrontMatter takes the front matter off a text and returns its title and
// description. Front matter that does not end is text.
func splitFrontMatter(text string) (head map[string]string, body string) {
	head = map[string]string{}
	matter := frontMatter().FindString(text)
	for _, m := range headField().FindAllStringSubmatch(matter, -1) {
		var scalar string
		if len(m[2]) <= maxParagraph && yaml.Unmarshal([]byte(m[2]), &scalar) == nil && scalar != "|" && scalar != ">" {
			head[m[1]] = oneLine(scalar)
		}
	}
	return head, text[len(matter):]
}
