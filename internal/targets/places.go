package targets

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/internal/replace"
	"github.com/contextcompiler/context/internal/watch"
	"github.com/contextcompiler/context/stages"
)

// MakeParents makes the directories that hold the outputs among a target's sources. A
// build would make them too, but remove them if it fails, and after this change of the
// sources it would begin again.
func MakeParents(t Target, outputs []string) {
	for _, m := range t.Build.Sources {
		root, err := replace.Locate(m.Dir)
		if _, missing := os.Stat(root); err != nil || missing != nil {
			continue
		}
		for _, output := range outputs {
			if isBelow(root, output) {
				_ = os.MkdirAll(filepath.Dir(output), 0o777) // or the build reports it
			}
		}
	}
}

// PlacesOf returns the places where the sources of a target may change.
func PlacesOf(ctx context.Context, t Target, project string, outputs []string) (places []watch.Place, err error) {
	dirs, err := stages.Directories(ctx, t.Build.Sources, t.Build.Filter, 1)
	for _, dir := range dirs {
		if !slices.ContainsFunc(outputs, func(output string) bool { return isBelow(output, dir) }) {
			places = append(places, watch.Place{Dir: dir})
		}
	}
	for _, m := range t.Build.Sources {
		if root, err := files.Absolute(m.Dir); err == nil {
			places = append(places, PlacesAbove(root, project)...)
		}
	}
	return places, err
}

// PlacesAbove returns the entries that lead to an absolute path. It goes up as long as they lie
// in the project, or to the first directory that exists.
func PlacesAbove(path, project string) (places []watch.Place) {
	for dir := filepath.Dir(path); dir != path; path, dir = dir, filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			places = append(places, watch.Place{Dir: real, Name: filepath.Base(path)})
		}
		if err == nil && (dir == project || !isBelow(project, dir)) {
			break
		}
	}
	return places
}

// isBelow reports whether a path is that of a directory or below it. Both are absolute.
func isBelow(dir, path string) bool {
	below, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(below)
}
