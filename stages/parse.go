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
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("parse %s: %w", source.Path, fault.Recovered(p))
		}
	}()
	page := markdown.Parse(source.Content)
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
