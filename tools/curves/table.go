package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// rows of the table. A cell is empty if its figure wasn't measured.
var rows = []struct {
	name string
	cell func(f figures, pages int) string
}{
	{"text", func(f figures, pages int) string { return mebibytes(f.median("build", "text-B", pages)) }},
	{"floor", times("floor")},
	{"build", times("build")},
	{"8 shards, all of them (the slowest)", shards},
	{"merge of the shards, `--no-verify`", times("merge")},
	{"merge of the shards, verified", times("merge-verified")},
	{"rebuild, nothing changed", times("rebuild")},
	{"`build --check`", times("check")},
	{"verify", times("verify")},
	{"SQLite index", times("fts5-index")},
	{"memory of build", memory("build")},
	{"memory of a shard", memory("shard")},
	{"memory of merge, `--no-verify`", memory("merge")},
	{"memory of merge, verified", memory("merge-verified")},
	{"memory of rebuild, nothing changed", memory("rebuild")},
	{"memory of `build --check`", memory("check")},
	{"memory of verify", memory("verify")},
	{"memory of SQLite index", memory("fts5-index")},
	{"memory of resolve", memory("resolve")},
	{"cache / text", ratio("cache/text")},
	{"index / text", ratio("index/text")},
	{"`context version`", milliseconds("version")},
	{"resolve", milliseconds("resolve")},
	{"SQLite query", milliseconds("fts5-query")},
	{"warm search, p50 (p99)", percentiles("warm search")},
	{"warm ask, p50 (p99)", percentiles("warm ask")},
	{"warm resolve, p50 (p99)", percentiles("warm resolve")},
}

// table returns the figures as a table of Markdown.
func (f figures) table() string {
	var b strings.Builder
	pages := f.pages()
	b.WriteString("| generated pages |")
	for _, n := range pages {
		fmt.Fprintf(&b, " %s |", grouped(float64(n)))
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(pages)+1) + "\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row.name)
		for _, n := range pages {
			fmt.Fprintf(&b, " %s |", row.cell(f, n))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// shardCount is how many shards bench/programs/rounds builds in each round.
const shardCount = 8

// times returns a row of CPU times, with wall times in parentheses.
func times(work string) func(figures, int) string {
	return func(f figures, pages int) string {
		if f.median(work, cpu, pages) == 0 {
			return ""
		}
		return fmt.Sprintf("%s s (%s)", significant(f.median(work, cpu, pages)), significant(f.median(work, wall, pages)))
	}
}

// shards is a row of the CPU time of all shards, with the wall time of the slowest in parentheses.
func shards(f figures, pages int) string {
	sum, runs := 0., f[figure{"shard", cpu, pages}]
	if len(runs) == 0 {
		return ""
	}
	for _, of := range runs {
		sum += of
	}
	rounds := len(runs) / shardCount
	return fmt.Sprintf("%s s (%s)", significant(sum/float64(rounds)), significant(slices.Max(f[figure{"shard", wall, pages}])))
}

func memory(work string) func(figures, int) string {
	return func(f figures, pages int) string { return mebibytes(f.median(work, peak, pages)) }
}

func milliseconds(work string) func(figures, int) string {
	return func(f figures, pages int) string {
		if f.median(work, wall, pages) == 0 {
			return ""
		}
		return significant(1000*f.median(work, wall, pages)) + " ms"
	}
}

func percentiles(work string) func(figures, int) string {
	return func(f figures, pages int) string {
		return fmt.Sprintf("%s ms (%s)", significant(f.median(work, p50, pages)), significant(f.median(work, p99, pages)))
	}
}

func ratio(unit string) func(figures, int) string {
	return func(f figures, pages int) string {
		return strconv.FormatFloat(f.median("build", unit, pages), 'f', 2, 64)
	}
}

func mebibytes(bytes float64) string {
	if bytes == 0 {
		return ""
	}
	return grouped(math.Round(bytes/(1<<20))) + " MiB"
}

// significant formats x with two significant digits, or with all digits before the decimal point.
func significant(x float64) string {
	if x == 0 {
		return "0"
	}
	decimals := max(0, 1-int(math.Floor(math.Log10(x))))
	unit := math.Pow(10, float64(decimals))
	return grouped(math.Round(x*unit) / unit)
}
