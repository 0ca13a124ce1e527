package watch

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"

	"github.com/contextcompiler/context/internal/base/replace"
)

// collect takes the events and errors of the system immediately, because its queue is
// short.
func (w *Watcher) collect(events <-chan fsnotify.Event, failures <-chan error) {
	for {
		select {
		case e, isOpen := <-events:
			if !isOpen {
				return
			}
			w.note(e)
		case _, isOpen := <-failures:
			if !isOpen {
				return
			}
			w.loseTrack() // its queue was full, as a rule
		}
	}
}

// note marks the groups an event may concern.
func (w *Watcher) note(e fsnotify.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	// Indexers and backups change attributes all the time.
	if e.Op == 0 || e.Op == fsnotify.Chmod || w.isAboutOutput(e) {
		return
	}
	if w.mu.dirs[e.Name] && e.Op != fsnotify.Write {
		w.mu.replaced[e.Name] = true
	}
	dir, name := filepath.Split(e.Name)
	dir = filepath.Clean(dir)
	w.mark(Place{dir, ""})
	w.mark(Place{dir, name})
	w.mark(Place{e.Name, ""})
}

// isAboutOutput reports whether an event comes from a build of the caller.
func (w *Watcher) isAboutOutput(e fsnotify.Event) bool {
	for _, output := range w.mu.outputs {
		isBeside := filepath.Dir(e.Name) == filepath.Dir(output) && replace.IsTransient(filepath.Base(e.Name))
		// On Windows, a change in a directory is also an event of the directory.
		if isBeside || holds(output, e.Name) || e.Op == fsnotify.Write && holds(e.Name, output) {
			return true
		}
	}
	return false
}

// holds reports whether a path is a directory or below it. Both must be clean.
func holds(dir, path string) bool {
	below, found := strings.CutPrefix(path, dir)
	return found && (below == "" || os.IsPathSeparator(below[0]))
}

// loseTrack marks all groups and directories, because events were lost.
func (w *Watcher) loseTrack() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for dir := range w.mu.dirs {
		w.mu.replaced[dir] = true
	}
	for p := range w.mu.groups {
		w.mark(p)
	}
}

// mark marks the groups of a place as changed. The caller must hold the lock.
func (w *Watcher) mark(p Place) {
	for _, group := range w.mu.groups[p] {
		w.mu.changed[group] = true
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}
