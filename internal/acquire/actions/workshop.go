package actions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/base/replace"
)

// A Permission says which commands may run.
type Permission int

// The permissions.
const (
	Never     Permission = iota // only outputs in the store are used
	IfTrusted                   // trusted commands
	Always                      // all commands
)

// A Workshop runs commands and keeps their outputs in a store.
type Workshop struct {
	Store      store.Store
	Now        time.Time // marks entries as used
	SearchPath string    // PATH of the commands
	Permission Permission
	Trusted    TrustList
	Announce   func(*BuildAction) // is called before a command runs; may be nil
}

var (
	// ErrNotMade means the store doesn't contain the output of a command.
	ErrNotMade = errors.New("has not run for these inputs")
	// ErrUntrusted means a command needs the permission of the user.
	ErrUntrusted = errors.New("is not trusted")
)

// Output returns the directory with the pages of an action. If the store doesn't contain it, the
// command runs, once for all waiting processes.
//
// It fails with [fault.Stale] and ErrNotMade if no command may run, and with [fault.IO] if the
// user doesn't trust the command, if it fails, or if the system refuses.
func (w Workshop) Output(ctx context.Context, a *BuildAction) (dir string, err error) {
	read, err := a.read(ctx, w.SearchPath)
	if err != nil {
		return "", err
	}
	key := a.key(read)
	dir, err = w.Store.Find(key, w.Now)
	if dir == "" && err == nil {
		dir, err = w.make(ctx, a, read, key)
	}
	return a.pages(dir), err
}

// make runs a command and returns its entry in the store.
func (w Workshop) make(ctx context.Context, a *BuildAction, read snapshot, key store.EntryKey) (dir string, err error) {
	if err := w.permit(ctx, a, read); err != nil {
		return "", err
	}
	err = w.Store.Fill(ctx, key, func(entry *replace.Staging, work string) error {
		if _, err := w.run(ctx, a, read, work); err != nil {
			return err
		}
		advice := "while the command ran: build again, or leave files that it writes out of inputs"
		if err := a.checkUnchanged(ctx, w.SearchPath, read, advice); err != nil {
			return err
		}
		return a.collect(ctx, work, entry)
	})
	if err != nil {
		return "", err
	}
	return w.Store.Find(key, w.Now)
}

func (a *BuildAction) pages(output string) string {
	return filepath.Join(output, filepath.FromSlash(a.Pages))
}

// permit fails unless a command may run.
func (w Workshop) permit(ctx context.Context, a *BuildAction, read snapshot) error {
	switch w.Permission {
	case Always:
		return nil
	case Never:
		return fault.Errorf(fault.Stale, "the command `%s` %w", a, ErrNotMade)
	}
	trust, err := w.Trusted.Find(a.File)
	if err != nil {
		return err
	}
	if why := trust.covers(ctx, a, read.scripts()); why != "" {
		return fault.Errorf(fault.IO, "the command `%s` %w (%s)", a, ErrUntrusted, why)
	}
	return nil
}

// run runs a permitted command, unless what was read for the permission has changed meanwhile:
// another process can keep the lock of an entry for minutes.
func (w Workshop) run(ctx context.Context, a *BuildAction, read snapshot, work string) (out string, err error) {
	if err := a.checkUnchanged(ctx, w.SearchPath, read, "before the command ran: build again"); err != nil {
		return "", err
	}
	if w.Announce != nil {
		w.Announce(a)
	}
	return a.run(ctx, w.SearchPath, work)
}

// RunTwice runs an action twice, and passes both outputs to compare. It fails as
// [Workshop.Output] does, and stores nothing.
func (w Workshop) RunTwice(ctx context.Context, a *BuildAction, compare func(first, second string) error) error {
	read, err := a.read(ctx, w.SearchPath)
	if err != nil {
		return err
	}
	if err := w.permit(ctx, a, read); err != nil {
		return err
	}
	return w.Store.Work(ctx, "trial-"+a.key(read)[len("convert-"):], func(work string) error {
		var outs [2]string
		for i, name := range []string{"first", "second"} {
			dir := filepath.Join(work, name)
			if err := os.Mkdir(dir, 0o777); err != nil {
				return a.errorf(ctx, "%w", err)
			}
			if outs[i], err = w.run(ctx, a, read, dir); err != nil {
				return err
			}
		}
		return compare(a.pages(outs[0]), a.pages(outs[1]))
	})
}

// Directories returns the absolute paths of the directories whose entries decide what an action
// reads. If a directory can't be read, the others are missing, and a build says why.
func (a *BuildAction) Directories(ctx context.Context) (dirs []string) {
	w := a.newWalk()
	_ = w.walk(ctx, func(context.Context, string, fs.DirEntry) error { return nil })
	for _, dir := range w.dirs {
		dirs = append(dirs, filepath.Join(a.Project, filepath.FromSlash(dir)))
	}
	return dirs
}
