package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/effort"
)

// wantLocked fails the test unless err says that another process holds the lock.
func wantLocked(t *testing.T, err error) {
	t.Helper()
	if err == nil || fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), "another build") {
		t.Errorf("got %v, want %v: another build", err, fault.IO)
	}
}

func TestASecondBeginIsRefusedUntilTheFirstIsClosed(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "dir")
	path := filepath.Join(dir, "name")
	first, err := begin(path, false, &faultyDisk{})
	if err != nil {
		t.Fatal(err)
	}
	spellings := []string{path, dir + "/./name", dir + "/../dir//name/"}
	if link := filepath.Join(base, "link"); os.Symlink(dir, link) == nil {
		spellings = append(spellings, filepath.Join(link, "name"))
	}
	for _, spelling := range spellings {
		for _, replace := range []bool{false, true} {
			_, err := begin(spelling, replace, &faultyDisk{})
			wantLocked(t, err)
		}
	}
	if err := put(filepath.Join(dir, "other"), false, &faultyDisk{}, newTree); err != nil {
		t.Errorf("another directory with the same parent: %v", err)
	}
	first.Close()
	first.Close()
	if err := put(path, false, &faultyDisk{}, newTree); err != nil {
		t.Errorf("after the first is closed: %v", err)
	}
	wantOnly(t, dir, "name", "other")
}

// Each holder removes the lock's file when it releases the lock.
func TestALockHasOneHolderAtMost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	rounds := effort.Cases(1500, 300) // two rarely meet between two calls
	var holders, got, refused atomic.Int64
	var tasks sync.WaitGroup
	for range 8 {
		tasks.Go(func() {
			for range rounds {
				lock, err := acquire(path)
				if err != nil {
					wantLocked(t, err)
					refused.Add(1)
					continue
				}
				got.Add(1)
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the lock", n)
				}
				runtime.Gosched()
				holders.Add(-1)
				lock.release()
			}
		})
	}
	tasks.Wait()
	t.Logf("%d times held, %d times refused", got.Load(), refused.Load())
	wantOnly(t, filepath.Dir(path))
}

// skipUnlessOpenDirectoriesMove skips a test on systems that cannot replace an open
// directory.
func skipUnlessOpenDirectoriesMove(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a directory that is open cannot be renamed on Windows")
	}
}

func TestAReplacedDirectoryStaysReadableUntilItsReadersCloseIt(t *testing.T) {
	skipUnlessOpenDirectoriesMove(t)
	for _, noExchange := range []bool{false, true} {
		t.Run(fmt.Sprintf("two steps=%v", noExchange), func(t *testing.T) {
			st := scene{replace: true, noExchange: noExchange, held: true}.set(t)
			trees := []tree{oldTree, newTree, oldTree, newTree}
			readers := []*Directory{st.reader}
			for _, tr := range trees[1:] {
				if err := put(st.path, true, &faultyDisk{noExchange: noExchange}, tr); err != nil {
					t.Fatal(err)
				}
				reader, err := Open(st.path)
				if err != nil {
					t.Fatal(err)
				}
				readers = append(readers, reader)
			}
			// No reader has closed its directory yet, so all of them must exist.
			if got := namesIn(t, st.base); len(got) != len(trees) {
				t.Errorf("got %q, want %d directories", got, len(trees))
			}
			for i, reader := range readers {
				wantTree(t, reader, trees[i])
				if isLast := i == len(readers)-1; reader.IsCurrent() != isLast {
					t.Errorf("reader %d: current: %v, want %v", i, reader.IsCurrent(), isLast)
				}
				reader.Close()
			}
			st.reader = nil
			st.wantNextToMend(t)
		})
	}
}

// The directory is replaced after a reader opens it, but before the reader marks it as
// in use.
func TestADirectoryThatIsReplacedDuringOpenIsOpenedAgain(t *testing.T) {
	skipUnlessOpenDirectoriesMove(t)
	st := scene{replace: true}.set(t)
	opens := 0
	openRoot := func() (*os.Root, error) {
		root, err := os.OpenRoot(st.path)
		if opens++; opens == 1 {
			if err := st.put(&faultyDisk{}); err != nil {
				t.Error(err)
			}
		}
		return root, err
	}
	dir, err := open(st.path, openRoot, func() (fs.FileInfo, error) { return os.Stat(st.path) })
	if err != nil {
		t.Fatal(err)
	}
	wantTree(t, dir, newTree)
	if opens != 2 {
		t.Errorf("opened %d times, want 2", opens)
	}
	dir.Close()
	st.wantNextToMend(t)
}

// Readers open a directory while it is replaced again and again. Each reader sees a
// single tree until it closes the directory. With two renames, the directory can be
// missing for a moment.
func TestReadersSeeOneOfTheTwoDirectories(t *testing.T) {
	skipUnlessOpenDirectoriesMove(t)
	for _, noExchange := range []bool{false, true} {
		t.Run(fmt.Sprintf("two steps=%v", noExchange), func(t *testing.T) {
			st := scene{replace: true, noExchange: noExchange}.set(t)
			replaceOften(t, st)
			st.wantNextToMend(t)
		})
	}
}

func replaceOften(t *testing.T, st *stage) {
	rounds := effort.Cases(60, 20)
	var done atomic.Bool
	var opened, missing atomic.Int64
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !done.Load() && !t.Failed() {
				if readWhole(t, st.path, st.noExchange) {
					opened.Add(1)
				} else {
					missing.Add(1)
				}
			}
		})
	}
	for i := range rounds {
		if err := put(st.path, true, &faultyDisk{noExchange: st.noExchange}, []tree{newTree, oldTree}[i%2]); err != nil {
			t.Error(err)
		}
	}
	done.Store(true)
	readers.Wait()
	t.Logf("%d rounds, opened %d times, missing %d times", rounds, opened.Load(), missing.Load())
}

// readWhole opens the directory at path and reads everything in it. It returns false if
// the directory is missing.
func readWhole(t *testing.T, path string, mayBeMissing bool) bool {
	t.Helper()
	dir, err := Open(path)
	if mayBeMissing && errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		t.Errorf("open: %v", err)
		return false
	}
	defer dir.Close()
	a, err := dir.Root.ReadFile("a")
	if err != nil {
		t.Error(err)
	}
	tr := oldTree
	if string(a) == newTree["a"] {
		tr = newTree
	}
	wantTree(t, dir, tr)
	return true
}

// Locate runs while another build makes the directory, each time at a slightly later
// moment.
func TestPathsAreLocatedWhileDirectoriesAppear(t *testing.T) {
	base := t.TempDir()
	for i := range 3000 {
		dir := filepath.Join(base, fmt.Sprint(i))
		var appearing sync.WaitGroup
		var isLocating atomic.Bool
		appearing.Go(func() {
			for !isLocating.Load() {
				runtime.Gosched()
			}
			for range 400 * (i % 100) {
				isLocating.Load()
			}
			os.Mkdir(dir, 0o777)
		})
		path := filepath.Join(dir, "cache")
		isLocating.Store(true)
		if got, err := Locate(path); err != nil || got != path {
			t.Errorf("got %s, %v, want %s", got, err, path)
		}
		appearing.Wait()
	}
}
