//go:build !linux

package effort

// UseMemory does nothing: only Linux has a directory in memory everywhere.
func UseMemory() {}
