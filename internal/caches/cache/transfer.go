package cache

import (
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/replace"
)

// Paths returns the slash paths of all files of the cache except the index, sorted.
func (m Manifest) Paths() []string {
	paths := make([]string, 0, len(m.Documents)+2)
	for _, e := range m.Documents {
		paths = append(paths, e.File)
	}
	slices.Sort(paths)
	return append(paths, fileListName, ManifestPath)
}

// OpenFile opens a file by its slash path, which must come from [Manifest.Paths] of a
// checked manifest or be [IndexPath]. Its errors match [fs.ErrNotExist] if the file is
// missing.
func (c *Files) OpenFile(path string) (*os.File, fs.FileInfo, error) {
	name, isDocument := strings.CutPrefix(path, DocumentsDir+"/")
	dir := c.root
	if isDocument {
		dir = c.documents
	}
	if dir == nil {
		return nil, nil, readError(path, fs.ErrNotExist)
	}
	f, found, err := files.OpenPlain(dir, name)
	return f, found, readError(path, err)
}

// Receive begins to put a finished cache at path, whose files the caller writes. It fails
// like [Create].
func Receive(path string, replaceExisting bool) (*replace.Staging, error) {
	return replace.Begin(path, replace.Options{
		Replace: replaceExisting,
		Admit:   func(at string) error { return admit(at, path, replaceExisting) },
	})
}
