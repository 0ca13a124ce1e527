package actions

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/lazy"
)

// A Trust says which contents of a Contextfile and of its scripts the user has read and trusts.
type Trust struct {
	File    string // absolute path of the Contextfile, free of symlinks
	Sum     FileHash
	Scripts []Script // sorted by path, each once
}

// A Script is a file executed by a command.
type Script struct {
	Path string // slash path from the directory of the Contextfile, free of symlinks to directories, or an absolute path
	Sum  FileHash
}

// file returns the absolute path of the script.
func (s Script) file(project string) string {
	if file := filepath.FromSlash(s.Path); filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(project, filepath.FromSlash(s.Path))
}

// isIntact reports whether the script is still where it was, with the same contents.
func (s Script) isIntact(ctx context.Context, project string) bool {
	file := s.file(project)
	real, err := filepath.EvalSymlinks(file)
	if err != nil || isBelow(project, real) != isBelow(project, file) {
		return false
	}
	opened, _, err := files.OpenAnywhere(real)
	if err != nil {
		return false
	}
	sum, _, err := sumOf(ctx, opened, maxBytes)
	return err == nil && sum == s.Sum
}

// A TrustList is a directory. It contains a file for each trusted Contextfile.
type TrustList struct {
	Dir string // "" if the system offers no place
}

// Path returns the path of the file about a Contextfile.
func (l TrustList) Path(file string) string {
	sum := sha256.Sum256([]byte(file))
	return filepath.Join(l.Dir, hex.EncodeToString(sum[:]))
}

const trustHead = "context trust 1\n"

// Encode returns the text of the file: a line for the Contextfile, and then for each script.
func (t Trust) Encode() []byte {
	text := trustHead + t.Sum.String() + "  " + t.File + "\n"
	for _, s := range t.Scripts {
		text += s.Sum.String() + "  " + s.Path + "\n"
	}
	return []byte(text)
}

var trustLine = lazy.Regexp(`^[0-9a-f]{64}  .`)

// DecodeTrust decodes what [Trust.Encode] returns.
func DecodeTrust(text []byte) (t Trust, err error) {
	lines, ok := strings.CutPrefix(string(text), trustHead)
	if !ok || !strings.HasSuffix(lines, "\n") {
		return t, errors.New("not a record of trust")
	}
	for i, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		if !trustLine().MatchString(line) {
			return t, fmt.Errorf("line %d is not a hash and a path", i+2)
		}
		var sum FileHash
		_, _ = hex.Decode(sum[:], []byte(line[:64]))
		if path := line[66:]; i == 0 {
			t.File, t.Sum = path, sum
		} else {
			t.Scripts = append(t.Scripts, Script{path, sum})
		}
	}
	if !bytes.Equal(t.Encode(), text) {
		return t, errors.New("not a record of trust")
	}
	return t, nil
}

// Find returns the record about a Contextfile, or nil.
func (l TrustList) Find(file string) (*Trust, error) {
	if l.Dir == "" {
		return nil, nil
	}
	t, err := readTrust(l.Path(file))
	if t != nil && t.File != file {
		return nil, nil // as in All, a record under another name counts for nothing
	}
	return t, err
}

// readTrust reads a record, or returns nil if the file doesn't exist.
func readTrust(path string) (*Trust, error) {
	const maxSize = 64 << 20
	text, err := files.ReadRegular(path, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "read %s: %w", path, fault.Cause(err))
	}
	t, err := DecodeTrust(text)
	if err != nil {
		return nil, fault.Errorf(fault.IO, "read %s: %w: remove it", path, err)
	}
	return &t, nil
}

// All returns the records of everything the user trusts, by path.
func (l TrustList) All() (all []Trust, err error) {
	if l.Dir == "" {
		return nil, nil
	}
	entries, err := files.Entries(l.Dir)
	if err != nil {
		return nil, err
	}
	for name := range entries {
		t, err := readTrust(filepath.Join(l.Dir, name))
		if err != nil {
			return nil, err
		}
		if t != nil && l.Path(t.File) == filepath.Join(l.Dir, name) {
			all = append(all, *t)
		}
	}
	slices.SortFunc(all, func(a, b Trust) int { return strings.Compare(a.File, b.File) })
	return all, nil
}

// Remove removes the record about a Contextfile and reports whether it existed.
func (l TrustList) Remove(file string) (existed bool, err error) {
	err = os.Remove(l.Path(file))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fault.Errorf(fault.IO, "remove %s: %w", l.Path(file), fault.Cause(err))
	}
	return true, nil
}

// TrustOf returns the record to keep when a user trusts a Contextfile with these actions, at
// least one. It contains the current hashes of their scripts.
func TrustOf(ctx context.Context, all []*BuildAction, searchPath string) (Trust, error) {
	t := Trust{File: all[0].File, Sum: all[0].FileSum}
	for _, a := range all {
		read, err := a.read(ctx, searchPath)
		if err != nil {
			return Trust{}, err
		}
		t.Scripts = append(t.Scripts, read.scripts()...)
	}
	slices.SortFunc(t.Scripts, func(a, b Script) int { return strings.Compare(a.Path, b.Path) })
	t.Scripts = slices.Compact(t.Scripts)
	for _, path := range append([]string{t.File}, t.Paths()...) {
		if strings.Contains(path, "\n") {
			return Trust{}, fault.Errorf(fault.IO, "%q contains a line feed: rename it", path)
		}
	}
	return t, nil
}

// Paths returns the paths of the scripts.
func (t Trust) Paths() (paths []string) {
	for _, s := range t.Scripts {
		paths = append(paths, s.Path)
	}
	return paths
}

// covers returns "" if the user trusts an action with these scripts, or otherwise the reason.
// Trust ends for all actions of a file when any script of it has gone or changed.
func (t *Trust) covers(ctx context.Context, a *BuildAction, scripts []Script) (why string) {
	switch {
	case t == nil:
		return "nobody has trusted " + a.File + " yet"
	case t.Sum != a.FileSum:
		return a.File + " has changed since you trusted it"
	}
	trusted, current := setOf(t.Scripts), setOf(scripts)
	for _, s := range scripts {
		if !trusted[s] {
			return s.Path + " is new or has changed since you trusted " + a.File
		}
	}
	for _, s := range t.Scripts {
		if !current[s] && !s.isIntact(ctx, a.Project) {
			return s.Path + " has changed, moved or disappeared since you trusted " + a.File
		}
	}
	return ""
}

func setOf(scripts []Script) map[Script]bool {
	set := map[Script]bool{}
	for _, s := range scripts {
		set[s] = true
	}
	return set
}
