package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/internal/replace"
	"github.com/contextcompiler/context/internal/sources"
	"github.com/contextcompiler/context/internal/targets"
	"github.com/contextcompiler/context/internal/watch"
)

// The groups of a watcher: the Contextfile, then the targets.
const (
	contextfileGroup = iota
	firstTargetGroup
)

// look finds the places of some targets again and watches everything.
func (w *watching) look(ctx context.Context, dirty []int) error {
	if w.watcher == nil || len(dirty) == 0 {
		return nil
	}
	file, err := files.Absolute(w.path)
	if err != nil {
		return err
	}
	project := filepath.Dir(file)
	outputs := w.outputs()
	for _, i := range dirty {
		t := &w.targets[i]
		makeParents(t.Target, outputs)
		if t.places, err = placesOf(ctx, t.Target, project, outputs); err != nil {
			return err
		}
	}
	groups := [][]watch.Place{above(file, project)}
	if real, err := filepath.EvalSymlinks(file); err == nil && real != file {
		groups[0] = append(groups[0], watch.Place{Dir: filepath.Dir(real), Name: filepath.Base(real)})
	}
	for _, t := range w.targets {
		groups = append(groups, t.places)
	}
	if err := w.watcher.Watch(groups, outputs); err != nil {
		w.pollInstead(err)
	}
	return nil
}

// outputs returns the absolute paths of the caches.
func (w *watching) outputs() (paths []string) {
	for _, t := range w.targets {
		if output, err := replace.Locate(t.Build.Cache); err == nil { // or the build reports it
			paths = append(paths, output)
		}
	}
	return paths
}

// makeParents makes the directories that hold the outputs among a target's sources. A
// build would make them too, but remove them if it fails, and after this change of the
// sources it would begin again.
func makeParents(t targets.Target, outputs []string) {
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

// placesOf returns the places where the sources of a target may change.
func placesOf(ctx context.Context, t targets.Target, project string, outputs []string) (places []watch.Place, err error) {
	dirs, err := sources.Directories(ctx, t.Build.Sources, t.Build.Filter, 1)
	for _, dir := range dirs {
		if !slices.ContainsFunc(outputs, func(output string) bool { return isBelow(output, dir) }) {
			places = append(places, watch.Place{Dir: dir})
		}
	}
	for _, m := range t.Build.Sources {
		if root, err := files.Absolute(m.Dir); err == nil {
			places = append(places, above(root, project)...)
		}
	}
	return places, err
}

// above returns the entries that lead to an absolute path. It goes up as long as they lie
// in the project, or to the first directory that exists.
func above(path, project string) (places []watch.Place) {
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
