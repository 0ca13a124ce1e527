package cache

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/contextcompiler/context/document"
)

// claimedNames contains the file names that are already taken by documents. It stores
// bytes instead of names, because a large cache contains a million of them.
type claimedNames struct {
	stems map[[stemSize]byte]struct{}
	short map[[stemSize + suffixSize]byte]struct{}
}

// Sizes in bytes, each of which takes two digits in a name.
const (
	stemSize   = 6
	suffixSize = 4
)

// A nameForm says which digits follow the stem in the name of a document's file.
type nameForm byte

const (
	stemForm  nameForm = iota // none
	shortForm                 // 8 digits of the hash of the ID
	longForm                  // all digits of that hash
)

// claim takes a name for the document with a version and an ID. A name in the long form is
// always free, because no two documents share an ID.
//
// If documents claim their names in the order of their IDs, the results are the names in
// docs/format.md. The long form is for documents with equal content and IDs whose first 8
// digits are equal as well.
func (c *claimedNames) claim(version document.Version, id document.ID) nameForm {
	stem := [stemSize]byte(version[:])
	if isNew(&c.stems, stem) {
		return stemForm
	}
	sum := sha256.Sum256([]byte(id))
	if isNew(&c.short, [stemSize + suffixSize]byte(append(stem[:], sum[:suffixSize]...))) {
		return shortForm
	}
	return longForm
}

// isNew adds a key to a set, and reports whether it was new.
func isNew[K comparable](set *map[K]struct{}, key K) bool {
	if *set == nil {
		*set = map[K]struct{}{}
	}
	before := len(*set)
	(*set)[key] = struct{}{}
	return len(*set) > before
}

// name returns the name for a document.
func (f nameForm) name(version document.Version, id document.ID) string {
	const extension = ".json"
	stem := version.Stem()
	if f == stemForm {
		return stem + extension
	}
	sum := sha256.Sum256([]byte(id))
	if f == shortForm {
		return stem + "-" + hex.EncodeToString(sum[:suffixSize]) + extension
	}
	return stem + "-" + hex.EncodeToString(sum[:]) + extension
}
