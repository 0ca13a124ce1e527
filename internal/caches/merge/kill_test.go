package merge

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/pipeline"
)

// killedDirectory names the directory in which the process to kill merges the caches 1 and
// 2 to base/cache.
const killedDirectory = "CONTEXT_TEST_KILLED_MERGE"

func mergeIn(t *testing.T, dir string) error {
	_, err := Caches(t.Context(), Plan{
		Inputs: []Input{{Path: filepath.Join(dir, "1"), Prefix: "api"}, {Path: filepath.Join(dir, "2")}},
		Cache:  filepath.Join(dir, "base", "cache"), Force: true, NoVerify: true, Jobs: 2,
	})
	return err
}

// TestMergeUntilKilled runs in the process to kill.
func TestMergeUntilKilled(t *testing.T) {
	dir := os.Getenv(killedDirectory)
	if dir == "" {
		t.Skip("this is the process that the test of kills starts: it sets its environment")
	}
	fmt.Println("begin")
	if err := mergeIn(t, dir); err != nil {
		t.Fatal(err)
	}
}

// mergeAndKill merges in another process and kills it after a delay. It returns how long
// the merge took.
func mergeAndKill(t *testing.T, dir string, after time.Duration) (took time.Duration, killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestMergeUntilKilled$")
	cmd.Env = append(os.Environ(), killedDirectory+"="+dir, "GORACE=atexit_sleep_ms=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var first [1]byte
	out.Read(first[:]) // it begins
	begin := time.Now()
	killer := time.AfterFunc(after, func() { cmd.Process.Kill() })
	var rest strings.Builder
	for buf := make([]byte, 1<<10); ; {
		n, err := out.Read(buf)
		rest.Write(buf[:n])
		if err != nil {
			break
		}
		took = time.Since(begin)
	}
	err = cmd.Wait()
	killer.Stop()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 && runtime.GOOS != "windows" {
		t.Fatalf("the merge failed: %v\n%s", err, rest.String())
	}
	return took, err != nil
}

// A killed merge leaves the old cache or the new one, and its inputs as they were.
func TestAKilledMergeLeavesTheOldOrTheNewCache(t *testing.T) {
	dir := t.TempDir()
	path, old := filepath.Join(dir, "base", "cache"), filepath.Join(dir, "old")
	build := func(path, sources string, force bool) {
		t.Helper()
		cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, sources)}}, Cache: path, Force: force}
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	for i, sources := range []string{"one", "two", "three"} {
		files := map[string]string{}
		for n := range 40 {
			files[fmt.Sprintf("%s/%d.md", sources, n)] = fmt.Sprintf("# %d\n\n%s", n%9, strings.Repeat("all work\n", n%9))
		}
		trees.WriteTree(t, filepath.Join(dir, sources), files)
		build([]string{filepath.Join(dir, "1"), filepath.Join(dir, "2"), old}[i], sources, false)
	}
	inputs := trees.DescribeTree(t, filepath.Join(dir, "1"))
	build(path, "three", false)
	known := map[string]map[string]string{"old": trees.DescribeTree(t, path)}
	took, _ := mergeAndKill(t, dir, time.Hour)
	known["new"] = trees.DescribeTree(t, path)
	build(path, "three", true)

	random := rand.New(rand.NewPCG(7, 8))
	seen := map[string]int{}
	for killed := 0; killed < effort.Cases(60, 8); {
		_, wasKilled := mergeAndKill(t, dir, time.Duration(random.Float64()*1.2*float64(took)))
		got := "neither"
		tree := trees.DescribeTree(t, path)
		for name := range known {
			if maps.Equal(tree, known[name]) {
				got = name
			}
		}
		exchanges := runtime.GOOS == "linux" || runtime.GOOS == "darwin"
		if got == "neither" && (exchanges || len(tree) > 0) || !wasKilled && got != "new" {
			t.Fatalf("the cache is %s, killed: %v", got, wasKilled)
		}
		if wasKilled {
			killed++
			seen[got]++
		}
		if got == "new" {
			build(path, "three", true)
		}
	}
	t.Logf("%v a merge, %v", took, seen)
	if err := mergeIn(t, dir); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v, want the cache alone", entries, err)
	}
	if v, err := verify.Path(t.Context(), path, 0); err != nil || v.Err() != nil {
		t.Errorf("verify: %v, %v", err, v.Err())
	}
	if !maps.Equal(trees.DescribeTree(t, filepath.Join(dir, "1")), inputs) {
		t.Error("an input changed")
	}
}
