package evaluation

import (
	"path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/pagename"
)

// corpusPages are the documents of a corpus, sorted.
type corpusPages []document.ID

func (all corpusPages) has(id document.ID) bool {
	_, found := slices.BinarySearch(all, id)
	return found
}

// named returns the page with an ID, or with that ID and an extension. It tries
// [pagename.Extensions] first, then any extension.
func (all corpusPages) named(id document.ID) (page document.ID, found bool) {
	if all.has(id) {
		return id, true
	}
	for _, extension := range pagename.Extensions {
		if page := id + document.ID(extension); all.has(page) {
			return page, true
		}
	}
	first, _ := slices.BinarySearch(all, id+".")
	for _, page := range all[first:] {
		extension, begins := strings.CutPrefix(string(page), string(id))
		if !begins {
			break
		}
		if extension == path.Ext(string(page)) {
			return page, true
		}
	}
	return "", false
}

// resolve returns the ID of the document named in a judgment and the fragment after
// it, or "" for the whole document. The document may be missing.
func (all corpusPages) resolve(name string) (id document.ID, fragment string) {
	exact := document.IDOf(name)
	if page, found := all.named(exact); found {
		return page, ""
	}
	if at := strings.LastIndex(name, "#"); at > 0 {
		if page, found := all.named(document.IDOf(name[:at])); found {
			return page, name[at+1:]
		}
	}
	switch page := likelyPage(exact); {
	case page != exact:
		return page, name[strings.LastIndex(name, "#")+1:]
	case pagename.Stem(string(exact)) == string(exact):
		return exact + document.ID(pagename.Extensions[0]), ""
	}
	return exact, ""
}

// likelyPage guesses the page of a page or section that is missing in the corpus, by
// its extension.
func likelyPage(item document.ID) document.ID {
	for id := string(item); ; {
		if pagename.Stem(id) != id {
			return document.ID(id)
		}
		at := strings.LastIndex(id, "#")
		if at < 0 {
			return item
		}
		id = id[:at]
	}
}
