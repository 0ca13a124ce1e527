package cache

import "github.com/contextcompiler/context/fault"

// A Finding is one thing that is wrong with a cache.
type Finding struct {
	Code    string `json:"code"`    // one of the constants below; stable
	Path    string `json:"path"`    // slash path below the cache
	Message string `json:"message"` // for a person
}

// The codes of findings. They are part of the contract of `context verify`.
const (
	ManifestMissing  = "manifest_missing"        // no regular file manifest.json
	ManifestInvalid  = "manifest_invalid"        // manifest.json cannot be decoded
	CountMismatch    = "document_count_mismatch" // document_count is not the number of documents
	OrderInvalid     = "order_invalid"           // documents are not sorted by ID, or an ID stands twice
	IDInvalid        = "id_invalid"              // no path of a source makes the ID
	NameInvalid      = "file_name_invalid"       // a file name does not fit the version
	VersionMismatch  = "cache_version_mismatch"  // cache_version does not follow from the documents
	FileListMissing  = "index_missing"           // no regular file index.json
	FileListInvalid  = "index_invalid"           // index.json cannot be decoded
	FileListMismatch = "index_mismatch"          // index.json and the manifest differ
	DocumentMissing  = "document_missing"        // a document has no regular file
	DocumentInvalid  = "document_invalid"        // a document's file cannot be decoded
	DocumentMismatch = "document_mismatch"       // a file holds another document, version or source
	ContentMismatch  = "content_mismatch"        // content does not hash to its version
	FileUnexpected   = "file_unexpected"         // something that no cache holds

	IndexInvalid  = "selection_index_invalid"  // selection.idx is damaged, or of another manifest
	IndexMismatch = "selection_index_mismatch" // selection.idx does not follow from the documents
)

// Err returns the finding as a [fault.CacheInvalid].
func (f Finding) Err() error {
	return fault.Errorf(fault.CacheInvalid, "%s: %s", f.Path, f.Message)
}
