package cache

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/trees"
)

// watchOpens returns a function that counts how often something in dir has been opened
// for reading.
func watchOpens(t *testing.T, dir string) (opened func() int) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Skip("no inotify here: ", err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_OPEN|unix.IN_ACCESS); err != nil {
		t.Fatal(err)
	}
	n := 0
	opened = func() int {
		var buf [1 << 16]byte
		for {
			size, err := unix.Read(fd, buf[:])
			if err != nil || size <= 0 {
				return n
			}
			for at := 0; at < size; n++ {
				at += unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(buf[at+12:]))
			}
		}
	}
	// If this open is not seen, no other would be.
	bait := filepath.Join(dir, "self-test")
	if err := os.WriteFile(bait, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if opened() == 0 {
		t.Fatal("the watch does not see a file being opened")
	}
	return opened
}

// withoutPrivileges runs f with the permissions of a normal user, even if the tests run
// as root. Because capabilities belong to threads, it gives up this thread afterwards.
func withoutPrivileges(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlock: the thread ends here
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var none [2]unix.CapUserData
		if err := unix.Capset(&header, &none[0]); err != nil {
			t.Errorf("capset: %v", err)
			return
		}
		f()
	}()
	<-done
}

// lockAway removes all permissions from path until the test ends.
func lockAway(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(path, info.Mode().Perm()) })
}

// A refusal to read is not damage. If it were reported as damage, a user might replace a
// sound cache.
func TestWhatMayNotBeReadIsAnIOError(t *testing.T) {
	tree := treeOf(t, oldDocuments)
	first := manifestOf(oldDocuments).Documents[0].File
	for _, name := range []string{".", ManifestPath, DocumentsDir, first} {
		path := filepath.Join(t.TempDir(), "cache")
		restore(t, path, tree)
		lockAway(t, filepath.Join(path, name))
		withoutPrivileges(t, func() { wantAllRefused(t, path, name) })
	}
}

// wantAllRefused reads the cache at path until something fails. It fails the test unless
// the system is the reason.
func wantAllRefused(t *testing.T, path, what string) {
	c, err := Open(path)
	if err == nil {
		defer c.Close()
		var m Manifest
		if m, err = c.Manifest(); err == nil {
			_, err = c.NewReader().Read(m.Documents[0])
		}
	}
	if err == nil || fault.CodeOf(err) != fault.IO {
		t.Errorf("%s may not be read: got %v, want %v", what, err, fault.IO)
	}
}

func TestAnIndexThatMayNotBeReadIsAnIOError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	restore(t, path, treeOf(t, oldDocuments))
	lockAway(t, filepath.Join(path, fileListName))
	withoutPrivileges(t, func() {
		c, err := Open(path)
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		if findings, err := c.CheckFileList(manifestIn(t, c)); err == nil || fault.CodeOf(err) != fault.IO {
			t.Errorf("got %v, %v, want %v", findings, err, fault.IO)
		}
	})
}

// No cache can be made in a directory without permission to write, and an existing cache
// stays there.
func TestADirectoryThatMayNotBeWrittenKeepsItsCache(t *testing.T) {
	old, new := treeOf(t, oldDocuments), treeOf(t, newDocuments)
	base := t.TempDir()
	cache := filepath.Join(base, "cache")
	restore(t, cache, old)
	if err := os.Chmod(base, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(base, 0o755) })
	withoutPrivileges(t, func() {
		for _, path := range []string{cache, filepath.Join(base, "other"), filepath.Join(base, "dir", "other")} {
			if err := build(path, true, unsyncedDisk{}, newDocuments); err == nil || fault.CodeOf(err) != fault.IO {
				t.Errorf("got %v, want %v", err, fault.IO)
			}
		}
	})
	if got := generation(trees.DescribeTree(t, cache), old, new); got != "old" {
		t.Errorf("the cache is %s, want old", got)
	}
	wantOnly(t, base, "cache")
}
