package cache

import (
	"io"
	"os"
	"sync"

	"github.com/contextcompiler/context/termindex"
)

// An Index is the selection index of an open cache. Safe for concurrent use.
type Index struct {
	*termindex.Index
	*indexFile

	columns struct { // once they are read
		sync.Mutex
		words, sizes []uint32
	}
}

// OpenToSelect is [Open] for those who select documents. If the cache has a
// selection index, that is opened and bound to the manifest by its version and
// size, and the manifest is not decoded: Index is set, and of the Manifest only
// Selection. So the cost does not grow with the number of documents. Damage
// elsewhere is for verify to find.
func OpenToSelect(path string) (*Cache, error) { return openToSelect(atPath(path)) }

// OpenToSelectIn is OpenToSelect for the directory of that slash path below dir,
// as [OpenIn] is for Open.
func OpenToSelectIn(dir *os.Root, path string) (*Cache, error) {
	return openToSelect(below(dir, path))
}

func openToSelect(place place) (*Cache, error) {
	c, err := openDirectory(place)
	if err != nil {
		return nil, err
	}
	err = c.openIndexes()
	if c.Index != nil && err == nil {
		err = c.openDocuments()
	}
	if c.Index != nil && err == nil {
		return c, nil
	}
	c.Close()
	whole, wrong := open(place) // there is no index, or the manifest is what is wrong
	if wrong != nil || err == nil {
		return whole, wrong
	}
	whole.Close()
	return nil, openError(place.path, err)
}

// openIndexes opens the indexes that the cache's selection needs. If one is not
// there, neither is opened.
func (c *Cache) openIndexes() (err error) {
	index, err := c.openIndex()
	if err != nil || index == nil {
		return err
	}
	if c.Manifest.Selection = index.selection; index.selection == 1 {
		if c.Passages, err = c.openPassages(); err != nil || c.Passages == nil {
			index.close()
			return err
		}
	}
	c.Index = index
	return nil
}

// openIndex opens the selection index as openIndexFile does.
func (c *Cache) openIndex() (*Index, error) {
	x := new(Index)
	file, err := c.openIndexFile(selectionName, func(r io.ReaderAt, size int64) (h termindex.Header, err error) {
		if x.Index, err = termindex.Open(r, size); err != nil {
			return h, err
		}
		return x.Header(), nil
	})
	if file == nil {
		return nil, err
	}
	x.indexFile = file
	return x, nil
}

// Columns returns for every document how many words its content has, and how
// many bytes. They are not to be changed. It fails with [fault.CacheInvalid] if
// the index is damaged, and with [fault.IO] if the system refuses.
func (x *Index) Columns() (words, sizes []uint32, err error) {
	x.columns.Lock()
	defer x.columns.Unlock()
	if x.columns.words == nil {
		x.columns.words, x.columns.sizes, err = x.Index.Columns()
	}
	return x.columns.words, x.columns.sizes, x.explain(err)
}

// Entry returns the entry of the document at a position. It fails as Columns
// does.
func (x *Index) Entry(position int) (Entry, error) {
	doc, err := x.Document(position)
	return newEntry(doc.ID, doc.Version, doc.Name), x.explain(err)
}

// EachPosting calls visit with the postings of each term, which are best sorted.
// It fails as Columns does.
func (x *Index) EachPosting(terms []string, visit func(termindex.Posting)) error {
	return x.eachTerm(x.NewLookup(), terms, func(_ int, postings []termindex.Posting) error {
		for _, p := range postings {
			visit(p)
		}
		return nil
	})
}
