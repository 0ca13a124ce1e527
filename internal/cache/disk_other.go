//go:build !linux && !darwin

package cache

import (
	"errors"
	"runtime"
)

func (systemDisk) renameNew(from, to string) error { return renameNewSlowly(from, to) }
func (systemDisk) exchange(a, b string) error      { return errors.ErrUnsupported }
func (systemDisk) syncTree(dir string) error       { return syncFiles(dir) }

func (systemDisk) syncDirectory(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // its file systems keep directories durable by themselves
	}
	return syncFile(dir)
}
