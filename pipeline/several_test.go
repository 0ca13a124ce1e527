package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
)

// Several builds at once make the same caches as each build alone, and report in order,
// with any number of jobs.
func TestSeveralBuildsMakeTheCachesOfEachAlone(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		defer os.RemoveAll(dir)
		var cfgs []pipeline.Config
		for i := range rapid.IntRange(1, 3).Draw(rt, "builds") {
			docs := filepath.Join(dir, fmt.Sprint(i))
			trees.WriteTree(t, docs, trees.DrawSources(rt))
			cfgs = append(cfgs, pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: docs + " cache", Force: true})
		}
		jobs, i := rapid.IntRange(0, 4).Draw(rt, "jobs"), 0
		for got, err := range pipeline.BuildEach(t.Context(), jobs, cfgs) {
			alone := cfgs[i]
			alone.Cache += " alone"
			want, wantErr := pipeline.Build(t.Context(), alone)
			if err != nil || wantErr != nil || got.Version != want.Version {
				rt.Fatalf("build %d: got %v, %v, want %v, %v", i, got.Version, err, want.Version, wantErr)
			}
			if !maps.Equal(trees.ReadTree(t, cfgs[i].Cache), trees.ReadTree(t, alone.Cache)) {
				rt.Errorf("build %d made another cache than alone", i)
			}
			i++
		}
		if i != len(cfgs) {
			rt.Errorf("got %d reports of %d builds", i, len(cfgs))
		}
		i = 0
		for got, err := range pipeline.CheckEach(t.Context(), jobs, cfgs) {
			if err != nil || !got.IsUpToDate() {
				rt.Errorf("build %d is not up to date: %+v, %v", i, got, err)
			}
			i++
		}
	})
}

// gauge counts the workers of several builds in a stage. The workers that arrive first
// wait for each other, so that they are busy at the same time if possible.
type gauge struct {
	sync.Mutex
	busy    map[[2]int]bool
	most    int
	missing int // workers still to wait for
	all     chan struct{}
}

func (g *gauge) meet(e pipeline.Event) {
	g.Lock()
	waits := e.Stage == pipeline.Parse && g.missing > 0
	if waits {
		if g.missing--; g.missing == 0 {
			close(g.all)
		}
	}
	g.Unlock()
	if waits {
		<-g.all
	}
}

func (g *gauge) observer(build int) pipeline.Observer {
	return func(e pipeline.Event) {
		defer g.meet(e)
		g.Lock()
		defer g.Unlock()
		g.busy[[2]int{build, e.Worker}] = e.Stage != pipeline.Done
		n := 0
		for _, isBusy := range g.busy {
			if isBusy {
				n++
			}
		}
		g.most = max(g.most, n)
	}
}

func TestSeveralBuildsShareTheirJobs(t *testing.T) {
	for _, jobs := range []int{1, 3} {
		g := gauge{busy: map[[2]int]bool{}, missing: jobs, all: make(chan struct{})}
		dir := t.TempDir()
		var cfgs []pipeline.Config
		for i := range 5 {
			docs := filepath.Join(dir, fmt.Sprint(i))
			trees.WriteTree(t, docs, sourcesOf("new"))
			cfgs = append(cfgs, pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: docs + " cache", Observer: g.observer(i), Jobs: 99})
		}
		for _, err := range pipeline.BuildEach(t.Context(), jobs, cfgs) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if g.most != jobs {
			t.Errorf("%d workers were busy at once, want %d", g.most, jobs)
		}
	}
}

// Callers see the first failure in order. Afterwards, each cache is either complete or
// absent: caches before the failure are complete, and some after it may be.
func TestTheFirstOfSeveralFailuresIsReportedFirst(t *testing.T) {
	for _, jobs := range []int{1, 2, 8} {
		dir := t.TempDir()
		var cfgs []pipeline.Config
		for i := range 6 {
			docs := filepath.Join(dir, fmt.Sprint(i))
			if i != 2 && i != 4 {
				trees.WriteTree(t, docs, map[string]string{"a.md": "a\n"})
			}
			cfgs = append(cfgs, pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: docs + " cache"})
		}
		i := 0
		for _, err := range pipeline.BuildEach(t.Context(), jobs, cfgs) {
			if isBroken := i == 2 || i == 4; (err != nil) != isBroken || isBroken && fault.CodeOf(err) != fault.IO {
				t.Errorf("jobs=%d: build %d: %v", jobs, i, err)
			}
			i++
		}
		if i != 6 {
			t.Errorf("jobs=%d: got %d results, want 6", jobs, i)
		}
	}
}

func TestSeveralBuildsAreInterruptedTogether(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	var cfgs []pipeline.Config
	for i := range 3 {
		docs := filepath.Join(dir, fmt.Sprint(i))
		trees.WriteTree(t, docs, sourcesOf("new"))
		cfgs = append(cfgs, pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: filepath.Join(dir, "caches", fmt.Sprint(i))})
	}
	cfgs[1].Observer = func(e pipeline.Event) {
		if e.Stage == pipeline.Parse {
			cancel()
		}
	}
	var errs []error
	for _, err := range pipeline.BuildEach(ctx, 1, cfgs) {
		errs = append(errs, err)
	}
	if errs[0] != nil || !errors.Is(errs[1], context.Canceled) || !errors.Is(errs[2], context.Canceled) {
		t.Errorf("got %v, want one cache and two interrupts", errs)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "caches"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "0" {
		t.Errorf("got %v, %v, want the first cache alone", entries, err)
	}
}
