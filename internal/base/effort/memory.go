package effort

import (
	"os"
	"runtime/debug"
)

// UseMemory saves time with memory: it lets tests collect less garbage, and keep their
// temporary files in memory if there is enough room. Each build syncs its cache, which
// takes long on a disk while others write to it, too. Call it from TestMain.
//
// Temporary files stay on the disk if TMPDIR is set or if tests try all of their cases.
// CI does both, because many file systems differ from memory.
func UseMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // by default, it takes a fifth of the time of large tests
	}
	filesInMemory()
}
