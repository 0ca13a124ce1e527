// Package termindex writes and reads selection.idx, the file that lies in a
// cache beside its documents and makes selection independent of how many
// documents there are: for every document what a result needs to know of it,
// and for every term the documents that have it and how often.
//
//	Collector.Add, once a document → Write → Open → Columns, AppendPostings, Document
//
// What a word is, and what a term, is said by package words: the postings of a
// term count exactly the words that selection counts in a content.
//
// # Determinism
//
// The bytes are a pure function of the header, the documents and their
// contents. They are the same whatever the number of collectors and of jobs,
// whichever collector was given a document, in whatever order, and whichever
// documents are taken over from an index before.
//
// # Trust
//
// An index answers only from bytes whose checksum it has verified, and checks
// every length and offset before it is used. So a damaged one fails with
// [ErrInvalid] and never gives another answer, and none can make a reader
// panic, loop, or take more memory than a small multiple of what the file has
// bytes. Checksums are no signatures: whether an index tells the truth about its
// documents is seen by an [Audit], and by writing it anew from itself.
//
// The format is in docs/format.md.
package termindex

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/contextcompiler/context/document"
)

// ErrInvalid is wrapped by the errors about what an index holds: it is damaged,
// or no index, or of another version. An error without it came from the reader
// that the index was opened on, and is wrapped, too.
var ErrInvalid = errors.New("selection index is invalid")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// A Header says which manifest an index belongs to, and how the documents came
// to be.
type Header struct {
	CacheVersion document.Version
	ManifestSize int64 // bytes of manifest.json

	// Origin is what was noted of how the documents were made, at most
	// [MaxOrigin] bytes that have no meaning here. It may be large, so
	// [Index.Header] leaves it out and [Index.Origin] reads it.
	Origin []byte
}

// MaxOrigin is how many bytes [Header.Origin] may have.
const MaxOrigin = 64 << 20

// A Document is what an index knows of a document besides its words. Its
// ordinal is its position among the documents in the order of their IDs.
type Document struct {
	ID      document.ID
	Version document.Version

	Name     string            // of its file in the cache's directory of documents
	FileSize int64             // bytes, at most 4 GiB - 1
	FileSum  [sha256.Size]byte // SHA-256 of the whole file

	// Where in the file the content is, as a JSON string. Whether the quotes
	// count is for those to agree who write and who read it.
	ContentOffset, ContentLength int64

	Size  int // bytes of the content, at most [document.MaxSize]
	Words int // words of the content
}

// A Posting says that a document has a term, and how often.
type Posting struct {
	Ordinal uint32
	Count   uint32 // at least 1
}
