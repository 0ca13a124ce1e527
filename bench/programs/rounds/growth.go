package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	generated "github.com/contextcompiler/context/bench/corpus"
)

const (
	// shardCount is how many machines could share the build of a growth.
	shardCount = 8
	// mostCompared is the most pages for which other programs run, too, and caches are
	// checked in more than one way. A million pages would take an hour otherwise.
	mostCompared = 100_000
)

// A growth is a directory of generated pages, with all their caches and databases.
// Programs run over several of them to show how their costs grow.
type growth struct {
	dir   string
	pages int
	query string
}

// newGrowth generates the pages. Another program does this to keep this one small.
func newGrowth(dir string, pages int) (*growth, error) {
	g := &growth{dir: dir, pages: pages, query: generated.Question(pages / 2)}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if out, err := exec.Command("pages", strconv.Itoa(pages), g.path("sources")).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("generate pages: %w: %s", err, out)
	}
	return g, nil
}

func (g *growth) path(name string) string { return filepath.Join(g.dir, name) }

// numbered returns a new path for each round.
func (g *growth) numbered(name string, round int) string {
	return g.path(name + strconv.Itoa(round))
}

// cache is the cache that is built in the first round. Its last element names it in the figures of
// the program answers.
func (g *growth) cache() string { return g.path(strconv.Itoa(g.pages)) }

// steps returns the programs of a round. Since later programs need what earlier ones wrote, a
// growth has forward rounds only.
func (g *growth) steps() []step {
	named := func(work string, args ...string) step {
		return step{names: []string{fmt.Sprintf("Growth/pages=%d/work=%s", g.pages, work)}, args: always(args...)}
	}
	built := func(round int) string {
		if round == 0 {
			return g.cache()
		}
		return g.numbered("cache", round)
	}
	merged := func(round int) string { return g.numbered("merged", round) }
	shards := func(round int) (all []string) {
		for i := range shardCount {
			all = append(all, filepath.Join(g.numbered("shards", round), strconv.Itoa(i)))
		}
		return all
	}

	floor := named("floor")
	floor.args = func(round int) []string { return []string{"floor", g.path("sources"), g.numbered("floor", round)} }
	index := named("fts5-index")
	index.args = func(round int) []string {
		return []string{"rivals", "index", g.path("sources"), g.numbered("fts5-", round)}
	}
	cold := named("build")
	cold.args = func(round int) []string { return build(1, g.path("sources"), built(round)) }
	cold.metrics = func(int) (string, error) { return g.sizes() }
	rebuild := named("rebuild")
	rebuild.args = func(round int) []string { return build(1, g.path("sources"), built(round), "--force") }
	warm := step{
		args: always("bench.test", "-test.run", "^$", "-test.bench", "Warm", "-caches", g.cache()),
		show: func(line string) bool { return strings.HasPrefix(line, "BenchmarkWarm/") },
	}
	// The steps about this cache follow at once, because after the shards, the sources and
	// the cache of a million pages would no longer be in the page cache.
	steps := []step{
		cold, rebuild,
		named("verify", "context", "verify", "--cache", g.cache()),
		named("version", "context", "version"),
		named("resolve", "context", "resolve", "--cache", g.cache(), "--query", g.query, "--budget", strconv.Itoa(budget)),
		warm,
	}
	if g.pages <= mostCompared {
		steps = append([]step{floor, index}, steps...)
	}
	for i := range shardCount {
		shard := named("shard")
		shard.args = func(round int) []string {
			return build(1, g.path("sources"), shards(round)[i], "--shard", fmt.Sprintf("%d/%d", i+1, shardCount))
		}
		steps = append(steps, shard)
	}
	merge := named("merge")
	merge.args = func(round int) []string {
		return append([]string{"context", "merge", "--no-verify", "--cache", merged(round)}, shards(round)...)
	}
	merge.metrics = func(round int) (string, error) { return "", sameManifests(merged(round), g.cache()) }
	checked := named("merge-verified")
	checked.args = func(round int) []string {
		return append([]string{"context", "merge", "--force", "--cache", merged(round)}, shards(round)...)
	}
	steps = append(steps, merge)
	if g.pages <= mostCompared {
		steps = append(steps, checked,
			named("check", build(1, g.path("sources"), g.cache(), "--check")...),
			named("fts5-query", "rivals", "query", g.numbered("fts5-", 0), g.query, strconv.Itoa(4*budget)))
	}
	return steps
}

// sizes returns the size of the text in bytes, and the sizes of the cache and its index divided by
// it.
func (g *growth) sizes() (string, error) {
	text, err := size(g.path("sources"))
	if err != nil {
		return "", err
	}
	shares, err := sizes(g.cache(), text)
	return fmt.Sprintf(" %d text-B%s", text, shares), err
}

// sameManifests fails unless two caches have the same manifest. It doesn't read them as a whole,
// because this program must stay small.
func sameManifests(a, b string) error {
	first, err := sumOf(filepath.Join(a, "manifest.json"))
	if err != nil {
		return err
	}
	second, err := sumOf(filepath.Join(b, "manifest.json"))
	if err == nil && first != second {
		err = fmt.Errorf("the manifests of %s and %s differ", a, b)
	}
	return err
}

func sumOf(path string) (sum [sha256.Size]byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer file.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	hash.Sum(sum[:0])
	return sum, err
}
