// Package docs is this project's documentation, for `context demo` to compile.
package docs

import "embed"

// Files holds the Markdown files of this directory.
//
//go:embed *.md
var Files embed.FS
