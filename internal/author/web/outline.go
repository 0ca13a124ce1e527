package web

import (
	slashpath "path"
	"strings"

	"github.com/contextcompiler/context/internal/answer/agent"
)

// An outlineFolder is a cache or a directory of an outline.
type outlineFolder struct {
	Name    string // "" for the root
	Pages   []*outlinePage
	Folders []*outlineFolder
	Rest    []shownPart // directories whose pages are left out
	Count   int         // pages, also of the folders below
	Tokens  int
	IsOpen  bool
}

// An outlinePage is a page with its headings.
type outlinePage struct {
	shownPart
	File     string // name in its folder
	Headings []shownPart
}

// fewPages is how many pages an outline shows at once. Folders of a longer outline are closed.
const fewPages = 40

// foldOutline turns the parts of an outline into folders. It leaves out notes.
func foldOutline(parts []shownPart) *outlineFolder {
	root := &outlineFolder{IsOpen: true}
	top := root // cache, or root
	isFew := len(parts) <= fewPages
	var page *outlinePage
	for _, part := range parts {
		switch part.Kind {
		case agent.CachePart:
			top = &outlineFolder{Name: part.Label, IsOpen: true}
			root.Folders = append(root.Folders, top)
		case agent.PagePart:
			directory, file := slashpath.Split(part.Path)
			page = &outlinePage{shownPart: part, File: file}
			folders := []*outlineFolder{top}
			if top != root {
				folders = []*outlineFolder{root, top}
			}
			for name := range strings.SplitSeq(directory, "/") {
				if name != "" {
					folders = append(folders, folders[len(folders)-1].below(name, isFew))
				}
			}
			for _, f := range folders {
				f.Count++
				f.Tokens += part.Tokens
			}
			last := folders[len(folders)-1]
			last.Pages = append(last.Pages, page)
		case agent.HeadingPart:
			page.Headings = append(page.Headings, part)
		case agent.DirectoryPart:
			top.Rest = append(top.Rest, part)
		}
	}
	return root
}

// below returns the folder of a name, which it adds if it is new. Pages come in the order of their
// paths, so a known folder is the last, or nearly.
func (f *outlineFolder) below(name string, isOpen bool) *outlineFolder {
	for i := len(f.Folders) - 1; i >= 0; i-- {
		if f.Folders[i].Name == name+"/" {
			return f.Folders[i]
		}
	}
	next := &outlineFolder{Name: name + "/", IsOpen: isOpen}
	f.Folders = append(f.Folders, next)
	return next
}
