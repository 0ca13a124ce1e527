package pipeline

import "github.com/contextcompiler/context/internal/pages/sources"

// A Mount is a directory of pages and the place of these pages among the sources of a
// build. A Mount with nothing but Dir takes all files named *.md below it:
//
//	Mount{Dir: "docs"}
//	Mount{Dir: "../api", Prefix: "api/v2", Extensions: []string{"md", "mdx"}, Exclude: []string{"drafts/"}}
//
// Its fields are:
//
//	Dir        string   // path of the directory
//	Prefix     string   // slash path before the paths of the pages; "" for none
//	Extensions []string // of pages, without a dot; none means md
//	Include    []string // patterns of files that are pages; none means all files
//	Exclude    []string // patterns of files and directories to leave out
//	SkipHidden bool     // skip node_modules and hidden directories that Include doesn't name
//	MDX        bool     // read pages of any extension as MDX, unless their front matter says otherwise
//
// Patterns are written as in .gitignore and match paths below Dir. A pattern of a
// directory in Include takes all files below it, and a leading "!" takes files back. Without
// Extensions, pages need the extension at the end of a pattern of Include, for example .mdx
// for *.mdx, and otherwise .md.
//
// The method Check returns an error unless Prefix is a path, the extensions are parts of
// file names, and Include takes files. Builds check their mounts themselves.
type Mount = sources.Mount

// A SourceFilter leaves files out of a build. It adds to the .contextignore files at the
// roots of the mounts. The zero SourceFilter leaves out nothing. Its fields are:
//
//	Exclude   []string // patterns as in .gitignore, matched against paths with the prefix of their mount
//	Gitignore bool     // leave out what git ignores, from the top of the working tree down
type SourceFilter = sources.SourceFilter

// A Shard is a part of the pages of a build, chosen by a hash of their IDs, so that several
// machines can build a part each. `context merge` makes a single cache of all parts. The
// zero Shard means all pages. Its fields are:
//
//	Number int // from 1 to Of
//	Of     int // number of shards, at most 10,000
type Shard = sources.Shard

// A Warning is about a file left out of a build, or about another problem a person should
// look at. Its fields are:
//
//	Text       string // the problem and its cause, for users
//	File       string // path of the file, or "" for none
//	Extensions string // extensions to add to a mount, such as "MD,mdx", or "" for none
type Warning = sources.Warning
