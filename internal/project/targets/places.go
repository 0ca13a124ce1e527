package targets

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/internal/project/watch"
)

// MakeParents creates the directories of outputs below a target's sources. A
// build would also create them, but remove them again if it fails, and such a change of
// the sources would trigger the next build.
func MakeParents(ctx context.Context, t Target, outputs []string) {
	for _, m := range locatedMounts(ctx, t.directories()) {
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

// PlacesOf returns the places where the sources of a target can change.
func PlacesOf(ctx context.Context, t Target, project string, outputs []string) (places []watch.Place, err error) {
	dirs, ignoring, err := sources.Directories(ctx, t.directories(), t.Build.Filter, 1)
	for _, a := range t.Commands() {
		dirs = append(dirs, a.Directories(ctx)...)
	}
	for _, dir := range dirs {
		if !slices.ContainsFunc(outputs, func(output string) bool { return isBelow(output, dir) }) {
			places = append(places, watch.Place{Dir: dir})
		}
	}
	for _, file := range ignoring {
		// Elsewhere, only what exists is watched: a project outside of git must not watch all
		// directories above it.
		if _, missing := os.Lstat(file); missing == nil || isBelow(project, file) {
			places = append(places, PlacesAbove(file, project)...)
		}
	}
	for _, m := range locatedMounts(ctx, t.directories()) {
		if root, err := files.Absolute(m.Dir); err == nil {
			places = append(places, PlacesAbove(root, project)...)
		}
		for _, file := range m.Watch {
			places = append(places, PlacesAbove(file, project)...)
		}
	}
	if t.Shared != nil {
		if lock, err := files.Absolute(t.Shared.lock); err == nil {
			places = append(places, PlacesAbove(lock, project)...)
		}
	}
	return places, err
}

// PlacesAbove returns the entries that lead to an absolute path. It continues upwards
// while directories are in the project, and otherwise until the first directory that
// exists.
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

// isBelow reports whether a path is a directory or below it. Both must be absolute.
func isBelow(dir, path string) bool {
	below, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(below)
}
