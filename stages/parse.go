package stages

import (
	"bytes"
	"fmt"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
)

// A Tree is a parsed Text: what its author says of it, and its sections. All
// offsets are bytes of Content.
type Tree struct {
	Text
	FrontMatter document.Metadata // nil if there is none
	Warning     string            // what is wrong with the front matter, or ""
	Sections    []Section         // in order; together they are all but the front matter
}

// A Section is the part of a Text from one heading to the next. Headings in
// lists and quotations begin none. A text before the first heading is a
// section of level 0 without title.
type Section struct {
	Level      int    // of the heading, 1 to 6
	Title      string // the heading as plain text
	Start, End int    // Content[Start:End], from the heading's line on
}

// byteOrderMark hides a fence or a heading behind it from the parser.
var byteOrderMark = []byte("\ufeff")

// Parse reads the front matter and the sections of a text. Broken front matter
// is a warning; a failure here is a bug of the parser.
func Parse(source Text) (tree Tree, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("parse %s: %w", source.Path, fault.Recovered(p))
		}
	}()
	tree.Text = source
	start := 0
	if bytes.HasPrefix(source.Content, byteOrderMark) {
		start = len(byteOrderMark)
	}
	yaml, size, err := splitFrontMatter(source.Content[start:])
	if err == nil {
		tree.FrontMatter, err = decodeFrontMatter(yaml)
	}
	if err != nil {
		tree.Warning = fmt.Sprintf("%s: front matter is ignored: %v", source.Path, err)
	}
	tree.Sections = sectionsOf(source.Content, start+size)
	return tree, nil
}
