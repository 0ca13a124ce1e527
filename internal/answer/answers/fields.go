package answers

import (
	"bytes"
	"cmp"
	"context"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/caches/index"
)

// longestField is the size limit of fields for EachField in bytes, because the index only
// contains a hash of longer fields.
const longestField = 250

// EachField calls visit with each field that [selection.Filter] can ask for, such as
// "topic=guide", in order and in lower case, and with the number of its pages. It skips fields
// of more than 250 bytes. It reads the index, which it makes from the documents if there is none, and stops at
// the first error of visit.
func (c *Cache) EachField(ctx context.Context, visit func(field string, pages int) error) error {
	x, err := c.indexFor(ctx, c.built, 0)
	if err != nil {
		return err
	}
	var stopped error // without the prefix that the index adds to its own errors
	err = x.EachWithPrefix(index.FieldTerm(""), func(term []byte, pages int) error {
		field := term[len(index.FieldTerm("")):]
		if bytes.HasPrefix(field, []byte("\x01")) || len(field) > longestField { // U+0001: see index.FieldTerms
			return nil
		}
		if stopped = context.Cause(ctx); stopped != nil {
			return stopped
		}
		if !utf8.Valid(field) { // only in a forged index
			return x.Disproved("the field %q isn't UTF-8", field)
		}
		stopped = visit(string(field), pages)
		return stopped
	})
	return cmp.Or(stopped, err)
}
