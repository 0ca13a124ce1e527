package sources

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/internal/ignore"
	"github.com/contextcompiler/context/internal/parallel"
)

// maxListSize is the most bytes of a list of sources.
const maxListSize = 256 << 20

// DiscoverListed returns the sources that a list names. Each of its lines has the path of
// a source, a tab, and the path of the file to read, which may lie anywhere and be a
// symlink. Only filter.Exclude leaves out sources.
//
// It fails with [fault.IO] if the list or a file cannot be read, or a line has another
// form, and with [fault.CacheInvalid] if sources share an ID.
func DiscoverListed(ctx context.Context, list string, filter SourceFilter, jobs int) (Discovery, error) {
	text, err := readList(list)
	if err != nil {
		return Discovery{}, err
	}
	all, err := parseList(list, text)
	if err != nil {
		return Discovery{}, err
	}
	var found Discovery
	unmatched, excluded := patternsOf(nil, filter), filter.exclude(ignore.Rules{})
	for _, s := range all {
		if !leavesOut(excluded, s.Path, false, unmatched) {
			found.Documents = append(found.Documents, s)
		}
	}
	found.Warnings = unmatched.warnings()
	_, err = parallel.Each(ctx, jobs, len(found.Documents), func(_ context.Context, _, i int) (struct{}, error) {
		return struct{}{}, found.Documents[i].look(list)
	})
	if err != nil {
		return Discovery{}, err
	}
	return found, found.finish()
}

func readList(list string) (string, error) {
	file, info, err := files.OpenAnywhere(list)
	if err != nil {
		return "", fault.Errorf(fault.IO, "no list of sources at %s: %w", list, fault.Cause(err))
	}
	defer file.Close()
	if info.Size() > maxListSize {
		return "", fault.Errorf(fault.IO, "%s is larger than %d bytes", list, maxListSize)
	}
	text, err := files.Read(file, nil, info.Size())
	if err != nil {
		return "", fault.Errorf(fault.IO, "read %s: %w", list, fault.Cause(err))
	}
	return string(text), nil
}

// parseList returns the sources of a list in the order of its lines. Programs on Windows
// begin a file with a byte order mark and end lines with a carriage return, too.
func parseList(list, text string) (all []Source, err error) {
	line := 0
	for content := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		line++
		content = strings.TrimSuffix(strings.TrimSuffix(content, "\n"), "\r")
		path, file, isPair := strings.Cut(content, "\t")
		switch {
		case !isPair || file == "":
			return nil, fault.Errorf(fault.IO, "%s:%d: want the path of a source, a tab, and a file", list, line)
		case !isPath(path) || !document.IDOf(path).IsValid():
			return nil, fault.Errorf(fault.IO, "%s:%d: %q is not the path of a source, such as guide/install.md", list, line, path)
		case strings.Count(path, "/") > maxDepth:
			return nil, fault.Errorf(fault.IO, "%s:%d: %s %w", list, line, path, ErrTooDeep)
		}
		all = append(all, Source{ID: document.IDOf(path), Path: path, file: file, line: line})
	}
	return all, nil
}

// look makes sure that the file of a listed source can be read.
func (s Source) look(list string) error {
	found, err := os.Stat(s.file)
	if err == nil && !found.Mode().IsRegular() {
		err = files.ErrNotRegular
	}
	if err != nil {
		return fault.Errorf(fault.IO, "%s:%d: %s %w: %w", list, s.line, s.file, ErrUnreadable, fault.Cause(err))
	}
	return nil
}

// KeepApart refuses a directory at a path that holds a file of a list, because it would be
// replaced with it. The path is absolute and without symlinks; messages call it shown.
func (d Discovery) KeepApart(located, shown string) error {
	if _, err := os.Lstat(located); err != nil {
		return nil // there is nothing yet
	}
	directories := realDirectories{}
	for _, source := range d.Documents {
		if source.root != nil {
			continue
		}
		if inside, err := filepath.Rel(located, directories.of(source.file)); err == nil && filepath.IsLocal(inside) {
			return fault.Errorf(fault.IO, "the cache %s would take the place of %s: choose another path", shown, source.fileName())
		}
	}
	return nil
}

// realDirectories maps directories to their absolute paths without symlinks. A list names many
// files in few directories.
type realDirectories map[string]string

// of returns the path without symlinks of a file that exists.
func (d realDirectories) of(file string) string {
	const longestChain = 255 // that systems follow, or less
	for range longestChain {
		dir, name := filepath.Split(file)
		if _, known := d[dir]; !known {
			real, _ := filepath.EvalSymlinks(cmp.Or(dir, "."))
			d[dir], _ = files.Absolute(real)
		}
		file = filepath.Join(d[dir], name)
		target, err := os.Readlink(file)
		if err != nil { // it is no symlink
			break
		}
		if file = target; !filepath.IsAbs(target) {
			file = d[dir] + string(filepath.Separator) + target
		}
	}
	return file
}
