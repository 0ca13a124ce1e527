package cli

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/actions"
	"github.com/contextcompiler/context/internal/acquire/fetch"
	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/project/targets"
)

type fetchFlags struct {
	file           fileFlag
	frozen, update bool
	network        networkFlags
}

func fetchCommand() *cobra.Command {
	var flags fetchFlags
	cmd := &cobra.Command{
		Use:         "fetch [TARGET...]",
		Short:       "Fetch the repositories, archives and caches of a Contextfile.yml",
		Annotations: map[string]string{exitKey: "5: damaged; 6: cannot fetch; 8: lock or files differ; 9: invalid."},
		Example: `  context fetch && context build
  context fetch --update manual`,
		RunE: runOn(func(cmd *cobra.Command, names []string) error { return fetchTargets(cmd, &flags, names) }),
	}
	flags.file.bind(cmd)
	cmd.ValidArgsFunction = flags.file.complete
	cmd.Flags().BoolVar(&flags.frozen, "frozen", false, "fetch what the lock file lists, and don't change it")
	cmd.Flags().BoolVar(&flags.update, "update", false, "pin what tags, branches and URLs are now")
	flags.network.bind(cmd)
	exclude(cmd, "frozen", "update")
	return cmd
}

// A fetchedSource is a line of the output of fetch.
type fetchedSource struct {
	Source string         `json:"source"`
	Pinned string         `json:"pinned"` // commit or digest
	Result string         `json:"result"` // new, updated or unchanged
	Entry  store.EntryKey `json:"entry"`

	Warnings int `json:"warnings"` // about files that a new entry leaves out
}

func fetchTargets(cmd *cobra.Command, flags *fetchFlags, names []string) error {
	file, chosen, err := flags.file.choose(names, "create the file with `context new`")
	if err != nil {
		return err
	}
	lock, err := lockOf(file)
	if err != nil {
		return err
	}
	if flags.frozen {
		if err := lock.check(); err != nil {
			return err
		}
	}
	client := flags.network.client(cmd)
	f := targetFetcher{cmd: cmd, sources: newFetcher(), caches: client, isUpdate: flags.update, table: tableOn(cmd, "Source", "Pinned", "Result")}
	failed := f.fetch(lock, chosen)
	if !flags.frozen {
		failed = cmp.Or(failed, lock.write(failed == nil))
	}
	return cmp.Or(failed, f.table.print())
}

// A lockedProject is a lock file with the targets whose sources and caches it should list.
type lockedProject struct {
	path   string
	pinned targets.LockedVersions
	all    []targets.Target
}

func lockOf(file *targets.Contextfile) (*lockedProject, error) {
	path := targets.LockPath(file.Path)
	pinned, err := targets.ReadLock(path)
	return &lockedProject{path, pinned, file.Targets}, err
}

// check fails with [fault.Stale] unless the lock file lists the sources and caches of all targets
// and nothing else.
func (l *lockedProject) check() error {
	for _, of := range targets.RemotesOf(l.all) {
		if l.pinned.Find(of) == nil {
			return l.stale("does not list %s", of)
		}
	}
	return l.checkExtra()
}

// checkExtra fails with [fault.Stale] if the lock file lists something that no target names.
func (l *lockedProject) checkExtra() error {
	if _, extra := l.split(); len(extra) > 0 {
		return l.stale("lists %s, which no target names", extra[0])
	}
	return nil
}

// split returns the pins that a target needs, and what the others pin.
func (l *lockedProject) split() (kept targets.LockedVersions, extra []any) {
	needed := targets.RemotesOf(l.all)
	for _, p := range l.pinned {
		if slices.Contains(needed, p.Of()) {
			kept = append(kept, p)
		} else {
			extra = append(extra, p.Of())
		}
	}
	return kept, extra
}

func (l *lockedProject) stale(format string, about any) error {
	return fault.Errorf(fault.Stale, "%s "+format+": run `context fetch` and commit the file", l.path, about)
}

// write writes the lock file, and other files with it. With tidy, it drops the pins that no target
// needs any more. Without anything to fetch, there is no lock file.
func (l *lockedProject) write(tidy bool, others ...writtenFile) error {
	kept := l.pinned
	if tidy {
		kept, _ = l.split()
	}
	old, _, err := readOld(l.path)
	if err != nil {
		return err
	}
	text := kept.Print()
	if !bytes.Equal(old, text) && (old != nil || len(kept) > 0) {
		others = append(others, writtenFile{l.path, text, 0o644})
	}
	return replaceFiles(others...)
}

// A targetFetcher fetches what targets take from elsewhere and pins it.
type targetFetcher struct {
	cmd      *cobra.Command
	sources  fetch.Fetcher
	caches   *registry.Client
	isUpdate bool         // even if it is pinned already
	table    *reportTable // nil prints nothing
	warnings int          // about the current source
	last     string       // version of the last source or cache
}

// fetch stops at the first failure.
func (f *targetFetcher) fetch(l *lockedProject, chosen []targets.Target) error {
	f.sources.Warn = func(text string) {
		f.warnings++
		warn(f.cmd, []string{text})
	}
	for _, of := range targets.RemotesOf(chosen) {
		before := l.pinned.Find(of)
		wanted := before
		if f.isUpdate {
			wanted = nil
		}
		pin, err := f.get(of, wanted, chosen)
		if err != nil {
			return err
		}
		l.pinned = append(slices.DeleteFunc(l.pinned, func(p targets.Pinned) bool { return p.Of() == of }), pin)
		if err := f.row(fmt.Sprint(of), before, pin); err != nil {
			return err
		}
	}
	return nil
}

// get fetches a source or a cache of targets: the pinned version, or the current version if pinned
// is nil.
func (f *targetFetcher) get(of any, pinned targets.Pinned, chosen []targets.Target) (targets.Pinned, error) {
	if origin, isSource := of.(fetch.Origin); !isSource {
		i := slices.IndexFunc(chosen, func(t targets.Target) bool { return t.Shared != nil && t.Shared.From == of })
		return f.cache(chosen[i].Shared, pinned)
	} else if pinned == nil {
		if console.IsTerminal(f.cmd.ErrOrStderr()) {
			fmt.Fprintf(f.cmd.ErrOrStderr(), "fetching %s\n", origin)
		}
		return f.sources.Resolve(f.cmd.Context(), origin)
	}
	return f.sources.Fetch(f.cmd.Context(), pinned.(fetch.Pin))
}

func (f *targetFetcher) cache(s *targets.SharedCache, pinned targets.Pinned) (targets.Pinned, error) {
	ref := s.Ref
	pin, isPinned := pinned.(targets.CachePin)
	if isPinned {
		ref = ref.At(pin.Digest)
	}
	var finish func()
	f.caches.Observe, finish = console.TransferOn(f.cmd.ErrOrStderr(), "fetching "+s.From)
	stored, err := f.caches.Fetch(f.cmd.Context(), ref)
	finish()
	if err == nil {
		err = f.caches.Verify(f.cmd.Context(), stored)
	}
	if err != nil {
		return nil, err
	}
	if isPinned {
		return pin, s.Check(pin, stored)
	}
	return s.PinOf(stored)
}

func (f *targetFetcher) row(source string, before, pin targets.Pinned) error {
	f.last = pin.String()
	if f.table == nil {
		return nil
	}
	result := "updated"
	switch before {
	case nil:
		result = "new"
	case pin:
		result = "unchanged"
	}
	row := fetchedSource{source, f.last, result, pin.Key(), f.warnings}
	f.warnings = 0
	return f.table.row(row, source, f.last, result)
}

// environment returns the places of sources that are not in the project. Commands of the project
// never run there.
func environment() targets.Environment {
	s, now := userStore(), time.Now()
	return targets.Environment{
		ModuleCache: moduleCache(), VirtualEnv: os.Getenv("VIRTUAL_ENV"), Store: s, Now: now,
		Workshop: actions.Workshop{Store: s, Now: now, SearchPath: os.Getenv("PATH"), Trusted: userTrust()},
	}
}

// moduleCache returns the directory where Go keeps modules, by the same variables.
func moduleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	if paths := filepath.SplitList(os.Getenv("GOPATH")); len(paths) > 0 {
		return filepath.Join(paths[0], "pkg", "mod")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "go", "pkg", "mod")
}

// userStore returns the store of the user: CONTEXT_STORE, or a directory below the user's cache
// directory.
func userStore() store.Store {
	if dir := os.Getenv("CONTEXT_STORE"); dir != "" {
		if full, err := files.Absolute(dir); err == nil {
			dir = full
		}
		return store.Store{Dir: dir, Process: rand.Text(), Uses: &storeUses}
	}
	dir, err := os.UserCacheDir()
	if err != nil { // neither XDG_CACHE_HOME nor HOME is set, and other users could write to a temporary directory
		return store.Store{}
	}
	return store.Store{Dir: filepath.Join(dir, "context", "store"), Process: rand.Text(), Uses: &storeUses}
}

// storeUses are the entries of the store that this process uses until Main returns.
var storeUses store.Uses

func newFetcher() fetch.Fetcher {
	return fetch.Fetcher{Store: userStore(), Now: time.Now(), Environ: os.Environ(), Client: patientHTTP()}
}

// keepSecure refuses redirects from HTTPS to HTTP, and more than ten.
func keepSecure(next *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("the server redirects more than ten times")
	}
	if via[0].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return fmt.Errorf("the server redirects to %s, which is not HTTPS", next.URL.Redacted())
	}
	return nil
}
