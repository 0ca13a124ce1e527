package main

import (
	"fmt"
	"time"
)

// A figure is what was found of one thing in one corpus.
type figure struct {
	value   string // what is held against the target
	medians string // with their ranges, that it comes from
	n       int    // runs of each
	verdict string // "met" or "missed"; empty if there is no target
}

// A row is a thing that is measured and what it should be. find has no answer
// if the thing was left out.
type row struct {
	what   string
	target string
	find   func(result) (figure, bool)
}

const mebibyte = 1 << 20

// targets are the rows of the report. Ratios without a target are there to
// tell what the others consist of.
func targets(procs []int) []row {
	rows := []row{
		ratio("cold build / `cp -r` of the sources", stepBuild, stepCopy, 0.8),
		ratio("cold build / `cp -r` and `sync -f`, as a build syncs, too", stepBuild, stepCopySync, 0),
		throughput(25),
	}
	for _, n := range procs {
		rows = append(rows, ratio(fmt.Sprintf("cold build with GOMAXPROCS=%d / cold build", n), buildWith(n), stepBuild, 0))
	}
	return append(
		rows,
		ratio("rebuild, nothing changed / cold build", stepRebuild, stepBuild, 1./10),
		ratio("rebuild, 1% changed / cold build", stepRebuildSome, stepBuild, 1./3),
		ratio("check of an up-to-date cache / cold build", stepCheck, stepBuild, 0),
		ratio("resolve / `context version`", stepResolve, stepVersion, 3),
		duration("resolve", stepResolve, limit(20)),
		ratio("resolve of common words / `context version`", stepCommon, stepVersion, 3),
		duration("resolve of common words", stepCommon, limit(20)),
		duration("resolve without selection index", stepStream, limitOfScan()),
		ratio("verify / `sha256sum` of the documents", stepVerify, stepSum, 1),
		indexShare(0.5),
		memory("peak memory of a cold build", stepBuild, 0),
		memory("peak memory of resolve", stepResolve, 64*mebibyte),
		memory("peak memory of resolve of common words", stepCommon, 64*mebibyte),
	)
}

// rivals are the rows of the comparison with other tools.
var rivals = []row{
	ratio("cold build / SQLite FTS5 index", stepBuildBeside, stepSQLiteIndex, 0),
	ratio("resolve / SQLite FTS5 query", stepResolve, stepSQLiteQuery, 0),
	ratio("resolve / `rg -c`", stepResolve, stepRg, 0),
	ratio("resolve / `grep -rc`", stepResolve, stepGrep, 0),
}

// ratio is the median of the quotients of two steps in one round; most is the
// target, or 0.
func ratio(what, name, by string, most float64) row {
	return row{what, upTo(most, "x", 1), func(r result) (figure, bool) {
		mine, theirs := of(r.samples[name], seconds), of(r.samples[by], seconds)
		quotients := pairwise(mine, theirs)
		if len(quotients) == 0 {
			return figure{}, false
		}
		middle := median(quotients)
		text := spread(mine, times) + " / " + spread(theirs, times)
		return figure{ratioText(middle), text, len(quotients), judge(middle, most)}, true
	}}
}

// A timeLimit is how long something may take, which may depend on the pages; 0
// is no limit.
type timeLimit struct {
	text string
	of   func(pages int) time.Duration
}

func limit(milliseconds int) timeLimit {
	most := time.Duration(milliseconds) * time.Millisecond
	return timeLimit{fmt.Sprintf("≤ %d ms", milliseconds), func(int) time.Duration { return most }}
}

// limitOfScan is for what reads every page: for fewer than 10,000 there is
// none, as the start of the process would count for too much.
func limitOfScan() timeLimit {
	const most, pages, fewest = 500 * time.Millisecond, 14_400, 10_000
	return timeLimit{"≤ 500 ms for 14,400 pages", func(n int) time.Duration {
		if n < fewest {
			return 0
		}
		return most * time.Duration(n) / pages
	}}
}

func duration(what, name string, most timeLimit) row {
	return row{what, most.text, func(r result) (figure, bool) {
		took := of(r.samples[name], seconds)
		if len(took) == 0 {
			return figure{}, false
		}
		middle := median(took)
		return figure{quantity(middle, times), spread(took, times), len(took), judge(middle, most.of(r.pages).Seconds())}, true
	}}
}

// throughput is the Markdown that a core builds in a second of its time.
func throughput(least float64) row {
	const megabyte = 1e6
	return row{"Markdown built per core-second", fmt.Sprintf("≥ %s MB/s", short(least)), func(r result) (figure, bool) {
		took := of(r.samples[stepBuild], coreSeconds)
		if len(took) == 0 {
			return figure{}, false
		}
		rate := float64(r.size) / megabyte / median(took)
		return figure{digits(rate) + " MB/s", spread(took, times) + " of CPU", len(took), judge(least, rate)}, true
	}}
}

func indexShare(most float64) row {
	return row{"size of the selection index / Markdown", upTo(most, "x", 1), func(r result) (figure, bool) {
		share := float64(r.indexSize) / float64(r.size)
		text := quantity(float64(r.indexSize), sizes) + " / " + quantity(float64(r.size), sizes)
		return figure{ratioText(share), text, 1, judge(share, most)}, r.indexSize > 0
	}}
}

func memory(what, name string, most float64) row {
	return row{what, upTo(most, " MiB", mebibyte), func(r result) (figure, bool) {
		peaks := of(r.samples[name], peak)
		if len(peaks) == 0 || peaks[0] == 0 {
			return figure{}, false
		}
		middle := median(peaks)
		return figure{quantity(middle, sizes), spread(peaks, sizes), len(peaks), judge(middle, most)}, true
	}}
}

// upTo writes the target most, in a unit of size; 0 is no target.
func upTo(most float64, unit string, size float64) string {
	if most == 0 {
		return ""
	}
	return "≤ " + short(most/size) + unit
}

// judge tells whether value is at most most; 0 is no target.
func judge(value, most float64) string {
	switch {
	case most == 0:
		return ""
	case value <= most:
		return "met"
	}
	return "missed"
}
