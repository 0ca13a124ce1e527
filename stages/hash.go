package stages

import "github.com/contextcompiler/context/document"

// Hash turns a draft into a document by giving it its version.
func Hash(draft Draft) document.Document {
	return document.Document{
		ID:       draft.ID,
		Version:  document.VersionOf(draft.Content),
		Source:   draft.Source,
		Content:  draft.Content,
		Metadata: draft.Metadata,
	}
}
