package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/console"
	"github.com/contextcompiler/context/internal/fetch"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/internal/store"
	"github.com/contextcompiler/context/internal/targets"
)

type fetchFlags struct {
	file           fileFlag
	frozen, update bool
}

func fetchCommand() *cobra.Command {
	var flags fetchFlags
	cmd := &cobra.Command{
		Use:         "fetch [TARGET...]",
		Short:       "Fetch the git repositories and archives of a Contextfile.yml",
		Annotations: map[string]string{exitKey: "6: cannot fetch; 8: the lock or the files differ; 9: invalid file."},
		GroupID:     buildGroup,
		Example: `  context fetch && context build
  context fetch --update manual`,
		RunE: runOn(func(cmd *cobra.Command, names []string) error { return fetchTargets(cmd, &flags, names) }),
	}
	flags.file.bind(cmd)
	cmd.ValidArgsFunction = flags.file.complete
	cmd.Flags().BoolVar(&flags.frozen, "frozen", false, "fetch what the lock file lists, and don't change it")
	cmd.Flags().BoolVar(&flags.update, "update", false, "pin what tags, branches and URLs are now")
	cmd.MarkFlagsMutuallyExclusive("frozen", "update")
	return cmd
}

// A fetchedSource is a line of the output of fetch.
type fetchedSource struct {
	Source string         `json:"source"`
	Pinned string         `json:"pinned"` // commit or digest
	Result string         `json:"result"` // new, updated or unchanged
	Entry  store.EntryKey `json:"entry"`
}

func fetchTargets(cmd *cobra.Command, flags *fetchFlags, names []string) error {
	file, err := flags.file.readFor(cmd)
	if err != nil {
		return noFileAsUsage(err, "write a Contextfile.yml first, for example with `context new`")
	}
	chosen, err := file.Choose(names)
	if err != nil {
		return usagef("%v", err)
	}
	path := targets.LockPath(file.Path)
	pins, err := targets.ReadLock(path)
	if err != nil {
		return err
	}
	lock := lockedSources{path: path, pins: pins, all: remotesOf(file.Targets)}
	if flags.frozen {
		if err := lock.check(); err != nil {
			return err
		}
	}
	table := tableOn(cmd, "Source", "Pinned", "Result")
	fetcher := newFetcher()
	failed := lock.fetch(cmd, fetcher, remotesOf(chosen), flags.update, table)
	if !flags.frozen {
		failed = cmp.Or(failed, lock.write(failed == nil))
	}
	return cmp.Or(failed, table.print())
}

// noFileAsUsage makes a usage error of the lack of a Contextfile.
func noFileAsUsage(err error, instead string) error {
	if errors.Is(err, errNoFile) {
		return usagef("%v: %s", err, instead)
	}
	return err
}

// remotesOf returns the sources of targets that have to be fetched, each once.
func remotesOf(all []targets.Target) (remotes []fetch.Origin) {
	for _, t := range all {
		for _, s := range t.Remote {
			if !slices.Contains(remotes, s) {
				remotes = append(remotes, s)
			}
		}
	}
	return remotes
}

// lockedSources are a lock file and the sources that it should list.
type lockedSources struct {
	path string
	pins []fetch.Pin
	all  []fetch.Origin
}

func (l *lockedSources) find(s fetch.Origin) (pin fetch.Pin, ok bool) {
	i := slices.IndexFunc(l.pins, func(p fetch.Pin) bool { return p.Origin == s })
	if i < 0 {
		return fetch.Pin{Origin: s}, false
	}
	return l.pins[i], true
}

// check fails with [fault.Stale] unless the lock file lists the sources of all targets and
// nothing else.
func (l *lockedSources) check() error {
	for _, s := range l.all {
		if _, ok := l.find(s); !ok {
			return fault.Errorf(fault.Stale, "%s does not list %s: run `context fetch` and commit the file", l.path, s)
		}
	}
	for _, p := range l.pins {
		if !slices.Contains(l.all, p.Origin) {
			return fault.Errorf(fault.Stale, "%s lists %s, which no target names: run `context fetch` and commit the file", l.path, p.Origin)
		}
	}
	return nil
}

// fetch fetches sources and pins them. It stops at the first that fails.
func (l *lockedSources) fetch(cmd *cobra.Command, fetcher fetch.Fetcher, sources []fetch.Origin, update bool, table *reportTable) error {
	for _, s := range sources {
		before, known := l.find(s)
		var pin fetch.Pin
		var err error
		if known && !update {
			pin, err = fetcher.Fetch(cmd.Context(), before)
		} else {
			if console.IsTerminal(cmd.ErrOrStderr()) {
				fmt.Fprintf(cmd.ErrOrStderr(), "fetching %s\n", s)
			}
			pin, err = fetcher.Resolve(cmd.Context(), s)
		}
		if err != nil {
			return err
		}
		l.pins = append(slices.DeleteFunc(l.pins, func(p fetch.Pin) bool { return p.Origin == s }), pin)
		result := "new"
		switch {
		case known && pin == before:
			result = "unchanged"
		case known:
			result = "updated"
		}
		if err := table.row(fetchedSource{s.String(), pin.String(), result, pin.Key()}, s, pin, result); err != nil {
			return err
		}
	}
	return nil
}

// write writes the lock file, and tidies it if it should drop the pins that no target needs
// any more. A project that fetches nothing gets no lock file.
func (l *lockedSources) write(tidy bool) error {
	kept := slices.Clone(l.pins)
	if tidy {
		kept = slices.DeleteFunc(kept, func(p fetch.Pin) bool { return !slices.Contains(l.all, p.Origin) })
	}
	old, err := os.ReadFile(l.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fault.Errorf(fault.IO, "read %s: %w", l.path, fault.Cause(err))
	}
	text := targets.PrintLock(kept)
	if bytes.Equal(old, text) || old == nil && len(kept) == 0 {
		return nil
	}
	return replaceFile(l.path, text, 0o644)
}

// outside returns the places of sources that are not in the project.
func environment() targets.Environment {
	return targets.Environment{ModuleCache: moduleCache(), VirtualEnv: os.Getenv("VIRTUAL_ENV"), Store: userStore(), Now: time.Now()}
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
		return store.Store{Dir: dir}
	}
	dir, err := os.UserCacheDir()
	if err != nil { // neither XDG_CACHE_HOME nor HOME is set
		dir = filepath.Join(os.TempDir(), fmt.Sprintf("context-%d", os.Getuid()))
	}
	return store.Store{Dir: filepath.Join(dir, "context", "store")}
}

func newFetcher() fetch.Fetcher {
	return fetch.Fetcher{Store: userStore(), Now: time.Now(), Environ: os.Environ(), Client: &http.Client{CheckRedirect: keepSecure}}
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
