package dotcontext

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// unfinishedPrefix begins the name of a context during a write. Digits
// follow.
const unfinishedPrefix = ".tmp-" + contextfile.Name

// isUnfinished reports whether a file of that name is a context that a process is
// writing, or the leftover of a killed process.
func isUnfinished(name string) bool {
	digits, ours := strings.CutPrefix(name, unfinishedPrefix)
	return ours && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// errChanged means that another process changed the context after it was read.
var errChanged = errors.New("another process changed it: try again")

// edit changes the context of d. It calls change with the text, which is nil if there is no
// context. If another process changes the context in the meantime, it starts again. Usually
// nothing is left to do then.
func (p *Project) edit(ctx context.Context, d *projectDir, change func(before []byte) (after []byte, err error)) (action Action, err error) {
	for range 5 {
		before, err := p.textAt(d.scope)
		switch action = Updated; {
		case errors.Is(err, errMissing) && d.hasFile:
			return "", errDangling
		case errors.Is(err, errMissing):
			action = Created
		case err != nil:
			return "", err
		}
		after, err := change(before)
		if err != nil {
			return "", err
		}
		if bytes.Equal(before, after) {
			return Unchanged, nil
		}
		if err = p.replace(ctx, d.scope, before, after); !errors.Is(err, errChanged) {
			return action, err
		}
	}
	return "", errChanged
}

// replace replaces the context at scope with text, atomically. It fails with
// errChanged unless the context is still old, which is nil if there was none.
func (p *Project) replace(ctx context.Context, scope string, old, text []byte) error {
	if len(text) > contextfile.MaxSize {
		return fmt.Errorf("it would be: %w", errTooLarge)
	}
	dir, err := p.root.OpenRoot(scope)
	if err != nil {
		return err
	}
	defer dir.Close()
	locked, unlock, err := files.LockDirectory(ctx, p.onDisk(scope))
	if err != nil {
		return err
	}
	defer unlock()
	current, err := p.textAt(scope) // nil if missing
	if err != nil && !errors.Is(err, errMissing) {
		return err
	}
	if !bytes.Equal(current, old) {
		return errChanged
	}
	if locked {
		removeUnfinished(dir)
	}
	return put(dir, text)
}

// removeUnfinished removes leftovers of killed processes in a locked directory.
// Errors are ignored, because a leftover does no harm.
func removeUnfinished(dir *os.Root) {
	entries, _ := fs.ReadDir(dir.FS(), ".")
	for _, e := range entries {
		if isUnfinished(e.Name()) && e.Type().IsRegular() {
			dir.Remove(e.Name())
		}
	}
}

// put writes a context into dir, atomically. The owner and mode of a file that it
// replaces stay the same.
func put(dir *os.Root, text []byte) error {
	old, err := dir.Lstat(contextfile.Name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && !old.Mode().IsRegular():
		return errors.New("it is not a regular file: move it away")
	}
	f, name, err := createUnfinished(dir)
	if err != nil {
		return err
	}
	if old != nil {
		keepOwner(f, old)
		err = f.Chmod(old.Mode().Perm())
	}
	_, writing := f.Write(text)
	if err = cmp.Or(err, writing, f.Sync(), f.Close()); err == nil {
		err = dir.Rename(name, contextfile.Name)
	}
	if err != nil {
		dir.Remove(name)
	}
	return err
}

// createUnfinished creates a file under the first free name. The name needs no
// random part, because every other such file in a locked directory is a leftover.
func createUnfinished(dir *os.Root) (f *os.File, name string, err error) {
	for n := range 100 {
		name = unfinishedPrefix + strconv.Itoa(n)
		f, err = dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, name, err
}
