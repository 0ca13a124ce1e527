package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/contextcompiler/context/fault"
)

// A scene is what a build finds.
type scene struct {
	name       string
	replace    bool // there is a cache to be replaced
	noExchange bool // on a system that cannot exchange directories
	deep       bool // in directories that are missing
	held       bool // that a reader has open
	leftovers  bool // beside what a build left that was killed
	selection  int  // that the caches are for
}

var scenes = []scene{
	{name: "fresh"},
	{name: "fresh in missing directories", deep: true},
	{name: "replace", replace: true},
	{name: "replace in two steps", replace: true, noExchange: true},
	{name: "replace while it is read", replace: true, held: true},
	{name: "replace in two steps while it is read", replace: true, noExchange: true, held: true},
	{name: "fresh after a build that was killed", leftovers: true},
	{name: "replace after a build that was killed", replace: true, leftovers: true},
	{name: "fresh for selection 1", selection: 1},
	{name: "replace for selection 1", replace: true, selection: 1},
}

// A stage is a scene with everything in its place.
type stage struct {
	scene
	base     string // holds nothing but the cache, and its directories
	path     string // of the cache
	old, new map[string]string
	reader   *Cache
}

func (s scene) set(t *testing.T, old, new map[string]string) *stage {
	t.Helper()
	if s.held && runtime.GOOS == "windows" {
		t.Skip("a directory that is open cannot be renamed on Windows")
	}
	base := t.TempDir()
	st := &stage{scene: s, base: base, path: filepath.Join(base, "cache"), old: old, new: new}
	if s.deep {
		st.path = filepath.Join(base, "not", "there", "cache")
	}
	if s.replace {
		restore(t, st.path, old)
	}
	if s.leftovers {
		at := target{path: st.path}
		restore(t, at.scaffold().cache(), map[string]string{"documents/a6328afc76e9.json": "holds half of it"})
		restore(t, scaffold(at.retired()+"7").cache(), new)
		if err := os.WriteFile(at.lock(), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if s.held {
		var err error
		if st.reader, err = Open(st.path); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(st.leave)
	}
	return st
}

// build runs the build of the scene.
func (st *stage) build(disk disk) error {
	return buildFor(st.selection, st.path, st.replace, disk, newDocuments)
}

// leave lets the reader go, if there is one.
func (st *stage) leave() {
	if st.reader != nil {
		st.reader.Close()
		st.reader = nil
	}
}

// callsOf returns the calls of a build that goes well.
func (s scene) callsOf(t *testing.T, old, new map[string]string) []call {
	t.Helper()
	st := s.set(t, old, new)
	disk := &faultyDisk{noExchange: s.noExchange}
	if err := st.build(disk); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mkdir", "writeFile", "rename", "syncTree", "syncDirectory"} {
		if !slices.ContainsFunc(disk.calls, func(c call) bool { return c.name == name }) {
			t.Fatalf("the build does not call %s: %v", name, disk.calls)
		}
	}
	return disk.calls
}

// wantReadable fails the test unless the reader, if there is one, still reads
// all that it opened.
func (st *stage) wantReadable(t *testing.T) {
	t.Helper()
	if st.reader == nil {
		return
	}
	reader := st.reader.NewReader()
	for _, entry := range manifestIn(t, st.reader).Documents {
		if _, err := reader.Read(entry); err != nil {
			t.Errorf("who has the old cache open can no longer read it: %v", err)
			return
		}
	}
}

// wantNextBuildToMend fails the test unless another build makes the new cache
// and leaves nothing else, whatever it finds.
func (st *stage) wantNextBuildToMend(t *testing.T) {
	t.Helper()
	st.leave()
	if err := buildFor(st.selection, st.path, true, &faultyDisk{}, newDocuments); err != nil {
		t.Errorf("the next build: %v", err)
		return
	}
	if got := generation(snapshot(t, st.path), st.old, st.new); got != "new" {
		t.Errorf("after the next build the cache is %s, want new", got)
	}
	wantOnly(t, filepath.Dir(st.path), "cache")
}

// A failure is the way in which calls of a build fail.
type failure struct {
	errno   syscall.Errno
	n       int
	forever bool // every call from the n-th on, not the n-th alone
}

func (f failure) fate(n int, _ call) fate {
	if n == f.n || f.forever && n > f.n {
		return fate{err: &fs.PathError{Op: "test", Path: "disk", Err: f.errno}, half: true}
	}
	return fate{}
}

// Whichever call of a build fails, and however it fails: at the cache's path
// there is nothing, the old cache or the new one, byte for byte; the error has
// the code of what the system refuses; and nothing is left behind unless it
// cannot be removed.
func TestABuildThatFailsIsAsIfItHadNotBeen(t *testing.T) {
	errnos := []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EACCES}
	for i, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			old, new := treeFor(t, s.selection, oldDocuments), treeFor(t, s.selection, newDocuments)
			calls := s.callsOf(t, old, new)
			for n := range calls {
				// Errors of the system go the same way, whichever they
				// are, so they take turns.
				once := failure{errnos[(i+n)%len(errnos)], n + 1, false}
				forever := failure{errnos[(i+n+1)%len(errnos)], n + 1, true}
				for _, f := range []failure{once, forever} {
					name := fmt.Sprintf("%d %v %v forever=%v", n+1, calls[n], f.errno, f.forever)
					t.Run(name, func(t *testing.T) { failOnce(t, s.set(t, old, new), f) })
				}
			}
			t.Logf("%d failures", 2*len(calls))
		})
	}
}

func failOnce(t *testing.T, st *stage, f failure) {
	disk := &faultyDisk{noExchange: st.noExchange, fate: f.fate}
	err := st.build(disk)
	serious := slices.DeleteFunc(slices.Clone(disk.failed), func(c call) bool { return st.isHarmless(c) })
	if mkdir := slices.IndexFunc(disk.calls, func(c call) bool { return c.name == "mkdir" }); st.leftovers && mkdir < 0 {
		serious = disk.failed // what cannot be removed is in the way
	}
	switch {
	case len(serious) == 0 && err != nil:
		t.Errorf("got %v, but only %v failed", err, disk.failed)
	case len(serious) > 0 && err == nil:
		t.Errorf("got success, but %v failed", serious)
	case err != nil && fault.CodeOf(err) != fault.IO:
		t.Errorf("got %v with code %v, want %v", err, fault.CodeOf(err), fault.IO)
	case err != nil && !errors.Is(err, f.errno):
		t.Errorf("got %v, want %v: that is what the user can do something about", err, f.errno)
	}
	if len(serious) > 0 && serious[0].name == "syncDirectory" && !strings.Contains(err.Error(), "the new cache is in its place") {
		t.Errorf("got %v, want it to say that the new cache is in its place", err)
	}
	got := generation(snapshot(t, st.path), st.old, st.new)
	if want := st.expected(disk.failed, serious); got != want {
		t.Errorf("the cache is %s, want %s, after %v failed", got, want, disk.failed)
	}
	st.wantReadable(t)
	if !slices.ContainsFunc(disk.failed, func(c call) bool { return c.name == "removeAll" }) {
		st.wantClean(t, got)
	}
	st.wantNextBuildToMend(t)
}

// isHarmless reports whether a build succeeds although c failed. Removing what
// is no longer needed, and moving it out of the way, is for the next build. What
// cannot be linked is copied.
func (st *stage) isHarmless(c call) bool {
	beside := strings.HasPrefix(filepath.Base(c.path), ".cache.context-")
	return c.name == "link" || c.name == "removeAll" || c.name == "rename" && beside && st.held
}

// expected returns what must be at the path after calls failed, some of which
// are serious.
func (st *stage) expected(failed, serious []call) string {
	did := func(name string) bool {
		return slices.ContainsFunc(failed, func(c call) bool { return c.name == name })
	}
	switch {
	case len(serious) == 0:
		return "new"
	case serious[0].name == "syncDirectory":
		return "new" // in its place, but maybe not for good
	case st.noExchange && serious[0].name == "renameNew" && did("rename"):
		return "absent" // two steps: neither forward nor back
	case st.replace:
		return "old"
	}
	return "absent"
}

// wantClean fails the test unless there is nothing beside the cache, which a
// reader's directory may be.
func (st *stage) wantClean(t *testing.T, generation string) {
	t.Helper()
	if generation == "absent" {
		wantOnly(t, st.base)
		return
	}
	dir := filepath.Dir(st.path)
	beside := slices.DeleteFunc(namesIn(t, dir), func(name string) bool {
		s := scaffold(filepath.Join(dir, name))
		return st.held && (maps.Equal(snapshot(t, s.cache()), st.old) || maps.Equal(snapshot(t, s.old()), st.old))
	})
	if len(beside) > 0 && !slices.Equal(beside, []string{"cache"}) {
		t.Errorf("got %q, want the cache alone", beside)
	}
}

// deathVariable tells a process of this test how to die: the scene, the number
// of the call, whether that is done by half, and the path of the cache.
const deathVariable = "CONTEXT_TEST_DEATH"

// TestBuildUntilDeath is the process that dies.
func TestBuildUntilDeath(t *testing.T) {
	var index, at int
	var half bool
	var path string
	if n, _ := fmt.Sscanf(os.Getenv(deathVariable), "%d %d %t %q", &index, &at, &half, &path); n != 4 {
		t.Skip("this is a part of another test")
	}
	s := scenes[index]
	disk := &faultyDisk{noExchange: s.noExchange, fate: func(n int, _ call) fate {
		return fate{half: half && n == at, die: n == at}
	}}
	t.Fatalf("the build ended: %v", buildFor(s.selection, path, s.replace, disk, newDocuments))
}

// Whenever a build's process dies, between two calls or within one, there is
// nothing, the old cache or the new one at the path, and the next build cleans
// up after it.
func TestABuildThatDiesLeavesTheOldOrTheNewCache(t *testing.T) {
	for i, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			// A process that is being started has our open files, and
			// their locks, for a moment.
			if !s.held {
				t.Parallel()
			}
			old, new := treeFor(t, s.selection, oldDocuments), treeFor(t, s.selection, newDocuments)
			calls := s.callsOf(t, old, new)
			deaths := 0
			for n, c := range calls {
				if testing.Short() && n%4 != 0 && n < len(calls)-6 {
					continue
				}
				for _, half := range []bool{false, true} {
					if half && c.name != "writeFile" && c.name != "removeAll" {
						continue
					}
					deaths++
					name := fmt.Sprintf("%d %v half=%v", n+1, c, half)
					t.Run(name, func(t *testing.T) { dieOnce(t, i, s.set(t, old, new), calls[:n+1], half) })
				}
			}
			t.Logf("%d deaths", deaths)
		})
	}
}

// dieOnce has a process die at the last of calls.
func dieOnce(t *testing.T, scene int, st *stage, calls []call, half bool) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestBuildUntilDeath$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %t %q", deathVariable, scene, len(calls), half, st.path))
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != dead {
		t.Fatalf("the process did not die at call %d: %v\n%s", len(calls), err, out)
	}
	got := generation(snapshot(t, st.path), st.old, st.new)
	if want := st.after(calls); got != want {
		t.Errorf("the cache is %s, want %s", got, want)
	}
	st.wantReadable(t)
	st.wantNextBuildToMend(t)
}

// after returns what must be at the path once calls are done.
func (st *stage) after(calls []call) string {
	last := "absent"
	if st.replace {
		last = "old"
	}
	for _, c := range calls {
		switch {
		case c.name == "renameNew" || c.name == "exchange":
			last = "new"
		case c.name == "rename" && filepath.Base(c.path) == "cache":
			last = "absent" // two steps
		}
	}
	return last
}

// A system that cannot exchange directories has a moment without a cache. A
// process that dies in that moment must not cost the user the old one: the next
// build puts it back, whether it replaces caches, refuses to, or fails.
func TestTheOldCacheSurvivesADeathBetweenTheTwoSteps(t *testing.T) {
	old, new := treeOf(t, oldDocuments), treeOf(t, newDocuments)
	full := func(_ int, c call) fate {
		if c.name == "writeFile" {
			return fate{err: syscall.ENOSPC}
		}
		return fate{}
	}
	for name, next := range map[string]struct {
		replace bool
		disk    disk
		want    string
	}{
		"a build that fails":      {true, &faultyDisk{fate: full}, "old"},
		"a build that refuses to": {false, &faultyDisk{}, "old"},
		"a build that succeeds":   {true, &faultyDisk{}, "new"},
	} {
		st := dieBetweenTheTwoSteps(t, old, new)
		err := build(st.path, next.replace, next.disk, newDocuments)
		if next.want == "old" && (err == nil || fault.CodeOf(err) != fault.IO) {
			t.Errorf("%s: got %v, want %v", name, err, fault.IO)
		}
		if got := generation(snapshot(t, st.path), old, new); got != next.want {
			t.Errorf("%s: the cache is %s, want %s", name, got, next.want)
		}
		wantOnly(t, st.base, "cache")
	}
}

func dieBetweenTheTwoSteps(t *testing.T, old, new map[string]string) *stage {
	t.Helper()
	index := slices.IndexFunc(scenes, func(s scene) bool { return s.noExchange && !s.held })
	calls := scenes[index].callsOf(t, old, new)
	between := slices.IndexFunc(calls, func(c call) bool { return c.name == "rename" && filepath.Base(c.path) == "cache" })
	if between < 0 {
		t.Fatalf("there are no two steps in %v", calls)
	}
	st := scenes[index].set(t, old, new)
	cmd := exec.Command(os.Args[0], "-test.run=^TestBuildUntilDeath$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d false %q", deathVariable, index, between+1, st.path))
	cmd.Run()
	if got := generation(snapshot(t, st.path), old, new); got != "absent" {
		t.Fatalf("the cache is %s, want absent", got)
	}
	return st
}
