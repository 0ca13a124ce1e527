// Package document defines a [Document] with its [ID], its [Version] and its [Metadata],
// and what a cache of documents is [About]. Start with [IDOf] and [VersionOf].
//
// Everything here is a pure function of the path and the bytes of a file.
package document

import (
	"strings"

	"github.com/contextcompiler/context/internal/base/words"
)

// A Document is a page in a cache.
type Document struct {
	ID       ID
	Version  Version
	Source   string // path below the sources, with slashes
	Content  []byte // the bytes of the file, or the Markdown that they were converted to; valid UTF-8, not normalized
	Metadata Metadata
}

// An ID is the identity of a document: its slash path below the sources, in lower case.
type ID string

// IDOf returns the ID of the source at path. It is idempotent: the ID of an ID is the ID
// itself.
func IDOf(path string) ID {
	path = strings.ReplaceAll(path, `\`, "/")
	for strings.HasPrefix(path, "./") {
		path = path[len("./"):]
	}
	return ID(words.Lower(path))
}

// IsValid reports whether a path below the sources can have this ID. Such an ID consists
// of plain names in lower case, separated by slashes.
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

// MaxSize is the maximum size of a document's content, in bytes.
const MaxSize = 16 << 20
