// Package dotcontext writes, checks and serves the `.context.yaml` files of a code
// repository. Each file describes its directory and contains a fingerprint of the
// files there, so readers can tell whether the description is still fresh. Start
// with [Open], [Project.Init] and [Project.Overview].
//
//	directory ─> scan ─> which directories count ─┐
//	          └> stat ─> fingerprint ─────────────┴> fresh, stale, missing or invalid
//	.context.yaml ─> contextfile ─> context ──────┘
//
// A directory that can't be read, a file that vanishes or a broken .context.yaml
// only affects its own entry. Nothing outside the project's root is read, although
// Init looks for a .git above it. A person's text is never overwritten.
//
// The contract is the section about directory contexts in docs/contract.md.
package dotcontext

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
)

// A Project is a directory whose subdirectories are described. It is safe for
// concurrent use.
type Project struct {
	Path string   // absolute, may contain symlinks
	real string   // absolute, without symlinks
	root *os.Root // of real

	look   func(path string) (fileState, fs.FileMode, error) // lookAt, unless a test injects errors
	memory *Memory
	began  time.Time // before the first look at a file; zero without a memory
}

// Open opens the project at path, relative to the working directory. It fails with
// [fault.IO] if the path is not a directory.
func Open(path string) (*Project, error) {
	absolute, err := files.Absolute(path)
	if err != nil {
		return nil, noProject(path, err)
	}
	real, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		return nil, noProject(path, err)
	}
	// A pipe must not be opened, because that waits for a writer.
	if found, err := os.Stat(real); err == nil && !found.IsDir() {
		return nil, fault.Errorf(fault.IO, "no project at %s: it is not a directory", path)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, noProject(path, err)
	}
	return &Project{Path: absolute, real: real, root: root, look: lookAt}, nil
}

func noProject(path string, err error) error {
	return fault.Errorf(fault.IO, "no project at %s: %w", path, fault.Cause(err))
}

// use makes p use a memory, which may be nil.
func (p *Project) use(memory *Memory) {
	if memory != nil {
		p.memory, p.began = memory, memory.now()
	}
}

// Close releases the directory.
func (p *Project) Close() { p.root.Close() }

func (p *Project) onDisk(scope string) string {
	return filepath.Join(p.real, filepath.FromSlash(scope))
}
