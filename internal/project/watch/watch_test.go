package watch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A fakeSystem watches up to a number of directories. After it is opened again, it watches
// nothing.
type fakeSystem struct {
	room     int
	dirs     []string
	opened   int // times
	events   chan fsnotify.Event
	failures chan error
}

func (s *fakeSystem) open() (notifier, <-chan fsnotify.Event, <-chan error, error) {
	s.opened++
	s.dirs, s.events, s.failures = nil, make(chan fsnotify.Event), make(chan error)
	return fakeWatch{s, s.events}, s.events, s.failures, nil
}

// A fakeWatch is a fakeSystem from one opening to its end.
type fakeWatch struct {
	*fakeSystem
	opening chan fsnotify.Event
}

func (s fakeWatch) Add(dir string) error {
	if len(s.dirs) == s.room {
		return syscall.ENOSPC
	}
	s.dirs = append(s.dirs, dir)
	return nil
}

func (s fakeWatch) Close() error {
	close(s.opening)
	return nil
}

// open returns a Watcher of a fake system that has no events yet.
func open(t *testing.T, groups [][]Place, outputs ...string) (*Watcher, *fakeSystem) {
	t.Helper()
	s := &fakeSystem{room: 100}
	w, err := newWatcher(s.open)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if err := w.Watch(groups, outputs); err != nil {
		t.Fatal(err)
	}
	w.take()
	return w, s
}

// makeDirs makes directories and returns the one that they are in.
func makeDirs(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(root, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestNextWaitsUntilNothingChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := makeDirs(t)
		w, s := open(t, [][]Place{{{Dir: dir}}})
		began := time.Now()
		go func() {
			time.Sleep(time.Hour)
			for range 10 { // as an editor writes
				s.events <- fsnotify.Event{Name: filepath.Join(dir, "a.md"), Op: fsnotify.Write}
				time.Sleep(quiet / 2)
			}
		}()
		got, err := w.Next(t.Context(), 0)
		if took, want := time.Since(began), time.Hour+9*quiet/2+quiet; err != nil || !slices.Equal(got, []int{0}) || took != want {
			t.Errorf("got %v and error %v after %v, want group 0 after %v", got, err, took, want)
		}
		if got, err := w.Next(t.Context(), time.Minute); err != nil || len(got) > 0 || time.Since(began) < time.Hour+time.Minute {
			t.Errorf("without a change: got %v and error %v", got, err)
		}
	})
}

// Under constant change, Next returns from time to time, and once more behind its end.
func TestNextDoesNotWaitForTheEndOfAStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := makeDirs(t)
		w, s := open(t, [][]Place{{{Dir: dir}}})
		const storm = 10 * time.Second
		began := time.Now()
		go func() {
			for time.Since(began) <= storm {
				s.events <- fsnotify.Event{Name: filepath.Join(dir, "a.md"), Op: fsnotify.Write}
				time.Sleep(time.Millisecond)
			}
		}()
		var at []time.Duration
		for {
			groups, err := w.Next(t.Context(), time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if len(groups) == 0 {
				break
			}
			at = append(at, time.Since(began).Round(10*time.Millisecond))
		}
		want := []time.Duration{patience, 2 * patience, 3 * patience, storm + quiet}
		if !slices.Equal(at, want) {
			t.Errorf("got changes after %v, want %v", at, want)
		}
	})
}

func TestAnEventMarksTheGroupsOfItsPlace(t *testing.T) {
	root := makeDirs(t, "docs/guide", "docs/out", "api", "other")
	groups := [][]Place{
		{{Dir: root, Name: "Contextfile.yml"}},
		{{Dir: filepath.Join(root, "docs")}, {Dir: filepath.Join(root, "docs/guide")}, {Dir: root, Name: "docs"}},
		{{Dir: filepath.Join(root, "api")}, {Dir: filepath.Join(root, "docs/guide")}},
	}
	for _, test := range []struct {
		name string
		op   fsnotify.Op
		want []int
	}{
		{"Contextfile.yml", fsnotify.Create, []int{0}},
		{"README.md", fsnotify.Write, nil},
		{"docs/a.md", fsnotify.Write, []int{1}},
		{"docs/a.md", fsnotify.Write | fsnotify.Chmod, []int{1}},
		{"docs/a.md", fsnotify.Chmod, nil},
		{"docs/guide/a.md", fsnotify.Remove, []int{1, 2}},
		{"docs/guide", fsnotify.Rename, []int{1, 2}},
		{"api", fsnotify.Remove, []int{2}},
		{"docs", fsnotify.Create, []int{1}},
		{"other/a.md", fsnotify.Write, nil},
		// A build makes these.
		{"docs/out/cache", fsnotify.Create, nil},
		{"docs/out/cache/manifest.json", fsnotify.Write, nil},
		{"docs/out/.cache.context-new", fsnotify.Create, nil},
		{"docs/out", fsnotify.Write, nil},
		{"docs", fsnotify.Write, nil}, // of a directory, on Windows
		// And these it does not make.
		{"docs/out", fsnotify.Create, []int{1}},
		{"docs/out2", fsnotify.Write, []int{1}},
		{"docs/.a.context-new", fsnotify.Write, []int{1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, s := open(t, groups, filepath.Join(root, "docs/out/cache"))
			s.events <- fsnotify.Event{Name: filepath.Join(root, test.name), Op: test.op}
			got, err := w.Next(t.Context(), time.Second)
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("%v %s: got %v and error %v, want %v", test.op, test.name, got, err, test.want)
			}
		})
	}
}

// When events are lost, everything may have changed, and no watch is sure.
func TestALossOfEventsMarksAllGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := makeDirs(t, "a", "b")
		groups := [][]Place{{{Dir: filepath.Join(root, "a")}}, {{Dir: filepath.Join(root, "b"), Name: "x"}}}
		w, s := open(t, groups)
		s.failures <- fsnotify.ErrEventOverflow
		if got, err := w.Next(t.Context(), time.Second); err != nil || !slices.Equal(got, []int{0, 1}) {
			t.Errorf("got %v and error %v, want both groups", got, err)
		}
		if err := w.Watch(groups, nil); err != nil || s.opened != 2 || !slices.Contains(s.dirs, filepath.Join(root, "a")) {
			t.Errorf("got error %v and watches of %q after %d openings, want new ones", err, s.dirs, s.opened)
		}
	})
}

func TestWatchMarksGroupsWithNewDirectories(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := makeDirs(t, "a", "b")
		a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
		w, s := open(t, [][]Place{{{Dir: a}}, {{Dir: b}}, {{Dir: filepath.Join(root, "missing")}}})
		if len(s.dirs) != 2 {
			t.Errorf("got watches of %q, want those of the directories that exist", s.dirs)
		}
		if err := os.Mkdir(filepath.Join(a, "new"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := w.Watch([][]Place{{{Dir: a}, {Dir: filepath.Join(a, "new")}}, {{Dir: b}}}, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := w.Next(t.Context(), time.Second); err != nil || !slices.Equal(got, []int{0}) {
			t.Errorf("got %v and error %v, want the group with the new directory", got, err)
		}
		if err := w.Watch([][]Place{{{Dir: b}}}, nil); err != nil || !slices.Equal(s.dirs, []string{b}) {
			t.Errorf("got error %v and watches of %q, want that of b alone", err, s.dirs)
		}
	})
}

func TestOpenReturnsNoWatcherIfTheSystemRefusesOne(t *testing.T) {
	w, err := newWatcher(func() (notifier, <-chan fsnotify.Event, <-chan error, error) {
		return nil, nil, nil, syscall.EMFILE
	})
	if w != nil || err != syscall.EMFILE {
		t.Errorf("got %v and error %v, want no watcher and %v", w, err, syscall.EMFILE)
	}
}

func TestWatchFailsIfTheSystemRefuses(t *testing.T) {
	root := makeDirs(t, "a", "b", "c")
	s := &fakeSystem{room: 2}
	w, err := newWatcher(s.open)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var places []Place
	for _, name := range []string{"a", "b", "c"} {
		places = append(places, Place{Dir: filepath.Join(root, name)})
	}
	if err := w.Watch([][]Place{places}, nil); err != syscall.ENOSPC {
		t.Errorf("got error %v, want %v", err, syscall.ENOSPC)
	}
}

func TestNextEndsWithItsContext(t *testing.T) {
	dir := makeDirs(t)
	w, s := open(t, [][]Place{{{Dir: dir}}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Next(ctx, 0); err != ctx.Err() {
		t.Errorf("before a change: got error %v", err)
	}
	s.events <- fsnotify.Event{Name: filepath.Join(dir, "a"), Op: fsnotify.Write}
	if _, err := w.Next(ctx, 0); err != ctx.Err() {
		t.Errorf("after a change: got error %v", err)
	}
}
