package stages

import (
	"bytes"
	"maps"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/markdown"
)

// A Draft is a document that has no version yet.
type Draft struct {
	ID       document.ID
	Source   string
	Content  []byte
	Metadata document.Metadata
}

// Normalize gives a tree its metadata: title, byte_size, line_count, markdown for the
// pages of a mount of MDX, and the keys of its front matter, which win.
func Normalize(tree Tree) Draft {
	metadata := document.Metadata{
		"byte_size":  document.Number(int64(len(tree.Content))),
		"line_count": document.Number(countLines(tree.Content)),
	}
	if title := firstTitle(tree.Body.Blocks); title != "" {
		metadata["title"] = document.Text(title)
	}
	if tree.IsMountedAsMDX() {
		metadata[dialectKey] = document.Text(mdx)
	}
	maps.Copy(metadata, tree.FrontMatter)
	return Draft{tree.ID, tree.Path, tree.Content, metadata}
}

// firstTitle returns the first heading of level 1 that is not empty.
func firstTitle(blocks []markdown.Block) string {
	for _, b := range blocks {
		if b.Level == 1 && b.Title != "" {
			return b.Title
		}
	}
	return ""
}

// countLines counts line feeds, and a last line that has none.
func countLines(content []byte) int64 {
	n := int64(bytes.Count(content, []byte("\n")))
	if len(content) > 0 && content[len(content)-1] != '\n' {
		n++
	}
	return n
}
