package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Names of steps: what is measured.
const (
	stepCopy        = "cp -r"
	stepCopySync    = "cp -r and sync"
	stepBuild       = "build"
	stepRebuild     = "rebuild, none changed"
	stepRebuildSome = "rebuild, 1% changed"
	stepCheck       = "check"
	stepVersion     = "version"
	stepResolve     = "resolve"
	stepCommon      = "resolve, common words"
	stepStream      = "resolve by streaming"
	stepVerify      = "verify"
	stepSum         = "sha256sum"
	stepRg          = "rg -c"
	stepGrep        = "grep -rc"
	stepSQLiteIndex = "SQLite index"
	stepBuildBeside = "build beside SQLite"
	stepSQLiteQuery = "SQLite query"
)

// buildWith names the step of a cold build with a GOMAXPROCS.
func buildWith(procs int) string { return fmt.Sprintf("build with GOMAXPROCS=%d", procs) }

// budget is that of every query, in tokens of 4 bytes.
const budget = 4_000

// plan returns what to measure of a site. Commands that are compared stand in
// the same rounds.
func (b bench) plan(s site, q queries, procs []int) []rounds {
	const patience = 45 * time.Second // a report of 7 corpora takes less than half an hour
	plan := []rounds{{"builds", b.builds(s, procs), 3, patience}}
	if b.rivals != "" {
		plan = append(plan, rounds{"SQLite", b.indexes(s), 1, patience / 2})
	}
	return append(plan, rounds{"queries", b.queries(s, q), 3, patience}, rounds{"scans", b.scans(s, q), 3, patience})
}

// builds are the ways to make a cache, beside copying its sources.
func (b bench) builds(s site, procs []int) []step {
	var steps []step
	if installed("cp") {
		steps = append(steps, step{stepCopy, s.fresh("copy", func(dir string) command {
			return command{args: []string{"cp", "-r", s.sources, dir}}
		})})
	}
	if installed("cp", "sync", "sh") && runtime.GOOS == "linux" {
		steps = append(steps, step{stepCopySync, s.fresh("synced", func(dir string) command {
			return command{args: []string{"sh", "-c", `cp -r "$0" "$1" && sync -f "$1"`, s.sources, dir}}
		})})
	}
	steps = append(steps, step{stepBuild, s.fresh("build", func(dir string) command { return b.build(s.sources, dir) })})
	for _, n := range procs {
		steps = append(steps, step{buildWith(n), s.fresh(fmt.Sprint("build", n, "-"), func(dir string) command {
			c := b.build(s.sources, dir)
			c.env = []string{"GOMAXPROCS=" + strconv.Itoa(n)}
			return c
		})})
	}
	return append(steps, b.rebuilds(s)...)
}

// fresh returns a step's make for a command with a directory of its own.
func (s site) fresh(name string, with func(dir string) command) func(int) (command, error) {
	return func(round int) (command, error) {
		return with(filepath.Join(s.dir, fmt.Sprint(name, round))), nil
	}
}

func (b bench) build(sources, cache string, flags ...string) command {
	args := []string{b.context, "build", "--sources", sources, "--cache", cache}
	return command{args: append(args, flags...)}
}

func (b bench) rebuilds(s site) []step {
	return []step{
		{stepRebuild, always(b.build(s.sources, s.cache, "--force").args...)},
		{stepRebuildSome, func(round int) (command, error) {
			return b.build(s.changing, s.changed, "--force"), s.changeSome(round)
		}},
		{stepCheck, always(b.build(s.sources, s.cache, "--check").args...)},
	}
}

// database is where SQLite's index of a round is.
func (s site) database(round int) string { return filepath.Join(s.dir, fmt.Sprint("sqlite", round)) }

// indexes are builds and what SQLite does in their place.
func (b bench) indexes(s site) []step {
	return []step{
		{stepBuildBeside, s.fresh("beside", func(dir string) command { return b.build(s.sources, dir) })},
		{stepSQLiteIndex, func(round int) (command, error) {
			return command{args: []string{b.rivals, "index", s.sources, s.database(round)}}, nil
		}},
	}
}

// queries are the commands that look things up, and what others do in their
// place.
func (b bench) queries(s site, q queries) []step {
	steps := []step{
		{stepVersion, always(b.context, "version")},
		{stepResolve, b.resolve(s.cache, q.middling)},
		{stepCommon, b.resolve(s.cache, q.common)},
	}
	if b.rivals != "" {
		bytes := strconv.Itoa(4 * budget)
		steps = append(steps, step{stepSQLiteQuery, always(b.rivals, "query", s.database(0), strings.Join(q.middling, " "), bytes)})
	}
	patterns := []string{"-e", q.middling[0], "-e", q.middling[1], s.sources}
	if installed("rg") {
		steps = append(steps, step{stepRg, always(append([]string{"rg", "-c", "-uu"}, patterns...)...)})
	}
	if installed("grep") {
		steps = append(steps, step{stepGrep, always(append([]string{"grep", "-rc"}, patterns...)...)})
	}
	return steps
}

func (b bench) resolve(cache string, words []string) func(int) (command, error) {
	return always(b.context, "resolve", "--cache", cache, "--query", strings.Join(words, " "), "--budget", strconv.Itoa(budget))
}

// scans are the commands that read every document.
func (b bench) scans(s site, q queries) []step {
	steps := []step{
		{stepVerify, always(b.context, "verify", "--cache", s.cache)},
		{stepStream, b.resolve(s.streamed, q.middling)},
	}
	if installed("sh", "find", "xargs", "sha256sum") {
		const sum = `find "$0" -type f -print0 | xargs -0 sha256sum`
		steps = append(steps, step{stepSum, always("sh", "-c", sum, filepath.Join(s.cache, "documents"))})
	}
	return steps
}
