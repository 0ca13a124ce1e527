package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// build builds a cache with a single document at path, and replaces the old cache.
func build(t *testing.T, path, content string) {
	t.Helper()
	sources := t.TempDir()
	if err := os.WriteFile(filepath.Join(sources, "a.md"), []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: sources}}, Cache: path, Selection: selection.Spec0, Force: true}); err != nil {
		t.Fatal(err)
	}
}

func openCaches(t *testing.T) (c *cacheRoot, dir string) {
	t.Helper()
	dir = t.TempDir()
	c = newCacheRoot(dir)
	t.Cleanup(c.warm.close)
	return c, dir
}

// contentOf returns the content of the only document in the cache.
func contentOf(t *testing.T, c *answers.Cache) string {
	t.Helper()
	var out strings.Builder
	if err := c.Resolve(context.Background(), selection.Request{Query: selection.Query{}, Budget: 100}, &out); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(out.String(), `"content":"`)
	content, _, _ := strings.Cut(rest, `"`)
	return content
}

func mustOpen(t *testing.T, c *cacheRoot, path string) (*answers.Cache, func()) {
	t.Helper()
	opened, release, err := c.open(path)
	if err != nil {
		t.Fatal(err)
	}
	return opened, release
}

func skipUnlessOpenCachesMove(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows neither moves nor removes a cache that is open")
	}
}

func TestACacheStaysOpenBetweenCalls(t *testing.T) {
	c, dir := openCaches(t)
	build(t, filepath.Join(dir, "a"), "one")
	first, release := mustOpen(t, c, "a")
	release()
	second, release := mustOpen(t, c, "a")
	release()
	if first != second {
		t.Error("the cache was opened twice")
	}
}

func TestARebuildIsSeenByTheNextCallAndNotByThoseInFlight(t *testing.T) {
	skipUnlessOpenCachesMove(t)
	c, dir := openCaches(t)
	path := filepath.Join(dir, "a")
	build(t, path, "one")
	first, releaseFirst := mustOpen(t, c, "a")
	for i := range 20 {
		want := fmt.Sprint("build ", i)
		build(t, path, want)
		next, release := mustOpen(t, c, "a")
		if got := contentOf(t, next); got != want {
			t.Errorf("after the rebuild: got %q, want %q", got, want)
		}
		if got := contentOf(t, first); got != "one" {
			t.Errorf("in flight: got %q, want %q", got, "one")
		}
		release()
	}
	releaseFirst()
}

func TestACacheThatIsGoneIsMissing(t *testing.T) {
	skipUnlessOpenCachesMove(t)
	c, dir := openCaches(t)
	build(t, filepath.Join(dir, "a"), "one")
	_, release := mustOpen(t, c, "a")
	release()
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.open("a"); err == nil || len(c.warm.caches) != 0 {
		t.Errorf("got error %v and %d warm caches, want an error and none", err, len(c.warm.caches))
	}
}

// openDescriptors returns how many files this process has open below dir.
func openDescriptors(t *testing.T, dir string) (n int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists the open files of a process in /proc")
	}
	links, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		target, _ := os.Readlink("/proc/self/fd/" + link.Name())
		if strings.HasPrefix(target, dir+"/") {
			n++
		}
	}
	return n
}

// A cache can be mended in place: a failed call does not affect the next one.
func TestACacheThatFailedIsOpenedAnew(t *testing.T) {
	c, dir := openCaches(t)
	build(t, filepath.Join(dir, "docs"), "one")
	first, release := mustOpen(t, c, "docs")
	release()
	c.warm.forget(first)
	second, release := mustOpen(t, c, "docs")
	defer release()
	if second == first {
		t.Error("the failed cache is still in use")
	}
	c.warm.forget(first) // it is gone
	third, release := mustOpen(t, c, "docs")
	defer release()
	if third != second {
		t.Error("a cache was opened again without a failure")
	}
}

func TestFewCachesStayOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc/self/fd")
	}
	c, dir := openCaches(t)
	const many, each = 30, 4 // a cache has three directories and its index open
	for i := range many {
		build(t, filepath.Join(dir, fmt.Sprint(i)), "one")
	}
	for i := range 3 * many {
		_, release := mustOpen(t, c, fmt.Sprint(i%many))
		release()
		if n := openDescriptors(t, dir); n > maxWarm*each {
			t.Fatalf("got %d descriptors after %d calls, want at most %d", n, i+1, maxWarm*each)
		}
	}
	// Calls at work keep theirs; at their end all is as before.
	var releases []func()
	for i := range many {
		_, release := mustOpen(t, c, fmt.Sprint(i))
		releases = append(releases, release)
	}
	if n := openDescriptors(t, dir); n != many*each {
		t.Errorf("got %d descriptors for %d calls, want %d", n, many, many*each)
	}
	for _, release := range releases {
		release()
	}
	c.warm.close()
	if n := openDescriptors(t, dir); n != 0 {
		t.Errorf("got %d descriptors at the end, want 0", n)
	}
}
