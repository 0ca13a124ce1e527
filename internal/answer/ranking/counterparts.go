package ranking

import (
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/words"
)

// counterparts finds sections of pages whose IDs differ only in the name of a directory
// for a language or version, for example docs/en/a.md and docs/ja/a.md. The units are by kin.
type counterparts map[string][]*saidUnit

// kinOf returns variants of a page's ID, each without the name of a different directory.
// Two IDs share a variant if they differ in the name of a single directory.
func kinOf(id document.ID) (kin []string) {
	segments := strings.Split(string(id), "/")
	for i, directory := range segments[:len(segments)-1] {
		segments[i] = ""
		kin = append(kin, strings.Join(segments, "/"))
		segments[i] = directory
	}
	return kin
}

// like returns the first unit of another page that is a counterpart of a unit.
func (c counterparts) like(u *saidUnit) (ordinal uint32, found bool) {
	for _, key := range u.kin {
		for _, other := range c[key] {
			if other.page != u.page && haveInCommon(u.shingles, other.shingles, counterpartShare, ofCounterpartShares) {
				return other.ordinal, true
			}
		}
	}
	return 0, false
}

func (c counterparts) add(u *saidUnit) {
	for _, key := range u.kin {
		c[key] = append(c[key], u)
	}
}

// translationOf returns a name shared by all translations of a section: the ID of the
// page without the names of directories for languages, and the slug. It returns "" if the
// page isn't in such a directory.
func translationOf(page document.ID, slug string) string {
	segments := strings.Split(string(page), "/")
	isTranslated := false
	for i, directory := range segments[:len(segments)-1] {
		if words.IsLanguage(directory) {
			segments[i], isTranslated = "", true
		}
	}
	if !isTranslated {
		return ""
	}
	return strings.Join(segments, "/") + "#" + slug
}
