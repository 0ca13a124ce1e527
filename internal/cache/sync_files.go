//go:build !linux

package cache

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// syncFiles syncs everything below dir, one by one.
func syncFiles(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && runtime.GOOS == "windows" {
			return nil // directories cannot be opened for writing there
		}
		return syncFile(path)
	})
}

func syncFile(path string) error {
	flag := os.O_RDONLY
	if runtime.GOOS == "windows" {
		flag = os.O_RDWR
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
