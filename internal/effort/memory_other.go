//go:build !linux

package effort

// UseMemory does nothing, because only Linux always provides a directory in memory.
func UseMemory() {}
