package stages

import (
	"fmt"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/pages/instructions"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// A Tree is a parsed Text.
type Tree struct {
	Text
	FrontMatter document.Metadata // nil without front matter

	// Warning is about broken front matter, an index of the cache or a pointer, or "". Caches store
	// it, so other words make other caches.
	Warning string
	Body    markdown.Body
}

// PointerWarning follows the path of a page in the Warning of a tree.
const PointerWarning = ": a Git LFS pointer, so its text is missing"

// Parse reads the front matter and blocks of a text. Broken front matter only causes a
// warning.
func Parse(source Text) (tree Tree) {
	isMDX := source.isMDX(nil)
	page := parse(source.Content, isMDX)
	wrong := page.Err
	if wrong == nil {
		tree.FrontMatter, wrong = decodeFrontMatter(page.FrontMatter)
	}
	if source.isMDX(tree.FrontMatter) != isMDX { // rare, so the first parse is seldom wasted
		page = parse(source.Content, !isMDX)
	}
	tree.Text, tree.Body = source, page.Body
	if instructions.HasIndex(source.Content) {
		tree.Warning = fmt.Sprintf("%s: contains an index of the pages, so each update of the index makes the cache out of date: leave this page out", source.Path)
	}
	if markdown.IsPointer(source.Content) {
		tree.Warning = source.Path + PointerWarning
	}
	if wrong != nil {
		tree.Warning = fmt.Sprintf("%s: front matter is ignored: %.300v", source.Path, wrong)
	}
	return tree
}

// bodyOf parses the content of a document from a cache. It fails with [fault.Internal] if
// the parser panics, which is a bug.
func bodyOf(doc document.Document) (body markdown.Body, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Recovered(p)
		}
	}()
	return parse(doc.Content, isMDX(doc.ID, doc.Metadata)).Body, nil
}

func parse(content []byte, isMDX bool) markdown.Page {
	if isMDX {
		return markdown.ParseMDX(content)
	}
	return markdown.Parse(content)
}
