package index

import (
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/words"
)

// maxField is the maximum length of values that queries can filter by, in bytes. Longer
// values are prose.
const maxField = 64

// FieldTerm returns the term for a field of front matter, such as "topic=guide". Because
// it begins with a space, it never equals a word of the content. It ignores case.
func FieldTerm(field string) string { return " " + words.Lower(field) }

// FieldTerms returns the unique terms of all fields that can find a document. For each
// key, these are the terms of its value and, if the value is a list, of the elements.
//
// Values of more than 64 bytes get no term. Neither do the counts, since every document
// gets them, and keys that begin with U+0001, since the index marks other terms with it.
func FieldTerms(metadata document.Metadata) (terms []string) {
	seen := map[string]bool{}
	for _, key := range metadata.Keys() {
		value := metadata[key].String()
		if key == "byte_size" || key == "line_count" || strings.HasPrefix(key, "\x01") || len(value) > maxField*4 {
			continue
		}
		for _, v := range append([]string{value}, strings.Split(value, ", ")...) {
			if term := FieldTerm(key + "=" + v); len(v) <= maxField && !seen[term] {
				seen[term], terms = true, append(terms, term)
			}
		}
	}
	return terms
}
