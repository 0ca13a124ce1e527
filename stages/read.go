package stages

import (
	"errors"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/pages/sources"
)

// A Text is a source with its bytes as found, or with the Markdown that they became. All
// Markdown is valid UTF-8.
type Text struct {
	sources.Source
	Content    []byte
	Conversion Conversion
}

// ErrNotUTF8 means that a source cannot become a document, because it is not UTF-8.
var ErrNotUTF8 = errors.New("not UTF-8")

// Read reads an open source to its end. It fails like [sources.File.Read], and with
// [ErrNotUTF8] unless a converter will decode the text. It uses the memory of buf if that is
// large enough.
func Read(file *sources.File, buf []byte) (Text, error) {
	content, err := file.Read(buf)
	if err != nil {
		return Text{}, err
	}
	if ConverterOf(file.Source.Path) == "" && !utf8.Valid(content) {
		return Text{}, ErrNotUTF8
	}
	return Text{Source: file.Source, Content: content}, nil
}
