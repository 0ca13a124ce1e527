package dotcontext

import (
	"io/fs"
	"time"

	"github.com/contextcompiler/context/internal/base/recent"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// A Memory keeps hashes of files, heads of contexts and listings of directories, by the
// device, inode, size, mtime and ctime of the file or directory. A server keeps one Memory for
// all calls. It is safe for concurrent use, and a nil Memory keeps nothing.
//
// A Memory is never out of date on a file system that uses this machine's clock. For this, it
// keeps nothing that changed less than [settling] before the call that read it, because the
// next change could get the same times.
type Memory struct {
	now      func() time.Time
	sums     *recent.Map[stateKey, string]            // SHA-256 in hex
	heads    *recent.Map[stateKey, *contextfile.Head] // nil if the context is invalid
	listings *recent.Map[stateKey, []fs.DirEntry]
}

// settling is longer than the clock tick of any usual file system.
const settling = 2 * time.Second

// NewMemory returns an empty memory of at most 32 MiB with now as its clock.
func NewMemory(now func() time.Time) *Memory {
	return &Memory{
		now, recent.New[stateKey, string](16 << 20), recent.New[stateKey, *contextfile.Head](8 << 20),
		recent.New[stateKey, []fs.DirEntry](8 << 20),
	}
}

// A stateKey identifies the contents of a file, as long as its name does not matter.
type stateKey struct {
	size, mtime int64
	id          identity
}

func keyOf(f fileState) stateKey { return stateKey{f.size, f.mtime.UnixNano(), f.id} }

// The sizes of an entry in bytes, approximately.
const (
	sumSize     = 240
	headSize    = 300 // without its texts
	listingSize = 240 // without its entries
	entrySize   = 120
)

func (m *Memory) sumOf(f fileState) string {
	if m == nil {
		return ""
	}
	sum, _ := m.sums.Get(keyOf(f))
	return sum
}

// hasSettled reports whether a change of f since the call began must be visible. It is false
// without a memory.
func (p *Project) hasSettled(f fileState) bool {
	return p.memory != nil && f.id != identity{} &&
		p.began.Sub(f.mtime) >= settling && p.began.Sub(time.Unix(0, f.id.ctime)) >= settling
}
