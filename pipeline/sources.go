package pipeline

import "github.com/contextcompiler/context/internal/sources"

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
// directory in Include takes all files below it, and a pattern that begins with "!" takes
// files back. Without Extensions, pages need the extension that a pattern of Include ends
// in, such as .mdx for *.mdx, or else .md.
//
// The method Check returns an error unless Prefix is a path, the extensions are parts of
// file names, and Include takes files. Builds check their mounts themselves.
type Mount = sources.Mount

// A SourceFilter leaves files out of a build, in addition to those that a .contextignore
// file at the root of a mount names. The zero SourceFilter leaves out nothing. Its fields
// are:
//
//	Exclude   []string // patterns as in .gitignore, for the paths of sources with their prefix
//	Gitignore bool     // leave out what the .gitignore files of the tree name
type SourceFilter = sources.SourceFilter

// A Warning is about something that a build leaves out, or that a person should look at.
// Its fields are:
//
//	Text       string // what is wrong, for a person
//	File       string // path of the file that it is about; "" for none
//	Extensions string // extensions that a mount could take as well, such as "MD,mdx"; "" for none
type Warning = sources.Warning
