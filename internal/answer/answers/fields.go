package answers

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/selection"
)

// longestField is the size limit of fields for EachField in bytes, because the index only
// contains a hash of longer fields.
const longestField = 250

// EachField calls visit with each field that [selection.Filter] can ask for, such as
// "topic=guide", in order and in lower case, and with the number of its pages. It skips fields
// of more than 250 bytes. It reads the index or, without an index, every document, and stops at
// the first error of visit.
func (c *Cache) EachField(ctx context.Context, visit func(field string, pages int) error) error {
	check := func(term string, pages int) error {
		field := term[len(index.FieldTerm("")):]
		if strings.HasPrefix(field, "\x01") || len(field) > longestField { // U+0001: see index.FieldTerms
			return nil
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if !utf8.ValidString(field) { // only in a forged index
			return c.index.Disproved("the field %q isn't UTF-8", field)
		}
		return visit(field, pages)
	}
	if c.index != nil {
		var stopped error // without the prefix that the index adds to its own errors
		err := c.index.EachWithPrefix(index.FieldTerm(""), func(term []byte, postings int) error {
			if len(term) > 1 && term[1] == '\x01' {
				return nil // there are many terms, so don't allocate a string for each
			}
			stopped = check(string(term), postings)
			return stopped
		})
		return cmp.Or(stopped, err)
	}
	all, err := EachDocument(ctx, c, selection.Filter{}, 0, func(_ int, doc document.Document) ([]string, error) {
		return index.FieldTerms(doc.Metadata), nil
	})
	if err != nil {
		return err
	}
	pages := map[string]int{}
	for _, terms := range all {
		for _, term := range terms {
			pages[term]++
		}
	}
	for _, term := range slices.Sorted(maps.Keys(pages)) {
		if err := check(term, pages[term]); err != nil {
			return err
		}
	}
	return nil
}
