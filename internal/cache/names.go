package cache

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/contextcompiler/context/document"
)

// claimedNames contains the file names that are already taken by documents.
type claimedNames map[string]struct{}

// claim takes a name for the document with a version and an ID. It is the stem, the stem
// with 8 digits of the hash of the ID, or the stem with all of these digits. The last
// form is always free, because no two documents share an ID.
//
// If documents claim their names in the order of their IDs, the results are the names in
// docs/format.md. The third form is for documents with equal content and IDs whose first
// 8 digits are equal as well.
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
