package stages

import (
	"bytes"
	"maps"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// Normalize returns the document of a tree, without its version. The metadata are title,
// byte_size, line_count, markdown for pages of MDX mounts, and what the converter found in a
// converted page. If the front matter contains the same keys, it wins. Only the keys that tell
// how a page was converted stay.
func Normalize(tree Tree) document.Document {
	metadata := document.Metadata{}
	tree.Conversion.addTo(metadata)
	metadata["byte_size"] = document.Number(int64(len(tree.Content)))
	metadata["line_count"] = document.Number(countLines(tree.Content))
	if title := firstTitle(tree.Body.Blocks); title != "" {
		metadata["title"] = document.Text(title)
	}
	if tree.IsMountedAsMDX() {
		metadata[DialectKey] = document.Text(mdx)
	}
	maps.Copy(metadata, tree.FrontMatter)
	tree.Conversion.mark(metadata)
	return document.Document{ID: tree.ID, Source: tree.Path, Content: tree.Content, Metadata: metadata}
}

// firstTitle returns the first nonempty heading of level 1.
func firstTitle(blocks []markdown.Block) string {
	for _, b := range blocks {
		if b.Level == 1 && b.Title != "" {
			return b.Title
		}
	}
	return ""
}

// countLines counts line feeds, and a last line without a line feed.
func countLines(content []byte) int64 {
	n := int64(bytes.Count(content, []byte("\n")))
	if len(content) > 0 && content[len(content)-1] != '\n' {
		n++
	}
	return n
}
