//go:build !linux

package effort

// filesInMemory does nothing, because only Linux always provides a directory in memory.
func filesInMemory() {}
