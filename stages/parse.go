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
	FrontMatter document.Metadata // nil without front matter

	// Warning is about broken front matter, an index of the cache or a pointer, or "". Caches store
	// it, so other words make other caches.
	Warning string
	Body    markdown.Body
}

// PointerWarning follows the path of a page in the Warning of a tree.
const PointerWarning = ": a pointer of Git LFS, so its text is missing"

// Parse reads the front matter and blocks of a text. Broken front matter only causes a
// warning, but an error is a bug in the parser.
func Parse(source Text) (tree Tree, err error) {
	isMDX := source.isMDX(nil)
	page, err := parse(source.Content, isMDX)
	if err != nil {
		return tree, fmt.Errorf("parse %s: %w", source.Path, err)
	}
	wrong := page.Err
	if wrong == nil {
		tree.FrontMatter, wrong = decodeFrontMatter(page.FrontMatter)
	}
	if source.isMDX(tree.FrontMatter) != isMDX { // rare, so the first parse is seldom wasted
		if page, err = parse(source.Content, !isMDX); err != nil {
			return tree, fmt.Errorf("parse %s: %w", source.Path, err)
		}
	}
	tree.Text, tree.Body = source, page.Body
	if instructions.HasIndex(source.Content) {
		tree.Warning = fmt.Sprintf("%s: contains an index of the pages, so each update of the index makes the cache out of date: leave this page out", source.Path)
	}
	if markdown.IsPointer(source.Content) {
		tree.Warning = source.Path + PointerWarning
	}
	if wrong != nil {
		tree.Warning = fmt.Sprintf("%s: front matter is ignored: %v", source.Path, wrong)
	}
	return tree, nil
}

// bodyOf parses the content of a document from a cache. It fails with [fault.Internal] if
// the parser panics, which is a bug.
func bodyOf(doc document.Document) (markdown.Body, error) {
	page, err := parse(doc.Content, isMDX(doc.ID, doc.Metadata))
	return page.Body, err
}

// parse calls [markdown.Parse] or [markdown.ParseMDX] and turns a panic into
// [fault.Internal].
func parse(content []byte, isMDX bool) (page markdown.Page, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Recovered(p)
		}
	}()
	if isMDX {
		return markdown.ParseMDX(content), nil
	}
	return markdown.Parse(content), nil
}
