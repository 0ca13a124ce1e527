package cache

import (
	"time"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/index"
)

// An Item is a document on its way into a new cache: one that was put there, or
// one of the previous cache that is to be kept.
type Item struct {
	ID      document.ID
	Version document.Version
	Warning string // what its compiler had to say, or ""

	put      *putDocument // nil if it is kept
	kept     int          // ordinal in the previous cache plus 1; 0 if it was put
	modified time.Time    // of the file that is kept, when it was looked at
}

// A putDocument is what Put remembers of a document.
type putDocument struct {
	file     string // name that it wrote to
	document index.Document
	page     index.Page
}

// IsKept reports whether the document is one of the previous cache.
func (i Item) IsKept() bool { return i.kept > 0 }

// A settled is what is settled in a cache once all of its documents are known.
type settled struct {
	items    []Item
	names    []string // of the documents' files, by position
	manifest Manifest
	encoded  []byte // manifest.json
	index    []byte // index.json
	origin   []byte // for the selection index
}

// A Recipe names all that decides what is made of a source.
type Recipe struct {
	Compiler  string // of documents
	Selection int    // that the cache is built for: 0 or 1
}

// settle settles the cache of items, which are sorted by ID. A document's name
// depends on those before it, so it is only known here.
func settle(items []Item, createdAt string, recipe Recipe) settled {
	names := make([]string, len(items))
	entries := make([]Entry, len(items))
	claimed := make(claimedNames, len(items))
	for i, item := range items {
		names[i] = claimed.claim(item.Version, item.ID)
		entries[i] = newEntry(item.ID, item.Version, names[i])
	}
	manifest := NewManifest(entries, createdAt)
	manifest.Selection = recipe.Selection
	return settled{items, names, manifest, manifest.encode(), manifest.encodeIndex(), encodeOrigin(recipe.Compiler, items)}
}

// A namedFile is a file directly in a cache.
type namedFile struct {
	name string
	data []byte
}

// files returns the JSON files, the manifest last.
func (s settled) files() []namedFile {
	return []namedFile{{indexName, s.index}, {manifestName, s.encoded}}
}

// lines returns the lines of the index.
func (s settled) lines() []index.Line {
	lines := make([]index.Line, len(s.items))
	for i, item := range s.items {
		lines[i].Kept = item.kept
		if item.put != nil {
			lines[i].Document, lines[i].Page = item.put.document, item.put.page
		}
		lines[i].Document.Name = s.names[i]
	}
	return lines
}

// header returns the header of the index.
func (s settled) header() index.Header {
	return index.Header{
		CacheVersion: s.manifest.Version, ManifestSize: int64(len(s.encoded)),
		Selection: s.manifest.Selection, Origin: s.origin,
	}
}
