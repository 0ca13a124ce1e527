package stages

import (
	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/index"
)

// Write puts a document, with what Index returned for it, into the cache that is
// being made. Safe for concurrent use.
func Write(out *cache.Writer, doc document.Document, page index.Page) (cache.Item, error) {
	return out.Put(doc, page)
}
