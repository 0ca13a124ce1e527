package cache

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/contextcompiler/context/document"
)

// claimedNames are the file names that documents have taken.
type claimedNames map[string]struct{}

// claim takes the name for the document of that version and ID: the first that
// is free of the stem, the stem with 8 digits of the ID's hash, and the stem
// with all of them. The last is always free, for no two documents share an ID.
//
// Claimed in the order of the IDs, these are the names that docs/format.md
// gives; the third is for two IDs of one content that agree in 8 digits.
func (c claimedNames) claim(version document.Version, id document.ID) string {
	const extension, suffixDigits = ".json", 8
	stem := version.Stem()
	name := stem + extension
	if c.take(name) {
		return name
	}
	sum := sha256.Sum256([]byte(id))
	digits := hex.EncodeToString(sum[:])
	name = stem + "-" + digits[:suffixDigits] + extension
	if c.take(name) {
		return name
	}
	name = stem + "-" + digits + extension
	c.take(name)
	return name
}

// take claims name and reports whether it was free.
func (c claimedNames) take(name string) bool {
	if _, taken := c[name]; taken {
		return false
	}
	c[name] = struct{}{}
	return true
}
