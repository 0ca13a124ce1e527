package cache

import "github.com/contextcompiler/context/fault"

// A Finding describes a single problem of a cache.
type Finding struct {
	Code    string `json:"code"`    // one of the constants below, which are stable
	Path    string `json:"path"`    // slash path below the cache
	Message string `json:"message"` // for a person
}

// The codes of findings. They are part of the contract of `context verify`.
const (
	ManifestMissing  = "manifest_missing"        // no regular file manifest.json
	ManifestInvalid  = "manifest_invalid"        // manifest.json cannot be decoded
	CountMismatch    = "document_count_mismatch" // document_count is not the number of documents
	OrderInvalid     = "order_invalid"           // documents are not sorted by ID, or an ID is duplicate
	IDInvalid        = "id_invalid"              // no path of a source gives the ID
	NameInvalid      = "file_name_invalid"       // a file name does not match its version
	VersionMismatch  = "cache_version_mismatch"  // cache_version does not match the documents
	ConvertMismatch  = "converters_mismatch"     // converters does not match the documents
	FileListMissing  = "index_missing"           // no regular file index.json
	FileListInvalid  = "index_invalid"           // index.json cannot be decoded
	FileListMismatch = "index_mismatch"          // index.json and the manifest differ
	DocumentMissing  = "document_missing"        // there is no regular file for a document
	DocumentInvalid  = "document_invalid"        // a document's file cannot be decoded
	DocumentMismatch = "document_mismatch"       // a file contains another document, version or source
	ContentMismatch  = "content_mismatch"        // content does not hash to its version
	FileUnexpected   = "file_unexpected"         // a file that doesn't belong to a cache

	IndexInvalid  = "selection_index_invalid"  // selection.idx is damaged, or belongs to another manifest
	IndexMismatch = "selection_index_mismatch" // selection.idx does not match the documents
)

// Err returns the finding as a [fault.CacheInvalid].
func (f Finding) Err() error {
	if f.Path == IndexPath {
		return fault.Errorf(fault.CacheInvalid, "%w: %s", ErrIndex, f.Message)
	}
	return fault.Errorf(fault.CacheInvalid, "%s: %s", f.Path, f.Message)
}
