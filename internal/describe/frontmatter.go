package describe

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// splitFrontMatter takes YAML or TOML off the beginning of a text and returns
// its title and description if these stand on a line of their own each. Front
// matter that does not end is text.
func splitFrontMatter(text string) (head map[string]string, body string) {
	first, rest, _ := strings.Cut(text, "\n")
	fence := strings.TrimRight(first, " \t")
	second, _, _ := strings.Cut(rest, "\n")
	if fence != "---" && fence != "+++" || second != fence && !strings.ContainsAny(second, ":=") {
		return nil, text // a line between paragraphs, perhaps
	}
	head = map[string]string{}
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		line = strings.TrimRight(line, " \t")
		if line == fence || fence == "---" && line == "..." {
			return head, rest
		}
		addField(head, line)
	}
	return nil, text
}

// addField adds what a line of front matter says: `title: "x"`, `title = "x"`.
func addField(head map[string]string, line string) {
	name, value, ok := strings.Cut(line, ":")
	if toml, after, equals := strings.Cut(line, "="); equals && (!ok || len(toml) < len(name)) {
		name, value = toml, after
	}
	name = strings.TrimRight(name, " \t")
	if name != "title" && name != "description" || len(value) > maxParagraph {
		return
	}
	var scalar string
	if yaml.Unmarshal([]byte(strings.TrimSpace(value)), &scalar) == nil && scalar != "|" && scalar != ">" {
		head[name] = oneLine(scalar)
	}
}
