// Package targets reads a Contextfile.yml, which declares the caches of a project: their
// sources, their directories, and how well they must answer. It also examines the caches
// and finds the places to watch. Start with [Find] and [Read]. docs/contextfile.md describes
// the file.
package targets

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/actions"
	"github.com/contextcompiler/context/internal/acquire/fetch"
	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/base/yaml12"
	"github.com/contextcompiler/context/pipeline"
)

// Name is the name of the file.
const Name = "Contextfile.yml"

// outputs is the directory of caches whose targets don't set an output.
const outputs = "build/context"

// maxSize is the maximum size of a Contextfile, in bytes.
const maxSize = yaml12.MaxSize

// A Contextfile declares the targets of a project. Its paths are joined to the directory
// of the file, so they are relative if the path of the file is.
type Contextfile struct {
	Path    string
	Targets []Target // in the order of the file, with different names and outputs
}

// A Target is a cache to build.
type Target struct {
	Name   string          // allowed by [answers.IsName]
	Build  pipeline.Config // with Force; without Jobs and what flags decide
	Shared *SharedCache    // instead of the sources of Build; nil if the target has sources
	Remote []fetch.Origin  // among the sources of Build, in the order of the file
	Checks []Check

	// Actions contains an element for each source of Build: the command that makes its
	// pages, or nil.
	Actions []*actions.BuildAction
}

// A Check says how well the cache of a target must answer.
type Check struct {
	Queries, Qrels string // files, as `context eval` reads them
	Baseline       string // file, an earlier report; "" for none
	Tolerance      *evaluation.Fraction
	Budgets        []uint64 // at least one
	Gates          []evaluation.Gate
}

// Find returns the path of the Contextfile in a directory or the nearest directory above, or ""
// without a file. The path is relative if dir is. If there is only a file with another spelling of
// its name, Find fails with a [MisspelledError].
func Find(dir string) (string, error) {
	misspelled := ""
	at, err := files.Absolute(dir)
	if err != nil {
		return "", fault.Errorf(fault.IO, "find %s: %w", Name, err)
	}
	for {
		path := filepath.Join(dir, Name)
		_, err := os.Lstat(path)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fault.Errorf(fault.IO, "%s %w", path, fault.Cause(err))
		}
		misspelled = cmp.Or(misspelled, Misspelled(dir))
		above := filepath.Dir(at)
		if above == at && misspelled != "" {
			return "", MisspelledError(misspelled)
		}
		if above == at {
			return "", nil
		}
		at, dir = above, filepath.Join(dir, "..")
	}
}

// A MisspelledError is the path of a file that looks like a Contextfile with another name.
type MisspelledError string

func (e MisspelledError) Error() string {
	return fmt.Sprintf("%s is not read because of its name: rename it to %s", string(e), filepath.Join(filepath.Dir(string(e)), Name))
}

// misspellings are names that people give to a Contextfile.
var misspellings = []string{"Contextfile.yaml", "contextfile.yml", "contextfile.yaml", "Contextfile", "contextfile", ".contextfile.yml", ".contextfile.yaml"}

// Misspelled returns the path of a file in a directory whose name is nearly that of a Contextfile,
// or "". No command reads such a file.
func Misspelled(dir string) string {
	for _, name := range misspellings {
		path := filepath.Join(dir, name)
		if found, err := os.Stat(path); err == nil && found.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// Read reads the Contextfile at a path. It fails with [fault.IO] if the file cannot be
// read, and with [fault.ContextInvalid] if it contains an error, whose line the message
// names.
func Read(path string, environment Environment) (*Contextfile, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	f, err := parse(path, text, environment)
	if err != nil {
		return nil, fault.Errorf(fault.ContextInvalid, "%w", err)
	}
	return f, nil
}

// Choose returns the named targets in the order of the file, or all targets if there are
// no names. It fails if a target doesn't exist.
func (f *Contextfile) Choose(names []string) ([]Target, error) {
	if len(names) == 0 {
		return f.Targets, nil
	}
	for _, name := range names {
		if !slices.ContainsFunc(f.Targets, func(t Target) bool { return t.Name == name }) {
			return nil, fmt.Errorf("%s declares no target %q%s", f.Path, name, f.like(name))
		}
	}
	isOther := func(t Target) bool { return !slices.Contains(names, t.Name) }
	return slices.DeleteFunc(slices.Clone(f.Targets), isOther), nil
}

// like suggests other targets for an unknown name.
func (f *Contextfile) like(name string) string {
	var names []string
	for _, t := range f.Targets {
		names = append(names, t.Name)
	}
	if near := words.Nearest(name, names); near != nil {
		return "; did you mean " + near[0]
	}
	const most = 10
	return ": it declares " + strings.Join(words.Few(names, most), ", ")
}
