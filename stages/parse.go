package stages

import (
	"fmt"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/instructions"
	"github.com/contextcompiler/context/internal/markdown"
)

// A Tree is a parsed Text.
type Tree struct {
	Text
	FrontMatter document.Metadata // nil if there is none
	Warning     string            // about broken front matter or an index of the cache, or ""
	Body        markdown.Body
}

// Parse reads the front matter and the blocks of a text. Broken front matter
// is a warning; a failure here is a bug of the parser.
func Parse(source Text) (tree Tree, err error) {
	page, err := parse(source.ID, source.Content)
	if err != nil {
		return tree, fmt.Errorf("parse %s: %w", source.Path, err)
	}
	tree = Tree{Text: source, Body: page.Body}
	if instructions.HasIndex(source.Content) {
		tree.Warning = fmt.Sprintf("%s: contains an index of the pages, so each update of the index makes the cache out of date: leave this page out", source.Path)
	}
	wrong := page.Err
	if wrong == nil {
		tree.FrontMatter, wrong = decodeFrontMatter(page.FrontMatter)
	}
	if wrong != nil {
		tree.Warning = fmt.Sprintf("%s: front matter is ignored: %v", source.Path, wrong)
	}
	return tree, nil
}

// BodyOf parses the content of a document that was read from a cache. It fails with
// [fault.Internal] if the parser panics, which is a bug.
func BodyOf(id document.ID, content []byte) (markdown.Body, error) {
	page, err := parse(id, content)
	return page.Body, err
}

// parse is [markdown.Parse] or [markdown.ParseMDX], by the ID. It returns a panic as a
// [fault.Internal].
func parse(id document.ID, content []byte) (page markdown.Page, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Recovered(p)
		}
	}()
	if isMDX(id) {
		return markdown.ParseMDX(content), nil
	}
	return markdown.Parse(content), nil
}
