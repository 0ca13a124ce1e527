package stages

import (
	"bytes"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// IsDraft reports whether front matter marks a page as unpublished: draft: true, as in
// Hugo, Docusaurus and Astro, or published: false, as in Jekyll. Broken front matter marks
// nothing.
func IsDraft(text Text) bool {
	fields, _, err := markdown.SplitFrontMatter(text.Content)
	if err != nil || !bytes.Contains(fields, []byte("draft")) && !bytes.Contains(fields, []byte("published")) {
		return false // decoding would take longer
	}
	metadata, err := decodeFrontMatter(fields)
	return err == nil && (says(metadata["draft"], "true", "yes", "on") || says(metadata["published"], "false", "no", "off"))
}

// says reports whether a value is one of the given spellings of a boolean, as in YAML 1.1.
func says(value document.Value, spellings ...string) bool {
	for _, spelling := range spellings {
		if strings.EqualFold(value.String(), spelling) {
			return true
		}
	}
	return false
}
