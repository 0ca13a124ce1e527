package stages

import (
	"fmt"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/markdown"
)

// A Tree is a parsed Text.
type Tree struct {
	Text
	FrontMatter document.Metadata // nil if there is none
	Warning     string            // about broken front matter, or ""
	Blocks      []markdown.Block  // in order; together they are all but the front matter
}

// Parse reads the front matter and the blocks of a text. Broken front matter
// is a warning; a failure here is a bug of the parser.
func Parse(source Text) (tree Tree, err error) {
	page, err := parse(source.Content)
	if err != nil {
		return tree, fmt.Errorf("parse %s: %w", source.Path, err)
	}
	tree = Tree{Text: source, Blocks: page.Blocks}
	wrong := page.Err
	if wrong == nil {
		tree.FrontMatter, wrong = decodeFrontMatter(page.FrontMatter)
	}
	if wrong != nil {
		tree.Warning = fmt.Sprintf("%s: front matter is ignored: %v", source.Path, wrong)
	}
	return tree, nil
}

// BlocksOf parses the content of a document that was read from a cache. It fails with
// [fault.Internal] if the parser panics, which is a bug.
func BlocksOf(content []byte) ([]markdown.Block, error) {
	page, err := parse(content)
	return page.Blocks, err
}

// parse is [markdown.Parse] that returns a panic as a [fault.Internal].
func parse(content []byte) (page markdown.Page, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Recovered(p)
		}
	}()
	return markdown.Parse(content), nil
}
