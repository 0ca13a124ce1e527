// Package document holds the vocabulary that every other package speaks: a
// [Document], its [ID], its [Version] and its [Metadata].
//
// All of it is a pure function of a file's path and bytes; nothing here knows
// of a disk, a clock or a locale.
package document

import (
	"strings"

	"github.com/contextcompiler/context/internal/words"
)

// A Document is one Markdown file as the cache keeps it.
type Document struct {
	ID       ID
	Version  Version
	Source   string // path below the sources as it was found, with slashes
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

// IsValid reports whether there is a path below the sources that makes the ID:
// plain names with slashes between them, in lower case.
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
