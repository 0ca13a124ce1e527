package ranking

import (
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/words"
)

// counterparts finds sections of pages whose IDs differ in the name of one
// directory, as languages and versions do: docs/en/a.md and docs/ja/a.md.
// The zero counterparts is empty and ready for use.
type counterparts struct {
	units map[string][]counterpart // by what kinOf returns
}

// A counterpart is a unit that was chosen.
type counterpart struct {
	unitShingles
	page uint32
}

// kinOf returns the ID of a page with the name of each directory left out in
// turn. Two pages have one of these in common if their IDs differ in one.
func kinOf(id document.ID) (kin []string) {
	segments := strings.Split(string(id), "/")
	for i, directory := range segments[:len(segments)-1] {
		segments[i] = ""
		kin = append(kin, strings.Join(segments, "/"))
		segments[i] = directory
	}
	return kin
}

// like returns the first unit that a unit of a page is a counterpart of.
func (c *counterparts) like(page uint32, kin []string, mine shingles) (ordinal uint32, found bool) {
	for _, key := range kin {
		for _, other := range c.units[key] {
			if other.page != page && haveInCommon(mine, other.shingles, counterpartShare, ofCounterpartShares) {
				return other.ordinal, true
			}
		}
	}
	return 0, false
}

// add adds a unit that was chosen.
func (c *counterparts) add(ordinal, page uint32, kin []string, mine shingles) {
	if c.units == nil {
		c.units = map[string][]counterpart{}
	}
	for _, key := range kin {
		c.units[key] = append(c.units[key], counterpart{unitShingles{unitPlace{ordinal: ordinal}, mine}, page})
	}
}

// translationOf returns what the translations of a section have in common: the ID of the
// page without the names of the directories of languages, and the slug. It returns "" if
// the page is in no such directory.
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
