//go:build linux

package watch

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/base/effort"
)

// Whatever happens to a tree while it is watched, at the end every directory is.
func TestAfterAStormEveryDirectoryIsWatched(t *testing.T) {
	root := makeDirs(t, "a/s/t", "b/s/t")
	w, err := Open()
	if err != nil {
		t.Skipf("the system watches no more: %v", err)
	}
	defer w.Close()
	for storm := range uint64(effort.Cases(8, 3)) {
		random := rand.New(rand.NewPCG(storm, 0))
		over := make(chan struct{})
		go func() {
			defer close(over)
			for range 60 {
				change(root, random)
			}
		}()
		for isOver := false; !isOver; {
			select {
			case <-over:
				isOver = true
			default:
			}
			watchTree(t, w, root)
		}
		var dirs []string
		for isQuiet := false; !isQuiet; {
			dirs = watchTree(t, w, root)
			groups, err := w.Next(t.Context(), 10*quiet) // the events of a busy machine are late
			if err != nil {
				t.Fatal(err)
			}
			isQuiet = len(groups) == 0
		}
		probe(t, w, dirs, fmt.Sprint("probe", storm))
	}
}

// probe writes a file into every directory, each of which is a group, and waits for the
// events.
func probe(t *testing.T, w *Watcher, dirs []string, name string) {
	t.Helper()
	for _, dir := range dirs {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	missing := map[int]bool{}
	for i := range dirs {
		missing[i] = true
	}
	for len(missing) > 0 {
		groups, err := w.Next(t.Context(), 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if len(groups) == 0 {
			for i := range missing {
				t.Errorf("%s: there is no event of %s", name, dirs[i])
			}
			return
		}
		for _, group := range groups {
			delete(missing, group)
		}
	}
}

// watchTree watches the directories of a tree, each as a group, and returns them.
func watchTree(t *testing.T, w *Watcher, root string) (dirs []string) {
	t.Helper()
	var groups [][]Place
	filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, path)
			groups = append(groups, []Place{{Dir: path}})
		}
		return nil
	})
	if err := w.Watch(groups, nil); err != nil {
		t.Fatal(err)
	}
	return dirs
}

// change makes, removes, renames or exchanges directories of a tree. It may fail.
func change(root string, random *rand.Rand) {
	draw := func() string {
		path := root
		for depth := range 3 {
			if depth == 0 || random.IntN(2) == 0 {
				path = filepath.Join(path, string("abst"[random.IntN(4)]))
			}
		}
		return path
	}
	from, to := draw(), draw()
	switch random.IntN(5) {
	case 0:
		os.RemoveAll(from)
	case 1:
		os.RemoveAll(from)
		os.MkdirAll(from, 0o777) // its inode may be the same
	case 2:
		os.MkdirAll(from, 0o777)
	case 3:
		os.Rename(from, to)
	case 4:
		aside := filepath.Join(root, "aside")
		os.Rename(from, aside)
		os.Rename(to, from)
		os.Rename(aside, to)
	}
}
