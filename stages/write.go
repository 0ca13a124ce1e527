package stages

import (
	"github.com/contextcompiler/context/cache"
	"github.com/contextcompiler/context/document"
)

// Write puts a document into the cache that is being made. Safe for concurrent
// use.
func Write(out *cache.Writer, doc document.Document) (cache.Item, error) {
	return out.Put(doc)
}
