package stages

import (
	"context"
	"errors"
	"fmt"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/pages/convert"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// A Conversion tells how a page became Markdown. It is zero for pages that were Markdown
// already.
type Conversion struct {
	Converter string            // name and version, such as "html/1"
	Source    document.Version  // of the bytes before the conversion
	Title     string            // title of the page, or ""
	Metadata  map[string]string // such as "lang"
}

// The metadata keys of converted pages. They let a later build decide whether it can reuse
// the document, so nothing in a page can change them. A version also gets no term in the
// index, because it is longer than the values that do.
const (
	converterKey     = "converter"
	sourceVersionKey = "source_version"
)

var (
	// ErrNoPage means that a valid source contains no page.
	// For example, it redirects to another page.
	ErrNoPage = convert.ErrSkipped

	// ErrUnconvertible means that a source is too damaged or too large to become Markdown.
	ErrUnconvertible = errors.New("cannot be converted to Markdown")
)

// ConverterOf returns the name and version of the converter for a source, such as
// "html/1", or "" if the source is Markdown. The extension decides.
func ConverterOf(path string) string {
	if c, ok := convert.ByName(path); ok {
		return c.Version()
	}
	return ""
}

// Convert turns a text into Markdown, or returns it unchanged if it is Markdown already.
// Errors name the source, and are [ErrNoPage], [ErrUnconvertible], or the cause of ctx.
func Convert(ctx context.Context, text Text) (converted Text, err error) {
	converter, ok := convert.ByName(text.Path)
	if !ok {
		return text, nil
	}
	if markdown.IsPointer(text.Content) {
		return Text{}, unconvertibleError{fmt.Errorf("%s: it is a Git LFS pointer: run git lfs pull", text.Path)}
	}
	page, err := converter.Convert(ctx, text.Path, text.Content)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return Text{}, context.Cause(ctx)
	case errors.Is(err, convert.ErrSkipped):
		return Text{}, err
	default:
		return Text{}, unconvertibleError{err}
	}
	made := Conversion{converter.Version(), document.VersionOf(text.Content), page.Title, page.Metadata}
	return Text{text.Source, page.Markdown, made}, nil
}

// An unconvertibleError is an [ErrUnconvertible] that only names the problem of the
// page, since builds list many of them in a single message.
type unconvertibleError struct{ error }

func (unconvertibleError) Is(target error) bool { return target == ErrUnconvertible }

// ConverterIn returns the converter that made a document, as its metadata names it, or "" if
// the document's source is Markdown. The front matter of Markdown can contain the same key.
func ConverterIn(doc document.Document) string {
	if ConverterOf(doc.Source) == "" {
		return ""
	}
	return doc.Metadata[converterKey].String()
}

// IsConvertedTo reports whether [Convert] and [Normalize] would turn the text into a
// document with this metadata.
func (t Text) IsConvertedTo(metadata document.Metadata) bool {
	return metadata[converterKey] == document.Text(ConverterOf(t.Path)) &&
		metadata[sourceVersionKey] == document.Text(document.VersionOf(t.Content).String())
}

// IsMountedAsMDX reports whether the mount of the source declares its pages to be MDX, which
// doesn't apply to converted pages.
func (t Text) IsMountedAsMDX() bool { return t.Conversion.Converter == "" && t.Source.IsMountedAsMDX() }

// addTo adds the metadata of a converted page that front matter and Markdown can replace.
func (c Conversion) addTo(metadata document.Metadata) {
	for key, value := range c.Metadata {
		metadata[key] = document.Text(value)
	}
	if c.Title != "" {
		metadata["title"] = document.Text(c.Title)
	}
}

// mark adds the metadata that tells how a converted page was made.
func (c Conversion) mark(metadata document.Metadata) {
	if c.Converter != "" {
		metadata[converterKey] = document.Text(c.Converter)
		metadata[sourceVersionKey] = document.Text(c.Source.String())
	}
}
