package pipeline_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// sourcesOf returns the sources of one of two caches. They share some documents, some
// have changed, some exist in only one of them, and some are equal to others.
func sourcesOf(generation string) map[string]string {
	sources := map[string]string{"only " + generation + ".md": "same\n"}
	for i := range 40 {
		text := "same\n"
		if i%3 == 0 {
			text = fmt.Sprintf("# %d\n\n%s", i, strings.Repeat("all work and no play\n", i))
		}
		if i%4 == 0 {
			text += generation + "\n"
		}
		sources[fmt.Sprintf("d%d/F%d.md", i%7, i)] = text
	}
	return sources
}

// A rivalry consists of two sets of sources for the same cache.
type rivalry struct {
	sources map[string]string            // generation to directory
	trees   map[string]map[string]string // generation to the files of its cache
	base    string                       // contains only the cache
	path    string

	spec selection.Spec // supported by the caches
}

var generations = []string{"old", "new"}

func makeRivalry(t *testing.T, spec selection.Spec) *rivalry {
	t.Helper()
	dir := t.TempDir()
	r := &rivalry{
		map[string]string{}, map[string]map[string]string{}, filepath.Join(dir, "base"), filepath.Join(dir, "base", "cache"), spec,
	}
	if err := os.Mkdir(r.base, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, generation := range generations {
		sources := sourcesOf(generation)
		r.sources[generation] = filepath.Join(dir, generation)
		trees.WriteTree(t, r.sources[generation], sources)
		path := filepath.Join(dir, "cache of "+generation)
		if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: r.sources[generation]}}, Cache: path, Selection: spec}); err != nil {
			t.Fatal(err)
		}
		r.trees[generation] = trees.DescribeTree(t, path)
	}
	if maps.Equal(r.trees["old"], r.trees["new"]) {
		t.Fatal("the two caches are one")
	}
	return r
}

func (r *rivalry) build(generation string) error {
	cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: r.sources[generation]}}, Cache: r.path, Force: true, Jobs: 2, Selection: r.spec}
	_, err := pipeline.Build(nilContext, cfg)
	return err
}

// nilContext never ends. The context of a test ends too early, because the cleanup still
// needs a context.
var nilContext = context.Background()

// current returns which of the two caches is at the path, or "absent".
func (r *rivalry) current(t testing.TB) string {
	t.Helper()
	tree := trees.DescribeTree(t, r.path)
	if len(tree) == 0 {
		return "absent"
	}
	for _, generation := range generations {
		if maps.Equal(tree, r.trees[generation]) {
			return generation
		}
	}
	t.Fatalf("what is at the path is neither cache: %q", slices.Sorted(maps.Keys(tree)))
	return ""
}

// wantMended fails the test unless another build succeeds and leaves nothing except the
// cache.
func (r *rivalry) wantMended(t *testing.T) {
	t.Helper()
	if err := r.build("new"); err != nil {
		t.Fatalf("the last build: %v", err)
	}
	if got := r.current(t); got != "new" {
		t.Errorf("after the last build the cache is %s", got)
	}
	entries, err := os.ReadDir(r.base)
	if err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v, want the cache alone", entries, err)
	}
	v, err := verify.Path(t.Context(), r.path, 0)
	if err != nil || v.Err() != nil {
		t.Errorf("verify: %v, %v", err, v.Err())
	}
}

// The process to kill gets its work from these variables.
const (
	killedSources   = "CONTEXT_TEST_KILLED_SOURCES"
	killedCache     = "CONTEXT_TEST_KILLED_CACHE"
	killedSelection = "CONTEXT_TEST_KILLED_SELECTION"
)

// TestBuildUntilKilled runs in the process to kill.
func TestBuildUntilKilled(t *testing.T) {
	if os.Getenv(killedCache) == "" {
		t.Skip("this is the process that the tests of kills start: they set its environment")
	}
	spec := selection.Spec(os.Getenv(killedSelection))
	fmt.Println("begin")
	cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: os.Getenv(killedSources)}}, Cache: os.Getenv(killedCache), Selection: spec, Force: true, Jobs: 2}
	if _, err := pipeline.Build(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
}

// buildAndKill runs a build in another process and kills it after a delay. It returns
// how long the build took, and whether it was killed before it was done.
func (r *rivalry) buildAndKill(t *testing.T, generation string, after time.Duration) (took time.Duration, killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBuildUntilKilled$")
	cmd.Env = append(os.Environ(), killedSources+"="+r.sources[generation], killedCache+"="+r.path,
		fmt.Sprintf("%s=%s", killedSelection, r.spec),
		"GORACE=atexit_sleep_ms=0") // without races, the process ends immediately
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	begin := time.Now()
	killer := time.AfterFunc(after, func() { cmd.Process.Kill() })
	var rest strings.Builder
	for lines.Scan() {
		took = max(took, time.Since(begin)) // until it printed its result
		rest.WriteString(lines.Text())
	}
	err = cmd.Wait()
	killer.Stop()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 && runtime.GOOS != "windows" {
		t.Fatalf("the build failed: %v\n%s\n%s", err, rest.String(), errs.String())
	}
	return took, err != nil
}

// calibrate measures how long builds take here.
func (r *rivalry) calibrate(t *testing.T) time.Duration {
	t.Helper()
	var took []time.Duration
	for range 3 {
		d, killed := r.buildAndKill(t, "old", time.Hour)
		if killed {
			t.Fatal("a build that nobody has killed did not end well")
		}
		took = append(took, d)
	}
	return slices.Max(took)
}

// killOften kills builds of the generation returned by next, at moments spread over
// their duration. After each of them, it calls check with the cache at the path.
func (r *rivalry) killOften(t *testing.T, next func() string, check func(got string)) {
	duration := r.calibrate(t)
	random := rand.New(rand.NewPCG(5, 6))
	outcomes := map[string]int{}
	killed := 0
	for killed < effort.Cases(60, 10) {
		after := time.Duration(random.Float64() * 1.2 * float64(duration))
		generation := next()
		_, wasKilled := r.buildAndKill(t, generation, after)
		got := r.current(t)
		if wasKilled {
			killed++
			outcomes[fmt.Sprintf("building %s: %s", generation, got)]++
		} else if got != generation {
			t.Errorf("the build of %s ended well, but %s is there", generation, got)
		}
		check(got)
	}
	t.Logf("%d kills, %v a build: %v", killed, duration, outcomes)
}

func TestAKilledBuildLeavesNothingOrTheWholeCache(t *testing.T) {
	t.Parallel()
	r := makeRivalry(t, selection.Spec0)
	r.killOften(t, func() string {
		if err := os.RemoveAll(r.path); err != nil {
			t.Fatal(err)
		}
		return "new"
	}, func(string) {})
	r.wantMended(t)
}

// Where the system can exchange directories in a single step, as on Linux and macOS, the
// path always contains a cache.
func TestAKilledRebuildLeavesTheOldOrTheNewCache(t *testing.T) {
	t.Parallel()
	for _, spec := range []selection.Spec{selection.Spec0, selection.Spec1} {
		t.Run("selection="+string(spec), func(t *testing.T) {
			t.Parallel()
			killRebuilds(t, makeRivalry(t, spec))
		})
	}
}

func killRebuilds(t *testing.T, r *rivalry) {
	next := "new"
	r.killOften(t, func() string { return next }, func(got string) {
		if got == "absent" && (runtime.GOOS == "linux" || runtime.GOOS == "darwin") {
			t.Error("there is no cache at all")
		}
		if got == next {
			next = generations[(slices.Index(generations, next)+1)%len(generations)]
		}
	})
	r.wantMended(t)
}

// While the cache is being rebuilt again and again, every reader sees all of either
// cache.
func TestReadersOfACacheThatIsRebuiltSeeOneOfTheTwo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a directory that is open cannot be renamed on Windows")
	}
	for _, spec := range []selection.Spec{selection.Spec0, selection.Spec1} {
		t.Run("selection="+string(spec), func(t *testing.T) { readWhileRebuilding(t, makeRivalry(t, spec)) })
	}
}

func readWhileRebuilding(t *testing.T, r *rivalry) {
	answers := map[string]string{}
	for _, generation := range generations {
		if err := r.build(generation); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := resolveAll(r.path, &out); err != nil {
			t.Fatal(err)
		}
		answers[out.String()] = generation
	}
	var done atomic.Bool
	seen := readUntil(t, &done, r.path, answers)
	rebuilds := effort.Cases(25, 10)
	for i := range rebuilds {
		if err := r.build(generations[i%2]); err != nil {
			t.Errorf("rebuild %d: %v", i, err)
		}
	}
	done.Store(true)
	t.Logf("%d rebuilds, seen: %v", rebuilds, seen())
	r.wantMended(t)
}

// resolveAll answers with all documents of the cache at path.
func resolveAll(path string, out io.Writer) error {
	query, err := selection.ParseQuery("read SAME 日本")
	if err != nil {
		return err
	}
	c, err := answers.Open(path)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Resolve(nilContext, selection.Request{Query: query, Budget: 1 << 40, Jobs: 1}, out)
}

// readUntil starts readers, which resolve and verify the cache at path until done. seen
// waits for them and returns how often they got each answer.
func readUntil(t *testing.T, done *atomic.Bool, path string, answers map[string]string) (seen func() map[string]int) {
	var count struct {
		sync.Mutex
		of map[string]int
	}
	count.of = map[string]int{}
	var readers sync.WaitGroup
	read := func() {
		var out bytes.Buffer
		if err := resolveAll(path, &out); err != nil {
			t.Errorf("resolve: %v", err)
			return
		}
		generation, ok := answers[out.String()]
		if !ok {
			t.Errorf("resolve: got %.300s, which is the answer of neither cache", out.String())
		}
		if v, err := verify.Path(nilContext, path, 1); err != nil || v.Err() != nil {
			t.Errorf("verify: got %v, %v", err, v.Err())
		}
		count.Lock()
		defer count.Unlock()
		count.of[generation]++
	}
	for range 4 {
		readers.Go(func() {
			for !done.Load() && !t.Failed() {
				read()
			}
		})
	}
	return func() map[string]int {
		readers.Wait()
		return count.of
	}
}

// If several builds of the same cache run at the same time, one of them continues and
// the others explain why they cannot. The cache is complete at every moment.
func TestConcurrentBuildsOfOneCacheDoNotMix(t *testing.T) {
	r := makeRivalry(t, selection.Spec0)
	var succeeded, refused atomic.Int64
	for range effort.Cases(10, 3) {
		var builds sync.WaitGroup
		start := make(chan struct{})
		before := succeeded.Load()
		for i := range 4 {
			builds.Go(func() {
				<-start
				err := r.build(generations[i%2])
				switch {
				case err == nil:
					succeeded.Add(1)
				case fault.CodeOf(err) == fault.IO && strings.Contains(err.Error(), "another build"):
					refused.Add(1)
				default:
					t.Errorf("got %v, want success or %v: another build", err, fault.IO)
				}
			})
		}
		close(start)
		builds.Wait()
		if succeeded.Load() == before {
			t.Error("of four builds none succeeded")
		}
		if got := r.current(t); got == "absent" {
			t.Error("there is no cache")
		}
	}
	t.Logf("%d succeeded, %d were refused", succeeded.Load(), refused.Load())
	r.wantMended(t)
}

// The two builds are certain to overlap, because the second starts while the first is in
// the middle of its documents.
func TestABuildThatBeginsDuringAnotherIsRefused(t *testing.T) {
	r := makeRivalry(t, selection.Spec0)
	for _, force := range []bool{false, true} {
		var second error
		var once sync.Once
		cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: r.sources["new"]}}, Cache: r.path, Force: force, Jobs: 1, Selection: r.spec}
		cfg.Observer = func(e pipeline.Event) {
			if e.Stage != pipeline.Read {
				return
			}
			once.Do(func() {
				rival := pipeline.Config{Sources: []pipeline.Mount{{Dir: r.sources["old"]}}, Cache: r.path, Force: force, Selection: r.spec}
				_, second = pipeline.Build(nilContext, rival)
			})
		}
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			t.Errorf("force=%v: the first: %v", force, err)
		}
		if second == nil || fault.CodeOf(second) != fault.IO || !strings.Contains(second.Error(), "another build") {
			t.Errorf("force=%v: the second: got %v, want %v: another build", force, second, fault.IO)
		}
		if got := r.current(t); got != "new" {
			t.Errorf("force=%v: the cache is %s, want new", force, got)
		}
	}
	r.wantMended(t)
}

func TestAReplacedCacheIsReadToTheEndAndThenRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a directory that is open cannot be renamed on Windows")
	}
	r := makeRivalry(t, selection.Spec0)
	if err := r.build("old"); err != nil {
		t.Fatal(err)
	}
	c, err := answers.Open(r.path)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := r.build("new"); err != nil {
			t.Fatal(err)
		}
		if err := c.Verify(t.Context(), 2); err != nil {
			t.Errorf("verify of the replaced cache: %v", err)
		}
	}
	if v, err := verify.Path(t.Context(), r.path, 2); err != nil || v.Version == c.Version() {
		t.Errorf("got %v, %v at the path, want another version", v.Version, err)
	}
	if entries, err := os.ReadDir(r.base); err != nil || len(entries) != 2 {
		t.Errorf("got %v, %v, want the cache and the one that is read", entries, err)
	}
	c.Close()
	r.wantMended(t)
}
