package replace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
)

// transient is part of all names that temporarily appear next to a directory.
const transient = ".context-"

// IsTransient reports whether a name belongs to a file or directory that only exists
// while its neighbour is being replaced.
func IsTransient(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, transient)
}

func (s *Staging) parent() string        { return filepath.Dir(s.path) }
func (s *Staging) lockPath() string      { return beside(s.path, "lock") }
func (s *Staging) newScaffold() scaffold { return scaffold(beside(s.path, "new")) }
func (s *Staging) retired() string       { return beside(s.path, "old-") } // plus a number

// beside returns the path of a file or directory next to path. If the name would be too
// long for the usual file systems, it contains a hash instead of the name of path.
func beside(path, purpose string) string {
	const maxName = 255 // bytes
	const reserve = len(".") + len(transient) + 16
	name := filepath.Base(path)
	if len(name)+reserve > maxName {
		sum := sha256.Sum256([]byte(name))
		name = hex.EncodeToString(sum[:])
	}
	return filepath.Join(filepath.Dir(path), "."+name+transient+purpose)
}

// isRetired reports whether freeRetired could have returned path.
func (s *Staging) isRetired(path string) bool {
	number, ok := strings.CutPrefix(path, s.retired())
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// freeRetired returns an unused path for an old directory.
func (s *Staging) freeRetired() string {
	for n := 0; ; n++ {
		path := s.retired() + strconv.Itoa(n)
		if found, err := files.LookAt(path); found == nil || err != nil {
			return path
		}
	}
}

// Locate returns the absolute path of the file at path, free of symlinks, even if the
// file doesn't exist yet. It reads path as the system does, so ".." after a symlink is
// the parent of its target. After a missing directory, where the system fails, ".."
// leads back to the directory above.
func Locate(path string) (string, error) {
	located, err := locate(path)
	if err == nil {
		located, err = files.Absolute(located)
	}
	if err != nil {
		return "", fault.Errorf(fault.IO, "path %s: %w", path, fault.Cause(err))
	}
	return located, nil
}

func locate(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	switch found, err := files.LookAt(path); {
	case err != nil:
		return "", err
	case found != nil && found.Mode()&fs.ModeSymlink != 0:
		return "", errors.New("it is a broken symlink")
	case found != nil: // made by another build in the meantime
		return filepath.EvalSymlinks(path)
	}
	dir, name := filepath.Split(strings.TrimRight(filepath.ToSlash(path), "/"))
	if name == "" {
		return "", err
	}
	if dir == "" {
		return name, nil
	}
	parent, err := locate(dir)
	return filepath.Join(parent, name), err
}
