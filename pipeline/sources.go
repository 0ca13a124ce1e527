package pipeline

import "github.com/contextcompiler/context/internal/sources"

// A Mount is a directory of pages and their place among the sources of a build.
type Mount = sources.Mount

// A SourceFilter leaves files out of the sources of a build.
type SourceFilter = sources.SourceFilter

// A Warning is about something that a build leaves out.
type Warning = sources.Warning
