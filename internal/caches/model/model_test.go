// Package model is a second, independent reading of the data contract. It exists only for
// tests, which compare the product with it: from sources, it computes the bytes required by the
// contract for the cache ([Build]) and for the result of a query ([Resolve]).
//
//	sources ── Build ───> manifest.json, index.json, documents/*.json
//	        └─ Resolve ─> the JSON that a query prints
//
// It is useful because it shares no code with the product and can be checked
// against the contract by eye. For this reason, it imports only the standard
// library, takes everything as strings in memory, and prefers a plain loop to a
// quick one. It is slow on purpose.
//
// # Limits
//
// The model does not include discovery, so the caller decides which files are
// sources. Paths, contents and queries must be valid UTF-8. Metadata is left out,
// because it needs a Markdown parser, and so is selection.idx, because it changes
// no answer.
package model

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sort"
	"strings"
)

// A document is a source with its ID and version.
type document struct {
	id      string
	version string
	source  string
	content string
}

// documentsOf returns the documents of sources, which maps paths to contents,
// sorted by the bytes of their IDs. Its error names all sources that share an ID
// with another.
func documentsOf(sources map[string]string) ([]document, error) {
	paths := map[string][]string{}
	for path := range sources {
		id := ID(path)
		paths[id] = append(paths[id], path)
	}

	var ids []string
	for id := range paths {
		ids = append(ids, id)
	}
	sort.Strings(ids)

	var documents []document
	var clashes []string
	for _, id := range ids {
		if len(paths[id]) > 1 {
			clashes = append(clashes, clash(id, paths[id]))
			continue
		}
		source := paths[id][0]
		content := sources[source]
		documents = append(documents, document{id, Version(content), source, content})
	}
	if len(clashes) > 0 {
		return nil, errors.New("sources with the same id: " + strings.Join(clashes, "; "))
	}
	return documents, nil
}

// clash says which paths share an ID.
func clash(id string, paths []string) string {
	sort.Strings(paths)
	var quoted []string
	for _, path := range paths {
		quoted = append(quoted, quote(path))
	}
	return fmt.Sprintf("%s from %s", quote(id), strings.Join(quoted, ", "))
}

// ID returns the id of the source at path, which is relative to the root.
func ID(path string) string {
	id := strings.ReplaceAll(path, `\`, "/")
	for strings.HasPrefix(id, "./") {
		id = id[len("./"):]
	}
	return Lower(id)
}

// Version returns the version of a document with content.
func Version(content string) string {
	return "sha256:" + hexSHA256(content)
}

// hexSHA256 returns the SHA-256 of s as 64 hex digits.
func hexSHA256(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
