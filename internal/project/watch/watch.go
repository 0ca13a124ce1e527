// Package watch says which groups of files may have changed.
//
// A group is a list of places: directories, or names in them. An event at a place is only
// a hint. Callers must look for changes themselves, so a spurious event only costs time.
// However, no change is lost: a new directory counts as an event, because files may appear
// in it before it is watched, and a loss of events counts as an event everywhere.
//
// The system watches directories, but not trees. Therefore, a group for a tree must
// contain a place for each directory, and [Watcher.Watch] takes the new list after a change.
package watch

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/contextcompiler/context/internal/base/replace"
)

const (
	quiet    = 100 * time.Millisecond // how long nothing must change before Next returns
	patience = 3 * time.Second        // how long Next waits for quiet
)

// A Place is a directory, or a name in it.
type Place struct {
	Dir  string // absolute path without symlinks
	Name string // "" for all entries
}

// A Watcher watches groups of places. It is not safe for concurrent use.
type Watcher struct {
	open    opener
	system  notifier
	watched map[string]fs.FileInfo // by path: the directories watched by the system
	wake    chan struct{}          // contains an element after a change

	mu struct { // shared with collect
		sync.Mutex
		groups   map[Place][]int
		dirs     map[string]bool // of the places
		outputs  []string
		changed  map[int]bool    // groups
		replaced map[string]bool // directories that appeared or disappeared
	}
}

// A notifier watches directories, as [fsnotify.Watcher] does.
type notifier interface {
	Add(dir string) error
	Close() error
}

// An opener returns a notifier without directories, with its events and errors.
// Close must close both channels.
type opener func() (notifier, <-chan fsnotify.Event, <-chan error, error)

// Open returns a Watcher without groups. It fails if the system refuses to watch.
func Open() (*Watcher, error) {
	return newWatcher(func() (notifier, <-chan fsnotify.Event, <-chan error, error) {
		watcher, err := fsnotify.NewWatcher()
		if err != nil {
			return nil, nil, nil, err
		}
		return watcher, watcher.Events, watcher.Errors, nil
	})
}

func newWatcher(open opener) (*Watcher, error) {
	w := &Watcher{open: open, wake: make(chan struct{}, 1)}
	w.mu.changed, w.mu.replaced = map[int]bool{}, map[string]bool{}
	if err := w.begin(); err != nil {
		return nil, err // a Watcher without a system could not be closed
	}
	return w, nil
}

// begin replaces the notifier, so no directory is watched anymore.
func (w *Watcher) begin() error {
	system, events, failures, err := w.open()
	if err != nil {
		return err
	}
	w.system, w.watched = system, map[string]fs.FileInfo{}
	go w.collect(events, failures)
	return nil
}

// Close stops the Watcher.
func (w *Watcher) Close() error { return w.system.Close() }

// Watch watches these groups instead of the previous ones, and marks groups with new
// directories as changed. It ignores events of outputs, the directories created and
// replaced by the caller, as absolute paths without symlinks.
//
// Watch fails if the system refuses to watch an existing and readable directory.
func (w *Watcher) Watch(groups [][]Place, outputs []string) error {
	members, dirs := map[Place][]int{}, map[string]bool{}
	for i, places := range groups {
		for _, p := range places {
			members[p] = append(members[p], i)
			dirs[p.Dir] = true
		}
	}
	w.mu.Lock()
	replaced := w.mu.replaced
	w.mu.groups, w.mu.dirs, w.mu.outputs, w.mu.replaced = members, dirs, outputs, map[string]bool{}
	maps.DeleteFunc(w.mu.changed, func(group int, _ bool) bool { return group >= len(groups) })
	w.mu.Unlock()

	if w.isOutdated(dirs, replaced) {
		// After renames, fsnotify 1.10.1 may name directories by old paths, or lose them.
		old := w.system
		if err := w.begin(); err != nil {
			return err
		}
		defer old.Close()
	}
	added := map[string]bool{}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) { // parents first, because they report events about these
		isNew, err := w.add(dir)
		if err != nil {
			return err
		}
		added[dir] = isNew
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for p := range members {
		if added[p.Dir] {
			w.mark(p)
		}
	}
	return nil
}

// isOutdated reports whether a watched directory is not needed anymore, appeared or
// disappeared.
func (w *Watcher) isOutdated(wanted, replaced map[string]bool) bool {
	for dir, known := range w.watched {
		now, err := os.Lstat(dir)
		if !wanted[dir] || replaced[dir] || err != nil || !os.SameFile(known, now) {
			return true
		}
	}
	return false
}

// add watches a directory and reports whether it is new. It skips a missing or unreadable
// directory, because events of the directory above will report when it can be watched.
func (w *Watcher) add(dir string) (isNew bool, err error) {
	if _, isWatched := w.watched[dir]; isWatched {
		return false, nil
	}
	now, err := os.Lstat(dir)
	if err == nil && now.IsDir() {
		err = w.system.Add(dir)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), err == nil && !now.IsDir():
		return false, nil
	case err != nil:
		return false, err
	}
	w.watched[dir] = now
	return true, nil
}

// Next waits for a change, and then until nothing changes for a moment, but at most a few
// seconds. It returns the groups with events since the last call, sorted. If
// nothing changes for atMost, it returns no groups; 0 means no limit.
func (w *Watcher) Next(ctx context.Context, atMost time.Duration) (groups []int, err error) {
	var expired <-chan time.Time
	if atMost > 0 {
		expired = time.After(atMost)
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-expired:
		return nil, nil
	case <-w.wake:
	}
	late := time.After(patience)
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late:
			return w.take(), nil
		case <-time.After(quiet):
			return w.take(), nil
		case <-w.wake:
		}
	}
}

// take returns the marked groups, and unmarks them.
func (w *Watcher) take() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	groups := slices.Sorted(maps.Keys(w.mu.changed))
	clear(w.mu.changed)
	select {
	case <-w.wake: // it was about these groups
	default:
	}
	return groups
}

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
