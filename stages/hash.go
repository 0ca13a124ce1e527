package stages

import "github.com/contextcompiler/context/document"

// Hash gives a document its version.
func Hash(doc document.Document) document.Document {
	doc.Version = document.VersionOf(doc.Content)
	return doc
}
