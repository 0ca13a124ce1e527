package stages

import (
	"bytes"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/markdown"
)

// IsDraft reports whether the front matter of a text says that the page is not published:
// draft: true, as for Hugo, Docusaurus and Astro, or published: false, as for Jekyll.
// Broken front matter says nothing.
func IsDraft(text Text) bool {
	yaml, _, err := markdown.SplitFrontMatter(text.Content)
	if err != nil || !bytes.Contains(yaml, []byte("draft")) && !bytes.Contains(yaml, []byte("published")) {
		return false // to decode it takes longer
	}
	metadata, err := decodeFrontMatter(yaml)
	return err == nil && (says(metadata["draft"], "true", "yes", "on") || says(metadata["published"], "false", "no", "off"))
}

// says reports whether a value is one of some spellings of a boolean, those of YAML 1.1.
func says(value document.Value, spellings ...string) bool {
	for _, spelling := range spellings {
		if strings.EqualFold(value.String(), spelling) {
			return true
		}
	}
	return false
}
