package stages

import (
	"errors"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/sources"
)

// A Text is a source with its bytes, which are valid UTF-8 and otherwise as found.
type Text struct {
	sources.Source
	Content []byte
}

// ErrNotUTF8 means that a source cannot become a document, because it is not UTF-8.
var ErrNotUTF8 = errors.New("not UTF-8")

// Read reads an open source to its end. It fails with [ErrNotUTF8], or like
// [sources.File.Read].
func Read(file *sources.File) (Text, error) {
	content, err := file.Read()
	if err != nil {
		return Text{}, err
	}
	if !utf8.Valid(content) {
		return Text{}, ErrNotUTF8
	}
	return Text{file.Source, content}, nil
}
