package stages

import (
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// DialectKey is the metadata key that decides whether a page is MDX or Markdown. Builds set
// it for the pages of MDX mounts, and front matter can set it for any page.
const DialectKey = "markdown"

// The dialects.
const (
	mdx = "mdx"
	md  = "md"
)

// isMDX reports whether a page is MDX, either by its metadata or by its extension.
func isMDX(id document.ID, metadata document.Metadata) bool {
	switch metadata[DialectKey].String() {
	case mdx:
		return true
	case md:
		return false
	}
	return strings.HasSuffix(string(id), ".mdx")
}

// isMDX reports whether the source is MDX, given its front matter.
func (t Text) isMDX(frontMatter document.Metadata) bool {
	if _, isGiven := frontMatter[DialectKey]; !isGiven && t.IsMountedAsMDX() {
		return true
	}
	return isMDX(t.ID, frontMatter)
}

// IsNormalizedTo reports whether [Normalize] would read the text in the same dialect as a
// document with this metadata and the same content. No key of it matters except DialectKey.
func (t Text) IsNormalizedTo(metadata document.Metadata) bool {
	dialect, isGiven := metadata[DialectKey]
	switch {
	case t.IsMountedAsMDX():
		return isGiven
	case dialect.String() != mdx:
		return true // only front matter can change the dialect
	}
	fields, _, err := markdown.SplitFrontMatter(t.Content)
	if err != nil {
		return false
	}
	frontMatter, err := decodeFrontMatter(fields)
	return err == nil && frontMatter[DialectKey] == dialect
}
