package dotcontext

import (
	"sync"
	"time"

	"github.com/contextcompiler/context/internal/dotcontext/contextfile"
)

// A Memory keeps listings, heads of contexts, hashes and fingerprints. It uses them
// while a file or directory has the same device, inode, size, mtime and ctime. A
// server holds one across calls. Safe for concurrent use; nil keeps nothing.
//
// It is never out of date on a file system that has this machine's clock. It does
// not keep a file that changed less than [settling] before the call that read it,
// because the next change may get the same times.
type Memory struct {
	now func() time.Time
	mu  struct {
		sync.Mutex
		// Two generations, by path of the directory. When recent is full, it
		// becomes older. A memo from older moves to recent when it is used.
		recent, older map[string]*memo
		size          int // of recent, about, in bytes
	}
}

const (
	// settling is longer than the clock tick of any usual file system.
	settling = 2 * time.Second

	// generationSize bounds how many bytes each generation keeps.
	generationSize = 16 << 20
)

// NewMemory returns an empty memory that tells the time by now.
func NewMemory(now func() time.Time) *Memory { return &Memory{now: now} }

// A memo holds the facts that a call learned about a directory. It does not change
// once a Memory has it.
type memo struct {
	dir     fileState  // the directory
	entries []dirEntry // of dir

	files []fileState // that stat is made of
	stat  string      // fingerprint

	shared  []fileState // that content is made of; one that has not settled has no identity
	sums    []string    // of shared
	content string      // fingerprint

	file fileState         // the context
	head *contextfile.Head // what file says; nil if it is not valid
}

// noMemo is an empty memo.
var noMemo = &memo{}

// recall returns the memo of the directory at a path, empty if there is none.
func (m *Memory) recall(path string) *memo {
	if m == nil {
		return noMemo
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.mu.recent[path]; known != nil {
		return known
	}
	if known := m.mu.older[path]; known != nil {
		m.put(path, known)
		return known
	}
	return noMemo
}

// keep replaces the memo of the directory at a path.
func (m *Memory) keep(path string, known *memo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(path, known)
}

// put must be called with mu locked.
func (m *Memory) put(path string, known *memo) {
	if was := m.mu.recent[path]; was != nil {
		m.mu.size -= was.size(path)
	}
	size := known.size(path)
	if m.mu.size += size; m.mu.size > generationSize || m.mu.recent == nil {
		m.mu.older, m.mu.recent, m.mu.size = m.mu.recent, map[string]*memo{}, size
	}
	m.mu.recent[path] = known
}

// size returns the approximate bytes of a memo.
func (k *memo) size(path string) int {
	const ofMemo, ofFile, ofEntry, ofSum = 500, 72, 24, 80
	size := ofMemo + len(path) + ofFile*(len(k.files)+len(k.shared)) + ofSum*len(k.sums)
	for _, e := range k.entries {
		size += ofEntry + len(e.name) // files have the same names
	}
	if k.head != nil {
		size += len(k.head.LastUpdated) + len(k.head.Fingerprint) + len(k.head.Scope) + len(k.head.Summary)
	}
	return size
}

// sumOf returns the SHA-256 of a file that has not changed; "" if it is unknown.
func (k *memo) sumOf(f fileState) string {
	for i, known := range k.shared {
		if isSame(known, f) {
			return k.sums[i]
		}
	}
	return ""
}

// isSame reports whether two looks at a file saw the same state of it.
func isSame(known, now fileState) bool { return known == now && now.id != identity{} }

// settled returns f. It takes the identity away if f changed less than settling
// before the call began: the next change may not show.
func (p *Project) settled(f fileState) fileState {
	if p.began.Sub(f.mtime) < settling || p.began.Sub(time.Unix(0, f.id.ctime)) < settling {
		f.id = identity{}
	}
	return f
}

// learn returns the memo of d as a copy that the caller may change.
func (d *projectDir) learn() *memo {
	if !d.learned {
		changed := *d.known
		d.known, d.learned = &changed, true
	}
	return d.known
}

// remember keeps the memos that changed, for later calls.
func (p *Project) remember(directories ...*projectDir) {
	if p.memory == nil {
		return
	}
	for _, d := range directories {
		if d.learned {
			p.memory.keep(p.onDisk(d.scope), d.known)
			d.learned = false
		}
	}
}
