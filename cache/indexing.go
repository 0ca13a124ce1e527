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
		collectors
		documents []termindex.Document // by the order of their coming
	}
}

// collectors are lent to jobs, each to one at a time.
type collectors struct {
	idle []*termindex.Collector // those that nobody is adding to
	all  []*termindex.Collector
}

func (c *collectors) take() (taken *termindex.Collector) {
	if n := len(c.idle); n > 0 {
		taken, c.idle = c.idle[n-1], c.idle[:n-1]
		return taken
	}
	taken = new(termindex.Collector)
	c.all = append(c.all, taken)
	return taken
}

func (c *collectors) put(taken *termindex.Collector) { c.idle = append(c.idle, taken) }

// A fileLayout says where in a document's file its content is, as a JSON string
// with its quotes.
type fileLayout struct{ contentStart, contentEnd int }

// fileFacts are what the index says of a document that is not in the document.
type fileFacts struct {
	size   int // bytes of the file
	sum    [sha256.Size]byte
	layout fileLayout
	words  int // of the content
}

// factsOf returns what can be said of a file without decoding it.
func factsOf(data []byte) fileFacts {
	return fileFacts{size: len(data), sum: sha256.Sum256(data)}
}

// indexed returns what the index says of a document, its file's name excepted.
func indexed(doc document.Document, file fileFacts) termindex.Document {
	return termindex.Document{
		ID:            doc.ID,
		Version:       doc.Version,
		FileSize:      int64(file.size),
		FileSum:       file.sum,
		ContentOffset: int64(file.layout.contentStart),
		ContentLength: int64(file.layout.contentEnd - file.layout.contentStart),
		Size:          len(doc.Content),
		Words:         file.words,
	}
}

// add takes a document into the index.
func (x *indexer) add(doc document.Document, file fileFacts) {
	collector, ordinal := x.begin(indexed(doc, file))
	words := collector.Add(ordinal, doc.Content)
	x.end(collector, ordinal, words)
}

func (x *indexer) begin(doc termindex.Document) (collector *termindex.Collector, ordinal int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mu.documents = append(x.mu.documents, doc)
	return x.mu.take(), len(x.mu.documents) - 1
}

func (x *indexer) end(collector *termindex.Collector, ordinal, words int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mu.documents[ordinal].Words = words
	x.mu.put(collector)
}

// write writes the index of a settled cache, whose documents were added or are
// kept from a previous one; others that were added are left out.
func (x *indexer) write(out io.Writer, s settled, previous *Previous, jobs int) error {
	positions := s.positions()
	documents := make([]termindex.Document, len(s.items))
	sources := termindex.Sources{Collectors: x.mu.all, Ordinals: nowhere(len(x.mu.documents)), Jobs: jobs}
	for ordinal, doc := range x.mu.documents {
		if position, listed := positions[doc.ID]; listed {
			documents[position] = doc
			sources.Ordinals[ordinal] = position
		}
	}
	if previous.isReusable() {
		sources.Previous, sources.Kept = &previous.reuse.index.InvertedIndex, previous.keepIn(documents, s.items)
	}
	for i, name := range s.names {
		documents[i].Name = name
	}
	return termindex.Write(out, s.header(), documents, sources)
}

// keepIn copies what the index knows of the documents that are kept, and
// returns where each of its documents is among the items, -1 for nowhere.
func (p *Previous) keepIn(documents []termindex.Document, items []Item) []int {
	kept := nowhere(len(p.reuse.documents))
	for i, item := range items {
		if item.IsKept() {
			documents[i] = *p.of(item)
			kept[item.kept-1] = i
		}
	}
	return kept
}

// nowhere returns the place -1 for each of n documents or passages.
func nowhere(n int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = -1
	}
	return places
}
