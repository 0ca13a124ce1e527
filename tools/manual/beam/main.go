// Command beam builds a cache in a pipeline of Apache Beam: each element is a shard, and the shards
// are merged when all of them are built.
//
//	go run . --sources DIR --cache DIR [--shards N] [--scratch DIR] [flags of Beam]
//
// All workers must share the directories, and have `context` on their path. Without flags of Beam,
// the pipeline runs in prism, on this machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

func init() {
	register.DoFn2x2[context.Context, int, string, error](&buildFn{})
	register.DoFn3x1[context.Context, int, func(*string) bool, error](&mergeFn{})
	register.Iter1[string]()
}

func main() {
	sources := flag.String("sources", "docs", "compile the pages below `DIR`")
	cache := flag.String("cache", "build/context", "make the cache at `DIR`")
	shards := flag.Int("shards", 8, "divide the pages into `N` shards")
	scratch := flag.String("scratch", "shards", "keep the shards below `DIR`")
	flag.Parse()
	beam.Init()
	if err := run(context.Background(), *sources, *cache, *scratch, *shards); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, sources, cache, scratch string, shards int) error {
	p := beam.NewPipeline()
	s := p.Root()
	numbers := make([]int, shards)
	for i := range numbers {
		numbers[i] = i + 1
	}
	// Without Reshuffle, a single worker would build all shards.
	spread := beam.Reshuffle(s, beam.CreateList(s, numbers))
	built := beam.ParDo(s, &buildFn{sources, scratch, shards}, spread)
	beam.ParDo0(s, &mergeFn{cache}, beam.GroupByKey(s, beam.AddFixedKey(s, built)))
	return beamx.Run(ctx, p)
}

// A buildFn builds shards.
type buildFn struct {
	Sources, Scratch string
	Shards           int
}

// attempts bounds how often a shard is built. Dataflow tries a failed element four times as well,
// but prism, Beam's own runner, doesn't try it again.
const attempts = 4

// ProcessElement builds the shard with this number and returns its cache.
func (f *buildFn) ProcessElement(ctx context.Context, shard int) (string, error) {
	cache := filepath.Join(f.Scratch, strconv.Itoa(shard))
	for attempt := 1; ; attempt++ {
		err := compile(ctx, "build", "--sources", f.Sources, "--cache", cache,
			"--shard", fmt.Sprintf("%d/%d", shard, f.Shards), "--force")
		if err == nil || attempt == attempts || !wasKilled(err) {
			return cache, err
		}
		log.Warnf(ctx, "try shard %d again: %v", shard, err)
	}
}

// A mergeFn merges the shards.
type mergeFn struct{ Cache string }

// ProcessElement merges all shards. Since it gets them as one element, it runs when all are built.
func (f *mergeFn) ProcessElement(ctx context.Context, _ int, shards func(*string) bool) error {
	args := []string{"merge", "--cache", f.Cache, "--force", "--no-verify"}
	for shard := ""; shards(&shard); {
		args = append(args, shard)
	}
	return compile(ctx, args...)
}

func compile(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, "context", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("context %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// wasKilled says whether a program was ended by a signal, which a shell reports as 128 and more.
func wasKilled(err error) bool {
	exit := &exec.ExitError{}
	return errors.As(err, &exit) && (exit.ExitCode() < 0 || exit.ExitCode() > 128)
}
