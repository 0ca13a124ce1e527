package cli

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// boundMemory lets the heap grow to five times the live memory, which saves a third of the
// time of a build, but only up to a limit. GOGC and GOMEMLIMIT override both.
//
// The limit follows the live memory, because otherwise the collector would run all the
// time once a build needs more than a fixed limit. For example, a page of many short lines
// takes hundreds of megabytes for a moment. But the room for garbage is bounded as well,
// because otherwise each byte that a build of a million pages keeps would cost two.
func boundMemory() (stop func()) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	var stopped atomic.Bool
	adjustLimit(&stopped)
	return func() { stopped.Store(true) }
}

// postponeCollection lets the heap of a command that answers a question grow to 64 MiB
// before the first collection, because nearly all of them end before that. Afterwards, the
// collector runs as usual. GOGC or GOMEMLIMIT override this.
func postponeCollection() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(64 << 20)
	runtime.AddCleanup(new([64]byte), func(int) { // at the first collection
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
	}, 0)
}

// adjustLimit sets the limit now and after every collection.
func adjustLimit(stopped *atomic.Bool) {
	const least, timesLive, mostGarbage = 176 << 20, 2, 144 << 20
	if stopped.Load() {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	kept := int64(live[0].Value.Uint64())
	debug.SetMemoryLimit(max(least, min(timesLive*kept, kept+mostGarbage)))
	runtime.AddCleanup(new([64]byte), adjustLimit, stopped) // the next collection frees it
}
