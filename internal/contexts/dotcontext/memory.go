package dotcontext

import (
	"sync"
	"time"

	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// A Memory keeps listings, heads of contexts, hashes and fingerprints. It uses them
// as long as the device, inode, size, mtime and ctime of a file or directory stay
// the same. A server keeps one Memory for all calls. It is safe for concurrent use,
// and a nil Memory keeps nothing.
//
// A Memory is never out of date on a file system that uses this machine's clock.
// For this, it does not keep files that changed less than [settling] before the
// call that read them, because the next change could get the same times.
type Memory struct {
	now func() time.Time
	mu  struct {
		sync.Mutex
		// Two generations, by the directory's path. When recent is full, it becomes
		// older. A memo in older moves to recent when it is used.
		recent, older map[string]*memo
		size          int // of recent, in bytes, approximately
	}
}

const (
	// settling is longer than the clock tick of any usual file system.
	settling = 2 * time.Second

	// generationSize bounds the bytes of each generation.
	generationSize = 16 << 20
)

// NewMemory returns an empty memory with now as its clock.
func NewMemory(now func() time.Time) *Memory { return &Memory{now: now} }

// A memo contains the facts a call learned about a directory. It must not change once it
// is in a Memory.
type memo struct {
	dir     fileState  // the directory
	entries []dirEntry // of dir

	files []fileState // what stat covers
	stat  string      // fingerprint

	shared  []fileState // what content covers; a file that has not settled has no identity
	sums    []string    // of shared
	content string      // fingerprint

	file fileState         // the context
	head *contextfile.Head // what file contains; nil if it is invalid
}

var noMemo = &memo{}

// recall returns the memo of the directory at a path, or an empty memo.
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

func (k *memo) size(path string) int {
	const ofMemo, ofFile, ofEntry, ofSum = 500, 72, 24, 80
	size := ofMemo + len(path) + ofFile*(len(k.files)+len(k.shared)) + ofSum*len(k.sums)
	for _, e := range k.entries {
		size += ofEntry + len(e.name) // files share these names
	}
	if k.head != nil {
		size += len(k.head.LastUpdated) + len(k.head.Fingerprint) + len(k.head.Scope) + len(k.head.Summary)
	}
	return size
}

// sumOf returns the SHA-256 of an unchanged file, or "" if it is unknown.
func (k *memo) sumOf(f fileState) string {
	for i, known := range k.shared {
		if isSame(known, f) {
			return k.sums[i]
		}
	}
	return ""
}

// isSame reports whether the file was in the same state on both looks.
func isSame(known, now fileState) bool { return known == now && now.id != identity{} }

// settled returns f, but without its identity if f changed less than settling
// before the call began, because the next change might not be visible.
func (p *Project) settled(f fileState) fileState {
	if p.began.Sub(f.mtime) < settling || p.began.Sub(time.Unix(0, f.id.ctime)) < settling {
		f.id = identity{}
	}
	return f
}

// learn returns d's memo, copied first so that the caller may change it.
func (d *projectDir) learn() *memo {
	if !d.learned {
		changed := *d.known
		d.known, d.learned = &changed, true
	}
	return d.known
}

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
