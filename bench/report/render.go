package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A report is all that is written.
type report struct {
	machine []string // one line each
	opts    options
	results []result
	missing []string
}

// render writes the report as Markdown.
func (r report) render() string {
	parts := []string{
		"# Performance",
		"Whole processes are measured, from their start to their end. A time is the median of n\n" +
			"runs, with the least and the most. A ratio is the median of ratios of two runs of one\n" +
			"round: the commands run in turn, each round into fresh directories and every other one\n" +
			"backwards, and what one has written is on the disk before the next begins. Absolute\n" +
			"times are those of this machine.",
		notesBegin + "\n" + notesEnd,
		"## Machine",
		list(r.machine),
		"## Repeat it",
		r.howToRepeat(),
		"## Targets",
		r.overview(),
	}
	for _, one := range r.results {
		parts = append(parts, r.details(one))
	}
	parts = append(parts, r.growth()...)
	parts = append(parts, r.comparison()...)
	return strings.Join(parts, "\n\n") + "\n"
}

func list(lines []string) string { return "- " + strings.Join(lines, "\n- ") }

func (r report) howToRepeat() string {
	text := "```sh\n" + r.opts.commandLine() + "\n```\n\n" +
		"Generated pages are the same everywhere. Warm calls of the server, and\n" +
		"list_contexts, are measured by `go test ./bench -run '^$' -bench 'Serve|Contexts'`."
	if len(r.missing) > 0 {
		text += "\n\nLeft out here: " + strings.Join(r.missing, "; ") + "."
	}
	return text
}

// overview has a column for each corpus and a row for each target.
func (r report) overview() string {
	head := []string{"what", "target"}
	for _, one := range r.results {
		head = append(head, one.name)
	}
	rows := [][]string{head}
	for _, t := range targets(r.opts.procs) {
		if t.target == "" {
			continue
		}
		row := []string{t.what, t.target}
		for _, one := range r.results {
			row = append(row, cell(t.find(one)))
		}
		rows = append(rows, row)
	}
	return table(rows)
}

func cell(f figure, found bool) string {
	if !found {
		return "–"
	}
	return strings.TrimSpace(f.value + " " + f.verdict)
}

// details are the measurements of one corpus.
func (r report) details(one result) string {
	rows := [][]string{{"what", "target", "measured", "median times (least–most)", "n", "verdict"}}
	for _, t := range targets(r.opts.procs) {
		if f, found := t.find(one); found {
			rows = append(rows, []string{t.what, t.target, f.value, f.medians, strconv.Itoa(f.n), f.verdict})
		}
	}
	return fmt.Sprintf("### %s\n\n%s\n\n%s", one.name, one.describe(), table(rows))
}

func (one result) describe() string {
	return fmt.Sprintf("%s pages, %s of Markdown. Resolve asks for `%s`, words of about a tenth of the pages,\n"+
		"and for the most common words `%s`, with a budget of %s.",
		thousands(one.pages), quantity(float64(one.size), sizes),
		strings.Join(one.queries.middling, " "), strings.Join(one.queries.common, " "), thousands(budget))
}

// growth tells of the generated corpora, if there is more than one.
func (r report) growth() []string {
	var generated []result
	for _, one := range r.results {
		if one.generated {
			generated = append(generated, one)
		}
	}
	if len(generated) < 2 {
		return nil
	}
	return []string{
		"## Growth",
		"Cost grows as pages^exponent: 1 is linear, 0 is no growth. The start of a process, which\n" +
			"does not grow, is in all of them.",
		growthTable(generated),
	}
}

// comparison is with other tools, which do not do the same: that is said.
func (r report) comparison() []string {
	rows := [][]string{{"corpus", "what", "ratio", "median times (least–most)", "n"}}
	for _, one := range r.results {
		for _, rival := range rivals {
			if f, found := rival.find(one); found {
				rows = append(rows, []string{one.name, rival.what, f.value, f.medians, strconv.Itoa(f.n)})
			}
		}
	}
	if len(rows) == 1 {
		return nil
	}
	return []string{
		"## Other tools",
		"SQLite (bench/rivals) ranks by bm25 and tries the best 50 pages for the budget; its\n" +
			"index has the pages in one file, without hashes. `rg` and `grep` count lines with either\n" +
			"word, in all sources; they rank nothing and print no page.",
		table(rows),
	}
}
