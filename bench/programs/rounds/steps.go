package main

import (
	"fmt"
	"strconv"
)

// budget is the most tokens of an answer. A token is 4 bytes.
const budget = 4_000

// steps returns the programs of a round. The name of a benchmark says what its
// figures are compared with: builds with the floor, later work on a cache with its
// cold build, and questions with the start of a process that does nothing. Since
// benchstat compares with the first, floor, version and build come first.
func (c *corpus) steps() []step {
	steps := []step{
		{names: []string{"Build/work=floor"}, args: func(round int) []string {
			return []string{"floor", c.sources(), c.numbered("floor-round", round)}
		}},
		{names: []string{"Ask/work=version"}, args: always("context", "version")},
		{names: []string{"Build/work=fts5"}, args: func(round int) []string {
			return []string{"rivals", "index", c.sources(), c.database(round)}
		}},
	}
	for selection := range 2 {
		steps = append(steps, c.cacheSteps(selection)...)
	}
	return append(steps, step{
		names: []string{"Ask/work=fts5"},
		args:  always("rivals", "query", c.database(0), c.query, strconv.Itoa(4*budget)),
	})
}

// cacheSteps are the steps with caches for one selection.
func (c *corpus) cacheSteps(selection int) []step {
	first := c.cold(selection, 0)
	ask := []string{"context", "resolve", "--cache", first, "--query", c.query, "--budget", strconv.Itoa(budget)}
	keep := func(work string) string { return fmt.Sprintf("Keep/selection=%d/work=%s", selection, work) }
	return []step{
		{
			names:   []string{fmt.Sprintf("Build/work=selection%d", selection), keep("build")},
			args:    func(round int) []string { return build(selection, c.sources(), c.cold(selection, round)) },
			metrics: func(round int) (string, error) { return sizes(c.cold(selection, round), c.size) },
		},
		{names: []string{keep("rebuild")}, args: always(build(selection, c.sources(), first, "--force")...)},
		{names: []string{keep("check")}, args: always(build(selection, c.sources(), first, "--check")...)},
		{
			names:   []string{keep("change1%")},
			prepare: func(round int) error { return c.changePages(selection, round) },
			args:    always(build(selection, c.changing(selection), c.changed(selection), "--force")...),
		},
		{names: []string{keep("verify")}, args: always("context", "verify", "--cache", first)},
		{names: []string{fmt.Sprintf("Ask/work=resolve%d", selection)}, args: always(ask...)},
	}
}

func build(selection int, sources, cache string, flags ...string) []string {
	command := []string{"context", "build", "--selection", strconv.Itoa(selection), "--sources", sources, "--cache", cache}
	return append(command, flags...)
}

// always returns arguments that are the same in every round.
func always(args ...string) func(int) []string {
	return func(int) []string { return args }
}
