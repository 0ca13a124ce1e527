package replace

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
	"github.com/contextcompiler/context/internal/base/effort"
)

// A scene is the state of the disk before a directory is replaced.
type scene struct {
	name       string
	replace    bool // there is an old directory
	noExchange bool // on a system that cannot exchange directories
	deep       bool // in directories that are missing
	held       bool // a reader keeps the old directory open
	leftovers  bool // from a process that died
}

// neverExchange is true if the system itself cannot exchange directories.
const neverExchange = exchange == 0

var scenes = []scene{
	{name: "fresh"},
	{name: "fresh in missing directories", deep: true},
	{name: "replace", replace: true, noExchange: neverExchange},
	{name: "replace in two steps", replace: true, noExchange: true},
	{name: "replace while it is read", replace: true, noExchange: neverExchange, held: true},
	{name: "replace in two steps while it is read", replace: true, noExchange: true, held: true},
	{name: "fresh after a death", leftovers: true},
	{name: "replace after a death", replace: true, noExchange: neverExchange, leftovers: true},
}

// A stage is a scene set up on the disk.
type stage struct {
	scene
	base   string // contains only the directory and its parents
	path   string // of the directory
	reader *Directory
}

func (s scene) set(t *testing.T) *stage {
	t.Helper()
	if s.held && runtime.GOOS == "windows" {
		t.Skip("a directory that is open cannot be renamed on Windows")
	}
	base := t.TempDir()
	st := &stage{scene: s, base: base, path: filepath.Join(base, "name")}
	if s.deep {
		st.path = filepath.Join(base, "not", "there", "name")
	}
	if s.replace {
		restore(t, st.path, oldTree)
	}
	if s.leftovers {
		restore(t, scaffold(beside(st.path, "new")).new(), tree{"deep/same": "half of"})
		restore(t, scaffold(beside(st.path, "old-7")).new(), newTree)
		if err := os.WriteFile(beside(st.path, "lock"), nil, 0o666); err != nil {
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

func (st *stage) put(disk Disk) error { return put(st.path, st.replace, disk, newTree) }

// leave closes the reader, if any.
func (st *stage) leave() {
	if st.reader != nil {
		st.reader.Close()
		st.reader = nil
	}
}

// callsOf returns the calls of a successful replacement.
func (s scene) callsOf(t *testing.T) []call {
	t.Helper()
	st := s.set(t)
	disk := &faultyDisk{noExchange: s.noExchange}
	if err := st.put(disk); err != nil {
		t.Fatal(err)
	}
	want := []string{"mkdir", "writeFile", "streamFile", "scratch", "rename", "syncTree", "syncDirectory"}
	if s.replace {
		want = append(want, "link")
	}
	if s.replace && !s.held {
		want = append(want, "removeAll")
	}
	for _, name := range want {
		if !slices.ContainsFunc(disk.calls, func(c call) bool { return c.name == name }) {
			t.Fatalf("there is no call of %s: %v", name, disk.calls)
		}
	}
	return disk.calls
}

// wantReadable fails the test unless the reader, if any, can still read the directory
// that it opened.
func (st *stage) wantReadable(t *testing.T) {
	t.Helper()
	if st.reader != nil {
		wantTree(t, st.reader, oldTree)
	}
}

// wantTree fails the test unless an open directory contains exactly tr.
func wantTree(t *testing.T, dir *Directory, tr tree) {
	t.Helper()
	for name, want := range tr {
		if got, err := dir.Root.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s of an open directory: got %q, %v, want %q", name, got, err, want)
		}
	}
}

// wantNextToMend fails the test unless the next replacement succeeds and leaves nothing
// next to the directory.
func (st *stage) wantNextToMend(t *testing.T) {
	t.Helper()
	st.leave()
	if err := put(st.path, true, &faultyDisk{}, newTree); err != nil {
		t.Errorf("the next replacement: %v", err)
		return
	}
	wantGeneration(t, st.path, "new")
	wantOnly(t, filepath.Dir(st.path), "name")
}

// A failure describes how calls fail.
type failure struct {
	errno   syscall.Errno
	n       int
	forever bool // every call from the n-th on, instead of only the n-th
}

func (f failure) fate(n int, _ call) fate {
	if n == f.n || f.forever && n > f.n {
		return fate{err: &fs.PathError{Op: "test", Path: "disk", Err: f.errno}, half: true}
	}
	return fate{}
}

// Either a single call fails, or all calls from some point on. Afterwards, the path is
// empty or contains either the old directory or the new one. The error contains the
// cause, and nothing is left behind unless it cannot be removed.
func TestAReplacementThatFailsChangesNothing(t *testing.T) {
	errnos := []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EACCES}
	for i, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			calls := s.callsOf(t)
			for n := range calls {
				// All errors are handled in the same way, so the cases take turns.
				once := failure{errnos[(i+n)%len(errnos)], n + 1, false}
				forever := failure{errnos[(i+n+1)%len(errnos)], n + 1, true}
				for _, f := range []failure{once, forever} {
					name := fmt.Sprintf("%d %v %v forever=%v", n+1, calls[n], f.errno, f.forever)
					t.Run(name, func(t *testing.T) { failOnce(t, s.set(t), f) })
				}
			}
			t.Logf("%d failures", 2*len(calls))
		})
	}
}

func failOnce(t *testing.T, st *stage, f failure) {
	disk := &faultyDisk{noExchange: st.noExchange, fate: f.fate}
	err := st.put(disk)
	serious := slices.DeleteFunc(slices.Clone(disk.failed), func(c call) bool { return st.isHarmless(c) })
	if mkdir := slices.IndexFunc(disk.calls, func(c call) bool { return c.name == "mkdir" }); st.leftovers && mkdir < 0 {
		serious = disk.failed // leftovers that cannot be removed are in the way
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
	if len(serious) > 0 && serious[0].name == "syncDirectory" && !strings.Contains(err.Error(), st.path+" is in its place") {
		t.Errorf("got %v, want it to say that the directory is in its place", err)
	}
	got := generation(t, st.path)
	if want := st.expected(disk.failed, serious); got != want {
		t.Errorf("the directory is %s, want %s, after %v failed", got, want, disk.failed)
	}
	st.wantReadable(t)
	if !slices.ContainsFunc(disk.failed, func(c call) bool { return c.name == "removeAll" }) {
		st.wantClean(t, got)
	}
	st.wantNextToMend(t)
}

// isHarmless reports whether a replacement succeeds even if c fails. For example, the
// next replacement removes leftovers, and a file that cannot be linked is written
// instead.
func (st *stage) isHarmless(c call) bool {
	beside := strings.HasPrefix(filepath.Base(c.path), ".name.context-")
	return c.name == "link" || c.name == "removeAll" || c.name == "rename" && beside && st.held
}

// expected returns the generation that must be at the path after calls failed, some of
// which are serious.
func (st *stage) expected(failed, serious []call) string {
	did := func(name string) bool {
		return slices.ContainsFunc(failed, func(c call) bool { return c.name == name })
	}
	switch {
	case len(serious) == 0:
		return "new"
	case serious[0].name == "syncDirectory":
		return "new" // in its place, but maybe not durable
	case st.noExchange && serious[0].name == "renameNew" && did("rename"):
		return "absent" // the second of two steps failed, and so did undoing the first
	case st.replace:
		return "old"
	}
	return "absent"
}

// wantClean fails the test unless nothing is next to the directory, except for a
// directory that a reader has open.
func (st *stage) wantClean(t *testing.T, generation string) {
	t.Helper()
	if generation == "absent" {
		wantOnly(t, st.base)
		return
	}
	dir := filepath.Dir(st.path)
	beside := slices.DeleteFunc(namesIn(t, dir), func(name string) bool {
		s := scaffold(filepath.Join(dir, name))
		return st.held && (maps.Equal(snapshot(t, s.new()), oldTree) || maps.Equal(snapshot(t, s.old()), oldTree))
	})
	if len(beside) > 0 && !slices.Equal(beside, []string{"name"}) {
		t.Errorf("got %q, want the directory alone", beside)
	}
}

// deathVariable tells a process of this test how to die. It contains the scene, the
// number of the call, whether to do half of it, and the path of the directory.
const deathVariable = "CONTEXT_TEST_DEATH"

// TestReplaceUntilDeath runs in the process that dies.
func TestReplaceUntilDeath(t *testing.T) {
	var index, at int
	var half bool
	var path string
	if n, _ := fmt.Sscanf(os.Getenv(deathVariable), "%d %d %t %q", &index, &at, &half, &path); n != 4 {
		t.Skip("this is the process that the tests of kills start: they set its environment")
	}
	s := scenes[index]
	disk := &faultyDisk{noExchange: s.noExchange, fate: func(n int, _ call) fate {
		return fate{half: half && n == at, die: n == at}
	}}
	t.Fatalf("it did not die: %v", put(path, s.replace, disk, newTree))
}

// A process dies between two calls or during a call. Afterwards, the path is empty or
// contains either the old directory or the new one, and the next replacement cleans up.
func TestADeathLeavesTheOldOrTheNewDirectory(t *testing.T) {
	for i, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			// While a process starts, it briefly shares our open files and their locks.
			if !s.held {
				t.Parallel()
			}
			calls := s.callsOf(t)
			deaths := 0
			for n, c := range calls {
				if n%effort.Cases(1, 4) != 0 && n < len(calls)-6 {
					continue
				}
				for _, half := range []bool{false, true} {
					if half && c.name != "writeFile" && c.name != "streamFile" && c.name != "removeAll" {
						continue
					}
					deaths++
					name := fmt.Sprintf("%d %v half=%v", n+1, c, half)
					t.Run(name, func(t *testing.T) { dieOnce(t, i, s.set(t), calls[:n+1], half) })
				}
			}
			t.Logf("%d deaths", deaths)
		})
	}
}

// dieOnce runs a process that dies at the last of calls.
func dieOnce(t *testing.T, scene int, st *stage, calls []call, half bool) {
	die(t, scene, st, len(calls), half)
	wantGeneration(t, st.path, st.after(calls))
	st.wantReadable(t)
	st.wantNextToMend(t)
}

func die(t *testing.T, scene int, st *stage, at int, half bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestReplaceUntilDeath$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %t %q", deathVariable, scene, at, half, st.path))
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != dead {
		t.Fatalf("the process did not die at call %d: %v\n%s", at, err, out)
	}
}

// after returns the generation that must be at the path after calls.
func (st *stage) after(calls []call) string {
	last := "absent"
	if st.replace {
		last = "old"
	}
	for _, c := range calls {
		switch {
		case c.name == "renameNew" || c.name == "exchange":
			last = "new"
		case isFirstStep(c):
			last = "absent"
		}
	}
	return last
}

// isFirstStep reports whether c is the first of two renames.
func isFirstStep(c call) bool { return c.name == "rename" && filepath.Base(c.path) == "name" }

// A process dies between the two renames. The next Begin restores the old directory,
// whether or not it may replace it, and even if it fails later.
func TestTheOldDirectorySurvivesADeathBetweenTwoRenames(t *testing.T) {
	full := func(_ int, c call) fate {
		if c.name == "writeFile" {
			return fate{err: syscall.ENOSPC}
		}
		return fate{}
	}
	for name, next := range map[string]struct {
		replace bool
		disk    Disk
		want    string
	}{
		"a replacement that fails":    {true, &faultyDisk{fate: full}, "old"},
		"one that may not replace":    {false, &faultyDisk{}, "old"},
		"a replacement that succeeds": {true, &faultyDisk{}, "new"},
	} {
		index := slices.IndexFunc(scenes, func(s scene) bool { return s.noExchange && !s.held })
		between := slices.IndexFunc(scenes[index].callsOf(t), isFirstStep)
		st := scenes[index].set(t)
		die(t, index, st, between+1, false)
		wantGeneration(t, st.path, "absent")
		err := put(st.path, next.replace, next.disk, newTree)
		if next.want == "old" && (err == nil || fault.CodeOf(err) != fault.IO) {
			t.Errorf("%s: got %v, want %v", name, err, fault.IO)
		}
		wantGeneration(t, st.path, next.want)
		wantOnly(t, st.base, "name")
	}
}
