package cache

import (
	"cmp"
	"iter"
)

// A Listing is what a cache lists, for callers that look for damage. If its JSON files
// contain exactly what a build would write for the documents in its index, these are read
// from the index, again whenever they are needed. Otherwise, the manifest is in memory.
type Listing struct {
	Manifest Manifest // with its documents only if it is in memory
	cache    *Files
	index    *BoundIndex // nil if the manifest is in memory
}

// List returns the listing of a cache, which must stay open while the listing is used. It
// fails like [Files.UncheckedManifest]. The caller must close the listing.
func (c *Files) List() (*Listing, error) {
	l := &Listing{cache: c}
	if l.readIndex() {
		return l, nil
	}
	l.Close()
	m, err := c.UncheckedManifest()
	return &Listing{Manifest: m, cache: c}, err
}

// Close closes what List has opened.
func (l *Listing) Close() {
	if l.index != nil {
		l.index.Close()
	}
}

// readIndex reports whether the documents can be read from the index.
func (l *Listing) readIndex() bool {
	x, err := l.cache.openIndex()
	if x == nil || err != nil {
		return false
	}
	l.index = x
	h := x.Header()
	l.Manifest = Manifest{
		Version: h.CacheVersion, DocumentCount: int64(x.Documents()),
		Selection: h.Selection, About: x.About(), Converters: x.about.Converters,
	}
	if l.Manifest.CreatedAt, err = l.cache.createdAt(); err != nil {
		return false
	}
	var failed error
	if findings := l.Manifest.check(l.entries(&failed)); len(findings) > 0 || failed != nil {
		return false
	}
	for _, file := range l.Manifest.files(l.entries(&failed)) {
		if isThere, err := file.isIn(l.cache.root); !isThere || cmp.Or(err, failed) != nil {
			return false
		}
	}
	return true
}

// Len returns the number of documents.
func (l *Listing) Len() int {
	if l.index == nil {
		return len(l.Manifest.Documents)
	}
	return l.index.Documents()
}

// Entries yields the entries of all documents in the order of the manifest. Nothing follows
// an error.
func (l *Listing) Entries(yield func(Entry, error) bool) {
	if l.index != nil {
		for e, err := range entriesIn(l.index.Index) {
			if !yield(e, l.index.explain(err)) {
				return
			}
		}
		return
	}
	for _, e := range l.Manifest.Documents {
		if !yield(e, nil) {
			return
		}
	}
}

// entries is Entries for callers that cannot take an error. The entries end early with the
// error in err.
func (l *Listing) entries(err *error) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for e, failed := range l.Entries {
			if *err = failed; failed != nil || !yield(e) {
				return
			}
		}
	}
}

// CheckManifest returns the findings about the manifest alone.
func (l *Listing) CheckManifest() []Finding {
	if l.index != nil {
		return nil
	}
	return l.Manifest.Check()
}

// CheckFileList returns the findings about index.json.
func (l *Listing) CheckFileList() ([]Finding, error) {
	if l.index != nil {
		return nil, nil
	}
	return l.cache.CheckFileList(l.Manifest)
}

// CheckFiles returns a finding for each file that doesn't belong to the cache.
func (l *Listing) CheckFiles() ([]Finding, error) {
	var failed error
	findings, err := l.cache.CheckFiles(l.entries(&failed))
	return findings, cmp.Or(failed, err)
}

// EachBatch calls use with batches of entries, and with the position of the first entry of
// each batch. A batch is valid until use returns.
func (l *Listing) EachBatch(use func(first int, batch []Entry) error) error {
	const size = 1 << 12
	first, batch := 0, make([]Entry, 0, size)
	for e, err := range l.Entries {
		if err != nil {
			return err
		}
		if batch = append(batch, e); len(batch) == size {
			if err := use(first, batch); err != nil {
				return err
			}
			first, batch = first+size, batch[:0]
		}
	}
	return use(first, batch)
}
