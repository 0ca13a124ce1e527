package cache

import (
	"crypto/sha256"
	"io"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/termindex"
)

// An indexer gathers what the selection index says of documents, as they come.
// Which order they come in does not show in the index. Safe for concurrent use.
type indexer struct {
	mu struct {
		sync.Mutex
		idle      []*termindex.Collector // those that nobody is adding to
		all       []*termindex.Collector
		documents []termindex.Document // by the order of their coming
	}
}

// A fileLayout says where in a document's file its content is, as a JSON string
// with its quotes.
type fileLayout struct{ contentStart, contentEnd int }

// add takes a document into the index, whose file has that size in bytes and
// that SHA-256.
func (x *indexer) add(doc document.Document, size int64, sum [sha256.Size]byte, at fileLayout) {
	collector, ordinal := x.begin(termindex.Document{
		ID:            doc.ID,
		Version:       doc.Version,
		FileSize:      size,
		FileSum:       sum,
		ContentOffset: int64(at.contentStart),
		ContentLength: int64(at.contentEnd - at.contentStart),
		Size:          len(doc.Content),
	})
	words := collector.Add(ordinal, doc.Content)
	x.end(collector, ordinal, words)
}

func (x *indexer) begin(doc termindex.Document) (collector *termindex.Collector, ordinal int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mu.documents = append(x.mu.documents, doc)
	if n := len(x.mu.idle); n > 0 {
		collector, x.mu.idle = x.mu.idle[n-1], x.mu.idle[:n-1]
	} else {
		collector = new(termindex.Collector)
		x.mu.all = append(x.mu.all, collector)
	}
	return collector, len(x.mu.documents) - 1
}

func (x *indexer) end(collector *termindex.Collector, ordinal, words int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mu.documents[ordinal].Words = words
	x.mu.idle = append(x.mu.idle, collector)
}

// write writes the index of a manifest whose documents were added; others that
// were added are left out.
func (x *indexer) write(out io.Writer, manifest Manifest, manifestSize int) error {
	positions := make(map[document.ID]int, len(manifest.Documents))
	for i, entry := range manifest.Documents {
		positions[entry.ID] = i
	}
	documents := make([]termindex.Document, len(manifest.Documents))
	ordinals := make([]int, len(x.mu.documents))
	for ordinal, doc := range x.mu.documents {
		position, listed := positions[doc.ID]
		if !listed {
			ordinals[ordinal] = -1
			continue
		}
		doc.File = manifest.Documents[position].File
		documents[position], ordinals[ordinal] = doc, position
	}
	header := termindex.Header{CacheVersion: manifest.Version, ManifestSize: int64(manifestSize)}
	return termindex.Write(out, header, documents, ordinals, x.mu.all)
}
