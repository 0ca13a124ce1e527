// Package convert turns pages that are not Markdown into Markdown: HTML, Jupyter
// notebooks, OpenAPI descriptions, Go packages and the metadata of Python packages. It is
// pure.
//
//	HTML      tokens ─> tree ─> main content ─┐
//	notebook  JSON ─> cells ──────────────────┤
//	OpenAPI   YAML ─> operations, schemas ────┼─> Markdown, title, metadata
//	Go        files ─> declarations, comments ┤
//	Python    headers, description ───────────┘
//
// The same bytes give the same Markdown on every platform. Nothing in a page is
// run, and no link, image or reference to another file is followed.
//
// # Bounds
//
// A page can contain up to [MaxSize] bytes, and so can its Markdown. Time is linear in
// both: the worst 16 MiB that we found take less than three seconds, and those of a Go package
// 20. Memory is bounded by the
// number of elements and not only by bytes, because a tag of three bytes takes a hundred in the
// tree. So a conversion needs up to 600 MiB for a hostile page. Real pages need about 10
// times their size.
package convert

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
)

// MaxSize is the most bytes of a page, and of the Markdown that it becomes.
const MaxSize = 16 << 20

// Converted is a converted page.
type Converted struct {
	Markdown []byte            // valid UTF-8 that ends with a line feed
	Title    string            // what the page calls itself, or ""
	Metadata map[string]string // such as "description" and "lang"; nil if there is none
}

// ErrSkipped is the reason why a file yields no page even though nothing is wrong
// with it. For example, it redirects to another page, or it's JSON but doesn't
// describe an API.
var ErrSkipped = errors.New("no page")

// skip returns an [ErrSkipped] that says why.
func skip(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrSkipped}, args...)...)
}

// A Converter reads the pages of one format.
type Converter struct {
	name    string
	version int
	convert func(ctx context.Context, content []byte) (Converted, error)
}

// The versions count changes of the Markdown that a converter writes.
var (
	htmlConverter     = Converter{"html", 1, convertHTML}
	xhtmlConverter    = Converter{"xhtml", 1, convertXHTML}
	notebookConverter = Converter{"notebook", 1, convertNotebook}
	openAPIConverter  = Converter{"openapi", 1, convertOpenAPI}
	goConverter       = Converter{"go", 1, convertGo}
	pythonConverter   = Converter{"python", 1, convertMetadata}
)

// byExtension contains the converters by the extension of a file, in lower case.
var byExtension = map[string]Converter{
	".html":  htmlConverter,
	".htm":   htmlConverter,
	".xhtml": xhtmlConverter,
	".ipynb": notebookConverter,
	".yaml":  openAPIConverter,
	".yml":   openAPIConverter,
	".json":  openAPIConverter,
	".go":    goConverter,
}

// PythonMetadata is the name of the file that describes an installed Python package.
const PythonMetadata = "METADATA"

// ByName returns the converter for a file by its extension, in any case. Files of
// YAML and JSON go to the converter for OpenAPI, which skips all others. Of the files
// without an extension, only [PythonMetadata] can be converted.
func ByName(name string) (c Converter, ok bool) {
	if path.Base(name) == PythonMetadata {
		return pythonConverter, true
	}
	c, ok = byExtension[strings.ToLower(path.Ext(name))]
	return c, ok
}

// Version returns the name of the converter and the number of its rules, such as
// "html/1". The number changes whenever the Markdown of any page does.
func (c Converter) Version() string { return fmt.Sprintf("%s/%d", c.name, c.version) }

// IsCurrent reports whether a version is that of one of the converters.
func IsCurrent(version string) bool {
	for _, c := range byExtension {
		if c.Version() == version {
			return true
		}
	}
	return false
}

// Convert converts a page. Errors start with source, the path of the page. If the
// file yields no page, the error is an [ErrSkipped].
func (c Converter) Convert(ctx context.Context, source string, content []byte) (Converted, error) {
	page, err := c.page(ctx, content)
	if err != nil {
		return Converted{}, fmt.Errorf("%s: %w", source, err)
	}
	return page, nil
}

func (c Converter) page(ctx context.Context, content []byte) (Converted, error) {
	if len(content) > MaxSize {
		return Converted{}, fmt.Errorf("larger than %d MiB", MaxSize>>20)
	}
	page, err := c.convert(ctx, content)
	if err == nil && len(page.Markdown) > MaxSize {
		err = errLarge
	}
	return page, err
}

// errLarge is the error of a page whose Markdown is too large.
var errLarge = fmt.Errorf("the Markdown is larger than %d MiB", MaxSize>>20)
