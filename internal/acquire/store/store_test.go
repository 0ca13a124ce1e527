package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/replace"
)

const key = EntryKey("archive-0123456789abcdef")

func write(entry *replace.Staging, _ string) error {
	return entry.WriteFile("a.md", []byte("# A\n"))
}

func TestEntryAppearsWholeOrNotAtAll(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "store")}
	now := time.Unix(1_800_000_000, 0)
	broken := errors.New("broken")
	err := s.Fill(t.Context(), key, func(entry *replace.Staging, work string) error {
		if err := errors.Join(write(entry, work), os.WriteFile(filepath.Join(work, "x"), nil, 0o666)); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	if found, err := s.Find(key, now); found != "" || err != nil {
		t.Errorf("got %q, %v, want no entry", found, err)
	}
	if err := s.Fill(t.Context(), key, write); err != nil {
		t.Fatal(err)
	}
	found, err := s.Find(key, now)
	if err != nil || found != s.Path(key) {
		t.Errorf("got %q, %v", found, err)
	}
	err = s.Fill(t.Context(), key, func(*replace.Staging, string) error { return broken })
	if err != nil {
		t.Errorf("got %v: an entry that exists is filled again", err)
	}
	if names := visibleAndHidden(t, s); names != ".archive-0123456789abcdef.lock archive-0123456789abcdef" {
		t.Errorf("got the files %s", names)
	}
}

func visibleAndHidden(t *testing.T, s Store) string {
	t.Helper()
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".context-lock") {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}

func TestProcessesFillAnEntryOnce(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	filled := make(chan struct{}, 16)
	_, err := parallel.Each(t.Context(), 16, 16, func(ctx context.Context, _, _ int) (int, error) {
		return 0, s.Fill(ctx, key, func(entry *replace.Staging, work string) error {
			filled <- struct{}{}
			return write(entry, work)
		})
	})
	if err != nil || len(filled) != 1 {
		t.Errorf("got %d fills, %v, want 1", len(filled), err)
	}
}

// A program that a killed process started may go on writing to its old directory.
func TestProcessesDoNotShareAWorkDirectory(t *testing.T) {
	s := Store{Dir: t.TempDir(), Process: "1"}
	var old string
	err := s.Work(t.Context(), key, func(work string) error { old = work; return nil })
	if err == nil {
		err = errors.Join(os.MkdirAll(old, 0o777), os.WriteFile(filepath.Join(old, "half.md"), nil, 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Process = "2"
	err = s.Work(t.Context(), key, func(work string) error {
		if work == old {
			t.Errorf("got %s again", work)
		}
		if entries, err := os.ReadDir(work); err != nil || len(entries) > 0 {
			t.Errorf("got %v, %v, want an empty directory", entries, err)
		}
		return nil
	})
	if names := visibleAndHidden(t, s); err != nil || names != "."+string(key)+".lock" {
		t.Errorf("got %v and the files %s", err, names)
	}
}

// Go makes the directories of its module cache read-only, for example.
func TestReadOnlyDirectoriesAreRemoved(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can remove everything")
	}
	s := Store{Dir: t.TempDir()}
	err := s.Work(t.Context(), key, func(work string) error {
		locked := filepath.Join(work, "home", "mod")
		return errors.Join(
			os.MkdirAll(filepath.Join(locked, "closed"), 0o777), os.WriteFile(filepath.Join(locked, "a.go"), nil, 0o444),
			os.WriteFile(filepath.Join(locked, "closed", "a.go"), nil, 0o444), os.Chmod(filepath.Join(locked, "closed"), 0), os.Chmod(locked, 0o555),
		)
	})
	if names := visibleAndHidden(t, s); err != nil || names != "."+string(key)+".lock" {
		t.Errorf("got %v and the files %s", err, names)
	}
}

func TestCollectRemovesWhatNoBuildUsed(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	old, recent := EntryKey("git-00000000"), EntryKey("git-11111111")
	start := time.Unix(1_800_000_000, 0)
	for _, k := range []EntryKey{old, recent} {
		if err := s.Fill(t.Context(), k, write); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(s.Path(k), start, start); err != nil {
			t.Fatal(err)
		}
	}
	month := start.Add(30 * 24 * time.Hour)
	if _, err := s.Find(recent, month); err != nil {
		t.Fatal(err)
	}
	// A process can be killed after its entry is complete, too.
	for _, leftover := range []string{".git-22222222.work", ".git-22222222.context-new/made-by-context-build", ".git-11111111.context-new/made-by-context-build"} {
		if err := os.MkdirAll(filepath.Join(s.Dir, leftover), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.Dir, ".git-22222222.lock"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	done, err := s.Collect(t.Context(), month.Add(-time.Hour))
	removed := done.Removed
	if err != nil || len(removed) != 1 || removed[0].Key != old || removed[0].Files != 1 || removed[0].Bytes != 4 {
		t.Errorf("got %+v, %v, want %s", done, err, old)
	}
	all, err := s.List(t.Context())
	if err != nil || len(all) != 1 || all[0].Key != recent || !all[0].Used.Equal(month) {
		t.Errorf("got %+v, %v, want %s", all, err, recent)
	}
	if names := visibleAndHidden(t, s); strings.Contains(names, "work") || strings.Contains(names, "context-new") {
		t.Errorf("got the files %s", names)
	}
}

func TestStoreThatDoesNotExistIsEmpty(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "none")}
	if all, err := s.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("got %v, %v", all, err)
	}
	if done, err := s.Collect(t.Context(), time.Unix(1_800_000_000, 0)); err != nil || len(done.Removed) != 0 {
		t.Errorf("got %v, %v", done, err)
	}
	if found, err := s.Find(key, time.Unix(0, 0)); err != nil || found != "" {
		t.Errorf("got %q, %v", found, err)
	}
}

// Images and CI often provide the store read-only.
func TestAnEntryThatExistsNeedsNoLock(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "store")}
	if err := s.Fill(t.Context(), key, write); err != nil {
		t.Fatal(err)
	}
	// Even root cannot lock a directory as a file.
	if err := errors.Join(os.Remove(s.lock(key).Path()), os.Mkdir(s.lock(key).Path(), 0o777)); err != nil {
		t.Fatal(err)
	}
	if err := s.Fill(t.Context(), key, write); err != nil {
		t.Errorf("got %v for an entry that exists", err)
	}
	const other = EntryKey("archive-fedcba9876543210")
	if err := os.Mkdir(s.lock(other).Path(), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := s.Fill(t.Context(), other, write); err == nil {
		t.Error("got an entry that nobody could lock")
	}
}

// filledLongAgo returns a store with an entry that was used a year before now.
func filledLongAgo(t *testing.T, uses *Uses) (s Store, now time.Time) {
	t.Helper()
	s = Store{Dir: t.TempDir(), Uses: uses}
	err := s.Fill(t.Context(), key, func(entry *replace.Staging, work string) error {
		return errors.Join(entry.Mkdir("cache"), write(entry, work))
	})
	now = time.Unix(1_800_000_000, 0)
	old := now.AddDate(-1, 0, 0)
	if err := errors.Join(err, os.Chtimes(s.Path(key), old, old)); err != nil {
		t.Fatal(err)
	}
	return s, now
}

func collected(t *testing.T, s Store, before time.Time) int {
	t.Helper()
	done, err := Store{Dir: s.Dir}.Collect(t.Context(), before)
	if err != nil || len(done.Skipped) > 0 {
		t.Errorf("got %v, %v", done, err)
	}
	return len(done.Removed)
}

func TestCollectLeavesAloneWhatIsUsed(t *testing.T) {
	uses := new(Uses)
	defer uses.Close()
	s, now := filledLongAgo(t, uses) // Fill marks it as used
	if n := collected(t, s, now); n != 0 {
		t.Error("removed the entry of a process that has filled it")
	}
	s.Uses = new(Uses)
	defer s.Uses.Close()
	if dir, err := s.Find(key, now.AddDate(-1, 0, 0)); dir == "" || err != nil {
		t.Fatalf("got %q, %v", dir, err)
	}
	uses.Close()
	if n := collected(t, s, now); n != 0 {
		t.Error("removed the entry of a process that has found it")
	}
	s.Release(key, now)
	if n := collected(t, s, now); n != 0 {
		t.Error("removed an entry that was used until just now")
	}
	if n := collected(t, s, now.Add(1)); n != 1 {
		t.Error("kept an entry that nobody uses")
	}
	if dir, err := s.Find(key, now); dir != "" || err != nil {
		t.Errorf("got %q, %v for a removed entry", dir, err)
	}
}

func TestCollectLeavesAloneACacheOpenedByItsPath(t *testing.T) {
	s, now := filledLongAgo(t, nil)
	open, err := replace.Open(filepath.Join(s.Path(key), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if n := collected(t, s, now); n != 0 {
		t.Error("removed a cache that is open")
	}
}

func TestCollectLooksAtTheTimeAgain(t *testing.T) {
	s, now := filledLongAgo(t, nil)
	if _, err := s.Find(key, now); err != nil { // after List
		t.Fatal(err)
	}
	if removed, err := s.remove(key, now); removed || err != nil {
		t.Errorf("got %t, %v for an entry that was used in the meantime", removed, err)
	}
}

func TestCollectSkipsWhatItCannotLock(t *testing.T) {
	s, now := filledLongAgo(t, nil)
	const other = EntryKey("git-00000000")
	if err := errors.Join(s.Fill(t.Context(), other, write), os.Chtimes(s.Path(other), time.Unix(0, 0), time.Unix(0, 0))); err != nil {
		t.Fatal(err)
	}
	// Even root cannot lock a directory as a file.
	if err := errors.Join(os.Remove(s.lock(key).Path()), os.Mkdir(s.lock(key).Path(), 0o777)); err != nil {
		t.Fatal(err)
	}
	done, err := s.Collect(t.Context(), now)
	if err != nil || len(done.Removed) != 1 || done.Removed[0].Key != other || len(done.Skipped) != 1 || !strings.Contains(done.Skipped[0].Error(), s.lock(key).Path()) {
		t.Errorf("got %v, %v, want %s without %s", done, err, other, key)
	}
}
