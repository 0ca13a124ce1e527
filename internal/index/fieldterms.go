package index

import (
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/words"
)

// maxField bounds a value that a query can filter by, in bytes. Longer values are prose.
const maxField = 64

// FieldTerm returns the text that stands in an index for a field of front matter, such
// as "topic=guide". It begins with a space, so it equals no word of a content. Case does
// not matter.
func FieldTerm(field string) string { return " " + words.Lower(field) }

// FieldTerms returns the unique terms of all fields by which a query can find a document:
// for each key the value and, if that is a list, its elements. Values of more than 64 bytes
// have none, nor have the counts that every document gets. A key that begins with U+0001
// has none either, because an index marks other terms with it.
func FieldTerms(metadata document.Metadata) (terms []string) {
	for _, key := range metadata.Keys() {
		value := metadata[key].String()
		if key == "byte_size" || key == "line_count" || strings.HasPrefix(key, "\x01") || len(value) > maxField*4 {
			continue
		}
		for _, v := range append([]string{value}, strings.Split(value, ", ")...) {
			if term := FieldTerm(key + "=" + v); len(v) <= maxField && !slices.Contains(terms, term) {
				terms = append(terms, term)
			}
		}
	}
	return terms
}
