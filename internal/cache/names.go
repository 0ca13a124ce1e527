package cache

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/contextcompiler/context/document"
)

// claimedNames are the file names that documents have taken.
type claimedNames map[string]struct{}

// claim takes a name for the document of that version and ID: the stem, or the
// stem with 8 digits of the ID's hash, or with all of them. The last is always
// free, because no two documents share an ID.
//
// Claimed in the order of the IDs, these are the names of docs/format.md. The
// third is for two IDs with one content that share 8 digits.
func (c claimedNames) claim(version document.Version, id document.ID) string {
	const extension, suffixDigits = ".json", 8
	stem := version.Stem()
	name := stem + extension
	if c.has(name) {
		sum := sha256.Sum256([]byte(id))
		digits := hex.EncodeToString(sum[:])
		name = stem + "-" + digits[:suffixDigits] + extension
		if c.has(name) {
			name = stem + "-" + digits + extension
		}
	}
	c[name] = struct{}{}
	return name
}

func (c claimedNames) has(name string) bool {
	_, taken := c[name]
	return taken
}
