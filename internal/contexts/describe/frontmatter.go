package describe

import (
	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// headField is a line with a field of front matter: title: "x" or title = "x".
var headField = lazy.Regexp(`(?m)^(title|description)[ \t]*[:=][ \t]*(.+)$`)

// splitFrontMatter removes the front matter from a text and returns its title and
// description. Front matter without an end is text.
func splitFrontMatter(text string) (head map[string]string, body string) {
	head = map[string]string{}
	fields, end, _ := markdown.SplitFrontMatter([]byte(text))
	for _, m := range headField().FindAllStringSubmatch(string(fields), -1) {
		var scalar string
		if len(m[2]) <= maxComment && yaml.Unmarshal([]byte(m[2]), &scalar) == nil && scalar != "|" && scalar != ">" {
			head[m[1]] = oneLine(scalar)
		}
	}
	return head, text[end:]
}
