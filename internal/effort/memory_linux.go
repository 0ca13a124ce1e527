package effort

import (
	"os"
	"syscall"
)

const (
	memoryDir  = "/dev/shm"
	memoryRoom = 2 << 30 // bytes, far more than the tests of all packages need at once
)

// UseMemory lets tests keep their temporary files in memory, if there is room. Each build
// syncs its cache, which takes long on a disk that others write to, too. It is for tests of
// whole programs. The packages that write caches test on a disk.
// Temporary files stay where they were if TMPDIR names a directory, or if all cases are
// tried: then all tests meet a disk.
func UseMemory() {
	if _, named := os.LookupEnv("TMPDIR"); named || Cases(1, 0) > 0 {
		return
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memoryDir, &fs); err != nil {
		return
	}
	const noExec = 8 // ST_NOEXEC; tests run programs that they wrote
	if roomy := fs.Bavail > memoryRoom/uint64(fs.Bsize); !roomy || fs.Flags&noExec != 0 {
		return
	}
	if dir, err := os.MkdirTemp(memoryDir, "context-test-"); err == nil {
		os.Remove(dir) // it was writable
		os.Setenv("TMPDIR", memoryDir)
	}
}
