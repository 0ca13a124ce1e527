package stages

import (
	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/index"
)

// Write puts a document and its result of Index into the new cache. Safe for concurrent
// use.
func Write(out *cache.Writer, doc document.Document, page index.PageTerms) (cache.NewDocument, error) {
	return out.Put(doc, page)
}
