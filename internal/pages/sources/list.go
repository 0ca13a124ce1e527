package sources

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/ignore"
	"github.com/contextcompiler/context/internal/base/parallel"
)

// maxListSize is the largest list of sources that can be read, in bytes.
const maxListSize = 256 << 20

// DiscoverListed returns the sources in a list. Each line contains the path of a source,
// a tab, and the path of the file to read, which may lie anywhere and may be a symlink.
// Of the filter, only Exclude applies.
//
// It fails with [fault.IO] if the list or a file cannot be read or if a line is
// malformed, and with [fault.CacheInvalid] if several sources share an ID.
func DiscoverListed(ctx context.Context, list string, filter SourceFilter, jobs int) (Discovery, error) {
	text, err := files.ReadInput(ctx, list, maxListSize)
	if err != nil {
		return Discovery{}, fault.Errorf(fault.IO, "cannot read the list of sources %s: %w", list, fault.Cause(err))
	}
	all, err := parseList(list, string(text))
	if err != nil {
		return Discovery{}, err
	}
	var found Discovery
	patterns, excluded := patternsOf(nil, filter), filter.exclude(ignore.Rules{})
	for _, s := range all {
		if !leavesOut(excluded, s.Path, false, patterns) {
			found.Documents = append(found.Documents, s)
		}
	}
	found.Warnings = append(misread(found.Documents), patterns.warnings()...)
	_, err = parallel.Each(ctx, jobs, len(found.Documents), func(_ context.Context, _, i int) (struct{}, error) {
		return struct{}{}, found.Documents[i].look(list)
	})
	if err != nil {
		return Discovery{}, err
	}
	return found, found.finish()
}

// parseList returns the sources in the order of their lines. Since programs on Windows
// start a file with a byte order mark and end lines with a carriage return, it accepts
// both.
func parseList(list, text string) (all []Source, err error) {
	line := 0
	for content := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		line++
		content = strings.TrimSuffix(strings.TrimSuffix(content, "\n"), "\r")
		path, file, isPair := strings.Cut(content, "\t")
		switch {
		case !isPair || file == "":
			return nil, fault.Errorf(fault.IO, "%s:%d: expected the path of a source, a tab, and the path of a file", list, line)
		case !isPath(path) || !document.IDOf(path).IsValid():
			return nil, fault.Errorf(fault.IO, "%s:%d: %q is not the path of a source, such as guide/install.md", list, line, path)
		case strings.Count(path, "/") > maxDepth:
			return nil, fault.Errorf(fault.IO, "%s:%d: %s %w", list, line, path, ErrTooDeep)
		}
		all = append(all, Source{ID: document.IDOf(path), Path: path, other: &otherSource{file: file, line: line}})
	}
	return all, nil
}

// look fails unless the file of a listed source is a regular file.
func (s Source) look(list string) error {
	found, err := os.Stat(s.file())
	if err == nil && !found.Mode().IsRegular() {
		err = files.ErrNotRegular
	}
	if err != nil {
		return fault.Errorf(fault.IO, "%s:%d: %s %w: %w", list, s.line(), s.file(), ErrUnreadable, fault.Cause(err))
	}
	return nil
}

// KeepApart fails if a listed file lies in the directory at located, because replacing
// that directory would delete the file. The path located must be absolute and free of
// symlinks; error messages show it as shown.
func (d Discovery) KeepApart(located, shown string) error {
	if _, err := os.Lstat(located); err != nil {
		return nil // nothing is there yet
	}
	for _, source := range d.Documents {
		if source.root != nil {
			continue
		}
		real, err := filepath.EvalSymlinks(source.file())
		if err == nil {
			real, err = files.Absolute(real)
		}
		if inside, _ := filepath.Rel(located, real); err == nil && filepath.IsLocal(inside) {
			return fault.Errorf(fault.IO, "the cache %s would take the place of %s: choose another path", shown, source.fileName())
		}
	}
	return nil
}
