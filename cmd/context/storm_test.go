//go:build linux

package main

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/base/child"
	"github.com/contextcompiler/context/internal/base/effort"
)

// stormVariable says how many edits a storm has. The default is a short one.
//
//	CONTEXT_STORM_EDITS=10000 go test ./cmd/context -run Storm -v -timeout 30m
const stormVariable = "CONTEXT_STORM_EDITS"

const stormContextfile = `version: 1
caches:
  docs: {sources: [docs]}
  part: {sources: [{dir: docs/0, at: part}], gitignore: true}
`

// After a storm of edits and checkouts of another branch, the caches have the bytes of a
// clean build. All the while they answer.
func TestWatchInAStorm(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skipf("the storm checks out branches, and git is not installed: %v", err)
	}
	dir, edits := t.TempDir(), 300
	if wanted := os.Getenv(stormVariable); wanted != "" {
		var err error
		if edits, err = strconv.Atoi(wanted); err != nil {
			t.Fatalf("%s: %v", stormVariable, err)
		}
	}
	makeBranches(t, dir)
	writeFile(t, filepath.Join(dir, "Contextfile.yml"), stormContextfile)
	watch := startWatch(t, dir)
	watch.await(t, `"target":"part"`)
	watch.await(t, `"target":"docs"`)

	stop, answers := make(chan struct{}), make(chan int)
	go func() { answers <- askUntil(t, dir, stop) }()
	began := time.Now()
	checkouts := storm(t, dir, edits)
	writeFile(t, filepath.Join(dir, "docs/0/end.md"), "# The end\n")
	took := time.Since(began)
	for _, target := range []struct{ name, sources string }{{"docs", "docs"}, {"part", "part=docs/0 --gitignore"}} {
		clean := filepath.Join(dir, "clean", target.name)
		report := mustRun(t, dir, "context build --sources "+target.sources+" --cache "+clean)
		version, _, _ := strings.Cut(report, ",") // it is the first key
		watch.await(t, `"target":"`+target.name+`","cache":"build/context/`+target.name+`",`+strings.TrimPrefix(version, "{"))
		got, err1 := readTree(filepath.Join(dir, "build/context", target.name))
		want, err2 := readTree(clean)
		if err := errors.Join(err1, err2); err != nil || !maps.Equal(got, want) {
			t.Errorf("the cache of %s is not that of a clean build, error %v", target.name, err)
		}
	}
	settled := time.Since(began)
	close(stop)
	asked := <-answers
	watch.cmd.Process.Signal(syscall.SIGTERM)
	if err := watch.cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	used := watch.cmd.ProcessState
	t.Logf("%d edits and %d checkouts in %v; right after %v; %d caches written, %d errors; %d answers; %v of CPU, at most %d KiB resident",
		edits, checkouts, took, settled, strings.Count(watch.out(t), `"written":true`), strings.Count(watch.out(t), `"error":`), asked,
		used.UserTime()+used.SystemTime(), used.SysUsage().(*syscall.Rusage).Maxrss)
}

// A watchProcess is watch as another process.
type watchProcess struct {
	cmd    *exec.Cmd
	output string // a file
}

func startWatch(t *testing.T, dir string) *watchProcess {
	t.Helper()
	w := &watchProcess{exec.Command("context", "watch"), filepath.Join(dir, "out")}
	out, err := os.Create(w.output)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w.cmd.Dir, w.cmd.Stdout = dir, out
	child.Watch(t, w.cmd)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.cmd.Process.Kill() })
	return w
}

func (w *watchProcess) out(t *testing.T) string { return string(readFile(t, w.output)) }

// await waits until the output has a text.
func (w *watchProcess) await(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(effort.Patience(t)); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(w.out(t), text) {
			return
		}
	}
	t.Fatalf("the output has no %s in time: %s", text, w.out(t))
}

// stormPage returns the path of page i: there are 300 in 30 directories.
func stormPage(dir string, i int) string {
	return filepath.Join(dir, "docs", strconv.Itoa(i%5), strconv.Itoa(i%30), fmt.Sprintf("%d.md", i))
}

// makeBranches makes a repository with the branches one and two.
func makeBranches(t *testing.T, dir string) {
	t.Helper()
	for i := range 300 {
		writeFile(t, stormPage(dir, i), fmt.Sprintf("# Page %d\n\nHow to install part %d.\n\n## Setup\n\n%s\n", i, i, strings.Repeat("Text. ", 200)))
	}
	mustRun(t, dir, `git init -q -b one
git config user.name Test; git config user.email test@example.com; git config gc.auto 0
git add docs; git commit -qm one
git checkout -qb two
git mv docs/1 docs/moved; git rm -qr docs/2; for page in docs/*/*/*8.md; do echo Two. >> $page; done
git commit -qam two
git checkout -q one`)
}

// storm changes files and checks out branches. It returns how often it did the latter.
func storm(t *testing.T, dir string, edits int) (checkouts int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 1))
	for i := range edits {
		editTree(t, dir, random, i)
		if i%50 == 49 {
			checkouts++
			mustRun(t, dir, "git checkout -qf "+[]string{"one", "two"}[checkouts%2]+"; git clean -qfd docs")
		}
	}
	return checkouts
}

// editTree changes a page or a directory in one of the ways that programs do.
func editTree(t *testing.T, dir string, random *rand.Rand, i int) {
	t.Helper()
	page := stormPage(dir, random.IntN(300))
	parent := filepath.Dir(page)
	text := fmt.Sprintf("# Edit %d\n\nHow to install part %d.\n", i, i)
	switch random.IntN(8) {
	case 0, 1, 2:
		writeFile(t, page, text)
	case 3, 4:
		beside := page + "~"
		writeFile(t, beside, text)
		mustDo(t, os.Rename(beside, page))
	case 5:
		mustDo(t, os.RemoveAll(page))
	case 6:
		aside := filepath.Join(dir, "docs", "aside")
		mustDo(t, os.MkdirAll(parent, 0o777), os.RemoveAll(aside), os.Rename(parent, aside))
		if random.IntN(2) == 0 {
			mustDo(t, os.Rename(aside, parent))
		}
	case 7:
		writeFile(t, filepath.Join(parent, "deep", strconv.Itoa(random.IntN(5)), "page.md"), text)
	}
}

func mustDo(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// askUntil asks the cache until stop. It returns how many answers there were.
func askUntil(t *testing.T, dir string, stop chan struct{}) (answers int) {
	for {
		select {
		case <-stop:
			return answers
		case <-time.After(20 * time.Millisecond):
		}
		ask := exec.Command("context", "resolve", "--cache", "build/context/docs", "--query", "install part", "--budget", "4000")
		ask.Dir = dir
		if out, err := ask.CombinedOutput(); err != nil || !strings.Contains(string(out), "How to install part") {
			t.Errorf("got error %v and %s", err, out)
			return answers
		}
		answers++
	}
}
