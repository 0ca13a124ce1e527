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
	"slices"
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
	name       string
	version    int      // counts changes of the Markdown of any page
	extensions []string // of its files, in lower case
	file       string   // the name of its files, whatever their extension; "" for none
	convert    func(ctx context.Context, content []byte) (Converted, error)
}

// PythonMetadata is the name of the file that describes an installed Python package.
const PythonMetadata = "METADATA"

// Converters are all converters. Files of YAML and JSON go to the one for OpenAPI, which skips
// all others.
var Converters = []Converter{
	{"html", 1, []string{".html", ".htm"}, "", convertHTML},
	{"xhtml", 1, []string{".xhtml"}, "", convertXHTML},
	{"notebook", 1, []string{".ipynb"}, "", convertNotebook},
	{"openapi", 1, []string{".yaml", ".yml", ".json"}, "", convertOpenAPI},
	{"go", 1, []string{".go"}, "", convertGo},
	{"python", 1, nil, PythonMetadata, convertMetadata},
}

// ByName returns the converter for a file by its name and its extension, in any case.
func ByName(name string) (c Converter, ok bool) {
	base, extension := path.Base(name), strings.ToLower(path.Ext(name))
	for _, c := range Converters {
		if base == c.file || slices.Contains(c.extensions, extension) {
			return c, true
		}
	}
	return Converter{}, false
}

// Version returns the name of the converter and the number of its rules, such as
// "html/1". The number changes whenever the Markdown of any page does.
func (c Converter) Version() string { return fmt.Sprintf("%s/%d", c.name, c.version) }

// IsCurrent reports whether a version is that of one of the converters.
func IsCurrent(version string) bool {
	return slices.ContainsFunc(Converters, func(c Converter) bool { return c.Version() == version })
}

// Convert converts a page. Errors start with source, the path of the page. If the
// file yields no page, the error is an [ErrSkipped].
func (c Converter) Convert(ctx context.Context, source string, content []byte) (page Converted, err error) {
	if len(content) > MaxSize {
		return Converted{}, fmt.Errorf("%s: larger than %d MiB", source, MaxSize>>20)
	}
	page, err = c.convert(ctx, content)
	if err == nil && len(page.Markdown) > MaxSize {
		err = errLarge
	}
	if err != nil {
		return Converted{}, fmt.Errorf("%s: %w", source, err)
	}
	return page, nil
}

// errLarge is the error of a page whose Markdown is too large.
var errLarge = fmt.Errorf("the Markdown is larger than %d MiB", MaxSize>>20)
