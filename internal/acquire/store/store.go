// Package store keeps fetched sources and pulled caches in a directory shared by all projects and
// processes of a user.
//
//	KEY/                     the files of an entry
//	.KEY.lock                an empty file, locked while a process fetches the entry
//	.KEY.work/of-PROCESS/    files of the process with the lock, such as a git repository
//	.KEY.context-new/, ...   an incomplete entry (package replace)
//
// An entry appears complete or not at all, and never changes. A killed process only leaves
// names with a leading dot. The next process to fetch the entry replaces them, and
// [Store.Collect] removes them.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/replace"
)

// A Store is a directory of entries, which may not exist yet. It is safe for concurrent use by
// any number of processes.
type Store struct {
	Dir string // absolute path; "" means that the system offers no place

	// Process must be different in each process, because a program that a killed process
	// started may still be writing to the work directory of that process.
	Process string

	Uses *Uses // of the process; nil means that another process may remove what this process uses
}

// check fails if there is no place for the store.
func (s Store) check() error {
	if s.Dir == "" {
		return fault.Errorf(fault.IO, "there is no place for the store: set HOME or CONTEXT_STORE")
	}
	return nil
}

// An EntryKey names an entry by its kind and a hash of its contents, such as git-1a2b... or
// archive-3c4d....
type EntryKey string

var validKey = lazy.Regexp(`^[a-z]+(?:-[0-9a-f]{8,64})+$`)

// IsValid reports whether k is well-formed.
func (k EntryKey) IsValid() bool { return validKey().MatchString(string(k)) }

// Path returns the directory of an entry, which may not exist.
func (s Store) Path(key EntryKey) string { return filepath.Join(s.Dir, string(key)) }

// EntryOf returns the directory of the entry that contains a path, or "".
func (s Store) EntryOf(path string) string {
	inside, err := filepath.Rel(s.Dir, path)
	name, _, _ := strings.Cut(filepath.ToSlash(inside), "/")
	if key := EntryKey(name); err == nil && key.IsValid() {
		return s.Path(key)
	}
	return ""
}

// Find returns the directory of an entry, or "" if the store doesn't contain it. It marks the
// entry as used until [Store.Release], and notes the time, so [Store.Collect] can tell which
// entries are needed.
func (s Store) Find(key EntryKey, now time.Time) (dir string, err error) {
	if err := s.check(); err != nil {
		return "", err
	}
	path := s.Path(key)
	found, err := files.LookAt(path)
	if err != nil || found == nil || !found.IsDir() || !s.Uses.hold(path) {
		return "", err
	}
	const precision = 24 * time.Hour // because most uses then write nothing
	if now.Sub(found.ModTime()) > precision {
		_ = os.Chtimes(path, now, now) // fails if the store belongs to somebody else
	}
	return path, nil
}

// Release forgets that this process uses an entry, which now counts as used until now.
func (s Store) Release(key EntryKey, now time.Time) {
	_ = os.Chtimes(s.Path(key), now, now)
	s.Uses.release(s.Path(key))
}

// Fill adds an entry unless the store already contains it. fill must write the files to a
// Staging and can use an empty directory for its work. If several processes need the same
// entry, one of them fills it while the others wait.
//
// Fill fails if fill fails, and with [fault.IO] if the system refuses. After a failure, the
// store doesn't contain the entry.
func (s Store) Fill(ctx context.Context, key EntryKey, fill func(entry *replace.Staging, work string) error) error {
	if err := s.check(); err != nil {
		return err
	}
	// Entries are complete as soon as they exist, so a store that is read-only is enough.
	if found, err := files.LookAt(s.Path(key)); err == nil && found != nil && s.Uses.hold(s.Path(key)) {
		return nil
	}
	return s.Work(ctx, key, func(work string) error {
		if found, err := files.LookAt(s.Path(key)); err != nil || found != nil {
			s.Uses.hold(s.Path(key)) // nobody removes it while this process has the lock
			return err
		}
		entry, err := beginEntry(s.Path(key))
		if err != nil {
			return err
		}
		defer entry.Close()
		if err := fill(entry, work); err != nil {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := entry.Commit(); err != nil {
			return err
		}
		s.Uses.hold(s.Path(key))
		return nil
	})
}

// beginEntry starts a new entry and removes the leftovers of killed processes.
func beginEntry(path string) (*replace.Staging, error) {
	admitAll := func(string) error { return nil } // because the caller holds the lock and has looked
	return replace.Begin(path, replace.Options{Admit: admitAll})
}

// Work calls do with an empty directory and removes it afterwards. Processes with the same key
// take turns.
func (s Store) Work(ctx context.Context, key EntryKey, do func(work string) error) error {
	if !key.IsValid() {
		panic("store: invalid key " + string(key))
	}
	if err := s.check(); err != nil {
		return err
	}
	if err := os.MkdirAll(s.Dir, 0o777); err != nil {
		return fault.Errorf(fault.IO, "make the store: %w", err)
	}
	lock := s.lock(key)
	const pause = 50 * time.Millisecond
	if _, err := files.WaitForLock(ctx, lock, pause); err != nil {
		return cmp.Or(context.Cause(ctx), fault.Errorf(fault.IO, "lock %s: %w", lock.Path(), fault.Cause(err)))
	}
	defer lock.Unlock()
	parent := s.workDir(key)
	_ = removeTree(parent) // fails if a program is adding files to an old directory
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return fault.Errorf(fault.IO, "%w", err)
	}
	defer removeTree(parent)
	work := filepath.Join(parent, "of-"+s.Process)
	if err := os.Mkdir(work, 0o777); err != nil {
		return fault.Errorf(fault.IO, "%w", err)
	}
	return do(work)
}

func (s Store) workDir(key EntryKey) string { return filepath.Join(s.Dir, "."+string(key)+workSuffix) }

// lock returns the lock of the process that fetches or removes an entry.
func (s Store) lock(key EntryKey) *flock.Flock {
	return flock.New(filepath.Join(s.Dir, "."+string(key)+lockSuffix), flock.SetPermissions(0o666))
}

const (
	workSuffix = ".work"
	lockSuffix = ".lock"
)

// An EntryInfo describes a directory of the store.
type EntryInfo struct {
	Key   EntryKey
	Used  time.Time // last use by a build, precise to a day
	Bytes int64     // of its files
	Files int
}

// List returns the entries by key.
func (s Store) List(ctx context.Context) (all []EntryInfo, err error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	entries, err := files.Entries(s.Dir)
	if err != nil {
		return nil, err
	}
	for name, e := range entries {
		if key := EntryKey(name); key.IsValid() && e.IsDir() {
			entry, err := s.measure(ctx, key)
			if err != nil {
				return nil, err
			}
			all = append(all, entry)
		}
	}
	slices.SortFunc(all, func(a, b EntryInfo) int { return strings.Compare(string(a.Key), string(b.Key)) })
	return all, nil
}

func (s Store) measure(ctx context.Context, key EntryKey) (EntryInfo, error) {
	entry := EntryInfo{Key: key}
	err := filepath.WalkDir(s.Path(key), func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		info, err := e.Info()
		switch {
		case err != nil:
			return err
		case path == s.Path(key):
			entry.Used = info.ModTime()
		case info.Mode().IsRegular():
			entry.Files++
			entry.Bytes += info.Size()
		}
		return nil
	})
	if err != nil {
		return EntryInfo{}, fault.Errorf(fault.IO, "measure %s: %w", s.Path(key), fault.Cause(err))
	}
	return entry, nil
}

// A Cleanup says what [Store.Collect] did.
type Cleanup struct {
	Removed []EntryInfo
	Skipped []error // why entries stay, for example because their locks belong to another user
}

// Collect removes the entries last used before a time, and the leftovers of killed processes.
// It leaves alone what any process uses or fetches. What it cannot lock, it skips. If it cannot
// remove an entry, it goes on with the others and fails at the end.
func (s Store) Collect(ctx context.Context, before time.Time) (done Cleanup, err error) {
	all, err := s.List(ctx)
	if err != nil {
		return done, err
	}
	for _, entry := range all {
		if !entry.Used.Before(before) {
			continue
		}
		removed := false
		failed := s.ifLocked(ctx, entry.Key, &done, func() (err error) {
			removed, err = s.remove(entry.Key, before)
			return err
		})
		if err = cmp.Or(err, failed); removed {
			done.Removed = append(done.Removed, entry)
		}
	}
	failed := s.collectLeftovers(ctx, &done)
	return done, cmp.Or(err, failed)
}

// ifLocked calls do with the lock of an entry, unless another process has it.
func (s Store) ifLocked(ctx context.Context, key EntryKey, done *Cleanup, do func() error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	lock := s.lock(key)
	switch locked, err := files.TryLock(lock); {
	case err != nil:
		done.Skipped = append(done.Skipped, fmt.Errorf("%s stays: lock %s: %w", key, lock.Path(), fault.Cause(err)))
		return nil
	case !locked:
		return nil
	}
	defer lock.Unlock()
	return do()
}

// remove removes an entry unless a process uses it, or has used it in the meantime. It renames
// the entry first, so that no build can see half of it.
func (s Store) remove(key EntryKey, before time.Time) (removed bool, err error) {
	path, hidden := s.Path(key), s.workDir(key)
	release, err := seize(path)
	if errors.Is(err, replace.ErrInUse) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	var found fs.FileInfo
	if err == nil {
		defer release()
		found, err = os.Stat(path)
	}
	if err == nil && !found.ModTime().Before(before) {
		return false, nil
	}
	if err == nil {
		err = removeTree(hidden)
	}
	if err == nil {
		err = os.Rename(path, hidden)
	}
	if replace.IsOpen(err) {
		return false, nil
	}
	if err == nil {
		err = removeTree(hidden)
	}
	if err != nil {
		return false, fault.Errorf(fault.IO, "remove %s: %w", path, fault.Cause(err))
	}
	return true, nil
}

// seize keeps other processes from using an entry, or a directory in it, such as a cache that
// somebody has opened by its path.
func seize(path string) (release func(), err error) {
	var releases []func()
	release = func() {
		for _, r := range releases {
			r()
		}
	}
	all, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	dirs := []string{path}
	for _, e := range all {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(path, e.Name()))
		}
	}
	for _, dir := range dirs {
		r, err := replace.Seize(dir)
		switch {
		case err == nil:
			releases = append(releases, r)
		case errors.Is(err, replace.ErrInUse):
			release()
			return nil, err
		}
	}
	return release, nil
}

// collectLeftovers removes the leftovers of killed processes, which no longer hold their locks.
func (s Store) collectLeftovers(ctx context.Context, done *Cleanup) error {
	entries, err := files.Entries(s.Dir)
	if err != nil {
		return err
	}
	for name := range entries {
		stem, ok := strings.CutSuffix(name, lockSuffix)
		key := EntryKey(strings.TrimPrefix(stem, "."))
		isLeftover := func(other string) bool {
			rest, isOf := strings.CutPrefix(other, stem)
			return isOf && (rest == workSuffix || replace.IsTransient("."+rest))
		}
		if !ok || !key.IsValid() || !slices.ContainsFunc(slices.Collect(maps.Keys(entries)), isLeftover) {
			continue
		}
		err = cmp.Or(err, s.ifLocked(ctx, key, done, func() error {
			if err := removeTree(s.workDir(key)); err != nil {
				return fault.Errorf(fault.IO, "%w", err)
			}
			leftover, err := beginEntry(s.Path(key)) // removes them
			if err == nil {
				leftover.Close()
			}
			return err
		}))
	}
	return err
}

// removeTree removes a directory, including read-only directories in it, such as those in Go's
// module cache after a generator has run go.
func removeTree(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	if root, err := os.OpenRoot(dir); err == nil {
		defer root.Close()
		_ = fs.WalkDir(root.FS(), ".", func(at string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				_ = root.Chmod(at, 0o700)
			}
			return nil
		})
	}
	return os.RemoveAll(dir)
}
