// Package document defines a [Document], its [ID], its [Version] and its [Metadata], and
// what a cache of documents is [About].
// Start with [IDOf] and [VersionOf].
//
// All of them are pure functions of a file's path and bytes.
package document

import (
	"strings"

	"github.com/contextcompiler/context/internal/words"
)

// A Document is a Markdown file in a cache.
type Document struct {
	ID       ID
	Version  Version
	Source   string // path below the sources, with slashes
	Content  []byte // the file's bytes, valid UTF-8, nothing normalized
	Metadata Metadata
}

// An ID is a document's identity: its lower-cased slash path below the
// sources.
type ID string

// IDOf returns the ID of the source at path. It is idempotent: the ID of an ID
// is the ID itself.
func IDOf(path string) ID {
	path = strings.ReplaceAll(path, `\`, "/")
	for strings.HasPrefix(path, "./") {
		path = path[len("./"):]
	}
	return ID(words.Lower(path))
}

// IsValid reports whether the ID is that of a path below the sources: plain names in
// lower case with slashes between them.
func (id ID) IsValid() bool {
	if id == "" || IDOf(string(id)) != id || strings.ContainsRune(string(id), 0) {
		return false
	}
	for name := range strings.SplitSeq(string(id), "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}

// MaxSize is the most bytes that a document's content may have.
const MaxSize = 16 << 20
