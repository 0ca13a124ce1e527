package sources

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/ignore"
)

// gitDirectory is the name of a repository in its working tree. In worktrees and submodules, it is
// a file that names the repository.
const gitDirectory = ".git"

// A gitTree is what git's ignore files above a directory say about its contents. The user's own
// configuration, such as core.excludesFile, doesn't count, because the same pages would make
// different caches on different machines.
type gitTree struct {
	isTree    bool         // the directory lies in a working tree
	above     string       // slash path of the directory in the working tree; "." without one
	rules     ignore.Rules // except those of the directory's own .gitignore
	isIgnored bool         // git ignores the directory itself
	files     []string     // absolute paths that decide all of this, whether they exist or not
}

// gitTreeAt returns the gitTree of a directory. The path must be absolute and free of symlinks. It
// fails with [fault.IO] if the system refuses to read an ignore file.
func gitTreeAt(dir string) (t gitTree, err error) {
	t.above = "."
	var exclude string
	var below []string // names of the directories between the top and dir, from dir upwards
	top := dir
	for {
		t.files = append(t.files, filepath.Join(top, gitDirectory))
		exclude, t.isTree, err = gitExcludeIn(top)
		parent := filepath.Dir(top)
		if err != nil || t.isTree || parent == top {
			break
		}
		below, top = append(below, filepath.Base(top)), parent
	}
	if !t.isTree || err != nil {
		return t, err
	}
	text, err := readOutside(exclude)
	t.rules, t.files = t.rules.With(".", text), append(t.files, exclude)
	for at := top; err == nil && len(below) > 0; below = below[:len(below)-1] {
		file := filepath.Join(at, gitIgnore)
		if text, err = readGitIgnore(file); err != nil {
			return t, err
		}
		t.rules, t.files = t.rules.With(t.above, text), append(t.files, file)
		name := below[len(below)-1]
		at, t.above = filepath.Join(at, name), path.Join(t.above, name)
		t.isIgnored = t.isIgnored || t.rules.Match(t.above, true)
	}
	return t, err
}

// GitIgnores reports whether git ignores a file at a slash path below a directory, and whether the
// directory lies in a working tree of git. The file doesn't have to exist.
func GitIgnores(dir, below string) (isIgnored, isTree bool) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = files.Absolute(real)
	}
	if err != nil {
		return false, false
	}
	t, err := gitTreeAt(filepath.Join(real, filepath.FromSlash(path.Dir(below))))
	return t.isIgnored || t.rules.Match(path.Join(t.above, path.Base(below)), false), t.isTree && err == nil
}

// gitExcludeIn reports whether a directory is the top of a working tree of git, and returns the
// path of the repository's info/exclude, which may be missing.
func gitExcludeIn(dir string) (file string, isTop bool, err error) {
	at := filepath.Join(dir, gitDirectory)
	found, err := os.Stat(at)
	switch {
	case leadsNowhere(err):
		return "", false, nil
	case err != nil:
		return "", false, fault.Errorf(fault.IO, "%s %w: %w", at, ErrUnreadable, fault.Cause(err))
	case found.IsDir():
		if _, err := os.Lstat(filepath.Join(at, "HEAD")); errors.Is(err, fs.ErrNotExist) {
			return "", false, nil
		}
	default:
		text, err := readOutside(at)
		if err != nil {
			return "", false, err
		}
		at = joined(dir, strings.TrimPrefix(string(text), "gitdir: "))
	}
	common, err := readOutside(filepath.Join(at, "commondir"))
	if len(common) > 0 {
		at = joined(at, string(common))
	}
	return filepath.Join(at, "info", "exclude"), true, err
}

// joined returns a path as it is written in one of git's files, seen from a directory.
func joined(dir, line string) string {
	path := filepath.FromSlash(strings.TrimRight(line, "\r\n"))
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// readGitIgnore returns the text of a .gitignore file, or nil if it is missing or a symlink, which
// git doesn't follow.
func readGitIgnore(path string) ([]byte, error) {
	if found, err := os.Lstat(path); err == nil && found.Mode().Type() == fs.ModeSymlink {
		return nil, nil
	}
	return readOutside(path)
}

// readOutside returns the text of a small file, or nil if it is missing.
func readOutside(path string) ([]byte, error) {
	f, found, err := files.OpenAnywhere(path)
	switch {
	case leadsNowhere(err):
		return nil, nil
	case err != nil:
		return nil, fault.Errorf(fault.IO, "%s %w: %w", path, ErrUnreadable, fault.Cause(err))
	}
	defer f.Close()
	if found.Size() > maxIgnoreSize {
		return nil, fault.Errorf(fault.IO, "%s %w %d bytes", path, ErrTooLarge, maxIgnoreSize)
	}
	text, err := files.Read(f, nil, found.Size())
	if err != nil {
		return nil, fault.Errorf(fault.IO, "%s %w: %w", path, ErrUnreadable, fault.Cause(err))
	}
	return text, nil
}
