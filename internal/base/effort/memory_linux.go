package effort

import (
	"os"
	"syscall"
)

const (
	memoryDir  = "/dev/shm"
	memoryRoom = 2 << 30 // bytes, much more than the tests of all packages need at once
)

// filesInMemory puts temporary files into memory if there is enough room.
func filesInMemory() {
	if _, named := os.LookupEnv("TMPDIR"); named || Cases(1, 0) > 0 {
		return
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memoryDir, &fs); err != nil {
		return
	}
	const noExec = 8 // ST_NOEXEC; tests run programs that they write
	if roomy := fs.Bavail > memoryRoom/uint64(fs.Bsize); !roomy || fs.Flags&noExec != 0 {
		return
	}
	if dir, err := os.MkdirTemp(memoryDir, "context-test-"); err == nil {
		os.Remove(dir) // it only had to be writable
		os.Setenv("TMPDIR", memoryDir)
	}
}
