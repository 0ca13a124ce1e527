package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
)

const anotherBuild = "another build"

// wantAnotherBuild fails the test unless err says that somebody else is at it.
func wantAnotherBuild(t *testing.T, err error) {
	t.Helper()
	if err == nil || fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), anotherBuild) {
		t.Errorf("got %v, want %v: %s", err, fault.IO, anotherBuild)
	}
}

func TestASecondBuildOfACacheIsRefusedUntilTheFirstEnds(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "dir")
	path := filepath.Join(dir, "cache")
	first, err := create(path, Options{}, &faultyDisk{})
	if err != nil {
		t.Fatal(err)
	}
	spellings := []string{path, dir + "/./cache", dir + "/../dir//cache/"}
	if link := filepath.Join(base, "link"); os.Symlink(dir, link) == nil {
		spellings = append(spellings, filepath.Join(link, "cache"))
	}
	for _, spelling := range spellings {
		for _, replace := range []bool{false, true} {
			_, err := create(spelling, Options{Replace: replace}, &faultyDisk{})
			wantAnotherBuild(t, err)
		}
	}
	if err := build(filepath.Join(dir, "other"), false, &faultyDisk{}, newDocuments); err != nil {
		t.Errorf("a build of another cache in the same directory: %v", err)
	}
	first.Close()
	first.Close()
	if err := build(path, false, &faultyDisk{}, newDocuments); err != nil {
		t.Errorf("a build after the first has ended: %v", err)
	}
	wantOnly(t, dir, "cache", "other")
}

// Builds come and go, and each removes the lock's file as it leaves.
func TestALockIsHeldByOneBuildAtMost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	rounds := 1500 // it takes many for two to meet between two calls
	if testing.Short() {
		rounds = 300
	}
	var holders, got, refused atomic.Int64
	var builds sync.WaitGroup
	for range 8 {
		builds.Go(func() {
			for range rounds {
				lock, err := acquire(target{path: path}.lock())
				if err != nil {
					wantAnotherBuild(t, err)
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
	builds.Wait()
	t.Logf("%d times held, %d times refused", got.Load(), refused.Load())
	wantOnly(t, filepath.Dir(path))
}

func TestAReplacedCacheStaysReadableUntilItsReadersAreDone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a directory that is open cannot be renamed on Windows")
	}
	old, new := treeOf(t, oldDocuments), treeOf(t, newDocuments)
	for _, noExchange := range []bool{false, true} {
		t.Run(fmt.Sprintf("two steps=%v", noExchange), func(t *testing.T) {
			st := scene{replace: true, noExchange: noExchange, held: true}.set(t, old, new)
			const rebuilds = 3
			readers := []*Cache{st.reader}
			for i := range rebuilds {
				docs := [][]document.Document{newDocuments, oldDocuments}[i%2]
				if err := build(st.path, true, &faultyDisk{noExchange: noExchange}, docs); err != nil {
					t.Fatal(err)
				}
				reader, err := Open(st.path)
				if err != nil {
					t.Fatal(err)
				}
				readers = append(readers, reader)
			}
			// All but the last are no longer at the path, and nobody may
			// have removed them.
			if got := len(namesIn(t, st.base)); got != 1+rebuilds {
				t.Errorf("got %q, want the cache and %d that it replaced", namesIn(t, st.base), rebuilds)
			}
			for _, reader := range readers {
				st.reader = reader
				st.wantReadable(t)
				if findings, err := reader.CheckFiles(manifestIn(t, reader)); len(findings) > 0 || err != nil {
					t.Errorf("got %v, %v, want no findings", findings, err)
				}
				reader.Close()
			}
			st.reader = nil
			st.wantNextBuildToMend(t)
		})
	}
}

// A rebuild comes between the moment in which a reader opens the directory and
// the one in which it marks it as in use.
func TestACacheThatIsReplacedWhileItIsOpenedIsOpenedAnew(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a directory that is open cannot be renamed on Windows")
	}
	old, new := treeOf(t, oldDocuments), treeOf(t, newDocuments)
	st := scene{replace: true}.set(t, old, new)
	at := atPath(st.path)
	opens := 0
	here := at
	here.open = func() (*os.Root, error) {
		root, err := at.open()
		if opens++; opens == 1 {
			if err := st.build(&faultyDisk{}); err != nil {
				t.Error(err)
			}
		}
		return root, err
	}
	c, err := openDirectory(here)
	if err != nil {
		t.Fatal(err)
	}
	st.reader = c
	st.wantReadable(t)
	if got, want := manifestIn(t, c).Version, manifestOf(newDocuments).Version; got != want || opens != 2 {
		t.Errorf("got version %v, opened %d times, want %v and 2", got, opens, want)
	}
	st.wantNextBuildToMend(t)
}

// Readers open a cache while it is replaced over and over. What they open is
// one of the two caches, whole, as long as they have it. Where the system
// replaces in two steps there may be none for a moment, but never a broken one.
func TestReadersOfACacheThatIsReplacedSeeOneOfTheTwo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a directory that is open cannot be renamed on Windows")
	}
	old, new := treeOf(t, oldDocuments), treeOf(t, newDocuments)
	for _, noExchange := range []bool{false, true} {
		t.Run(fmt.Sprintf("two steps=%v", noExchange), func(t *testing.T) {
			st := scene{replace: true, noExchange: noExchange}.set(t, old, new)
			replaceOften(t, st)
			st.wantNextBuildToMend(t)
		})
	}
}

func replaceOften(t *testing.T, st *stage) {
	rebuilds := 30
	if testing.Short() {
		rebuilds = 10
	}
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
	for i := range rebuilds {
		docs := [][]document.Document{newDocuments, oldDocuments}[i%2]
		if err := build(st.path, true, &faultyDisk{noExchange: st.noExchange}, docs); err != nil {
			t.Error(err)
		}
	}
	done.Store(true)
	readers.Wait()
	t.Logf("%d rebuilds, opened %d times, missing %d times", rebuilds, opened.Load(), missing.Load())
}

// manifestIn returns the manifest of c.
func manifestIn(t *testing.T, c *Cache) Manifest {
	t.Helper()
	m, err := c.UncheckedManifest()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// readWhole opens the cache at path and reads all of it. It returns false if
// there is none, which may be.
func readWhole(t *testing.T, path string, mayBeMissing bool) bool {
	t.Helper()
	c, err := Open(path)
	if mayBeMissing && err != nil && fault.CodeOf(err) == fault.CacheMissing {
		return false
	}
	if err != nil {
		t.Errorf("open: %v", err)
		return false
	}
	defer c.Close()
	reader := c.NewReader()
	for _, entry := range manifestIn(t, c).Documents {
		if _, err := reader.Read(entry); err != nil {
			t.Errorf("read: %v", err)
		}
	}
	if findings, err := c.CheckIndex(manifestIn(t, c)); len(findings) > 0 || err != nil {
		t.Errorf("index: %v, %v", findings, err)
	}
	return true
}
