package stages

import (
	"github.com/contextcompiler/context/cache"
	"github.com/contextcompiler/context/document"
)

// Write puts the document of a tree into the cache that is being made. Safe for
// concurrent use.
func Write(out *cache.Writer, doc document.Document, tree Tree) (cache.Item, error) {
	return out.Put(doc, tree.Blocks)
}
