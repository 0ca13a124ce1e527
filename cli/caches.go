package cli

import (
	"cmp"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/internal/targets"
	"github.com/contextcompiler/context/mcp"
	"github.com/contextcompiler/context/resolve"
)

// withoutFile is the advice for a command line that names no cache, where there is no file.
const withoutFile = "write one with `context new`, or name a cache with --cache DIR"

// targetFlags choose targets of a Contextfile.
type targetFlags struct {
	names []string
	file  fileFlag
}

func (f *targetFlags) bind(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.names, "target", nil, "use the cache of target `NAME` (repeatable)")
	cmd.RegisterFlagCompletionFunc("target", f.file.complete)
	f.file.bind(cmd)
}

// given returns the flag of a command line that asks for targets, or "".
func (f *targetFlags) given(cmd *cobra.Command) string {
	for _, flag := range []string{"target", "file"} {
		if cmd.Flags().Changed(flag) {
			return flag
		}
	}
	return ""
}

// refuse fails if a flag for other caches stands beside one for targets.
func (f *targetFlags) refuse(cmd *cobra.Command, other string) error {
	if flag := f.given(cmd); flag != "" && cmd.Flags().Changed(other) {
		return usagef("--%s chooses targets of a Contextfile, so leave out --%s", flag, other)
	}
	return nil
}

// choose returns the targets that the flags choose. isAlone says that the file has no
// other. instead is advice for a command line without a file.
func (f *targetFlags) choose(cmd *cobra.Command, instead string) (chosen []targets.Target, isAlone bool, err error) {
	file, err := f.file.readFor(cmd)
	if errors.Is(err, errNoFile) {
		return nil, false, usagef("%v: %s", err, instead)
	}
	if err != nil {
		return nil, false, err
	}
	chosen, err = file.Choose(f.names)
	if err != nil {
		return nil, false, usagef("%v", err)
	}
	return chosen, len(file.Targets) == 1, nil
}

// askedFlags choose the caches that a command asks, by their directories or as targets.
type askedFlags struct {
	caches []string // [NAME=]DIR
	targetFlags

	namesAlone bool // a target has its name even if the file has no other
}

func (f *askedFlags) bind(cmd *cobra.Command, cacheUsage string) {
	cmd.Flags().StringArrayVar(&f.caches, "cache", nil, cacheUsage)
	completeDirectories(cmd, "cache")
	f.targetFlags.bind(cmd)
}

// An openedCaches has the caches that a command asks. Close it at the end.
type openedCaches struct {
	set     *resolve.Set
	members []resolve.Member
	targets []targets.Target // whose caches they are; nil with --cache
}

// open opens the caches. Without flags for caches, it opens the caches of all targets, or
// none if without is set.
func (f *askedFlags) open(cmd *cobra.Command, without bool) (*openedCaches, error) {
	if err := f.refuse(cmd, "cache"); err != nil {
		return nil, err
	}
	if len(f.caches) > 0 {
		return openCaches(cmd, f.caches)
	}
	if without && f.given(cmd) == "" {
		return &openedCaches{set: new(resolve.Set)}, nil
	}
	instead := withoutFile
	if cmd.Flags().Lookup("project") != nil {
		instead += ", or directory contexts with --project DIR"
	}
	chosen, isAlone, err := f.choose(cmd, instead)
	if err != nil {
		return nil, err
	}
	return openTargets(cmd, chosen, isAlone && !f.namesAlone)
}

// openTargets opens the caches of targets. IDs have no names if the file has no other target.
func openTargets(cmd *cobra.Command, chosen []targets.Target, isAlone bool) (*openedCaches, error) {
	named := namedTargets(chosen)
	if isAlone {
		named[0].Name = ""
	}
	return openNamed(cmd, named, chosen)
}

// openCaches opens the values of --cache. IDs have names only if there are several caches,
// or the only one is named.
func openCaches(cmd *cobra.Command, values []string) (*openedCaches, error) {
	named, err := parseCaches(values)
	if err != nil {
		return nil, err
	}
	if len(values) == 1 && values[0] == named[0].Path {
		named[0].Name = ""
	}
	return openNamed(cmd, named, nil)
}

// namedTargets returns the caches of targets.
func namedTargets(chosen []targets.Target) (named []mcp.NamedCache) {
	for _, t := range chosen {
		named = append(named, mcp.NamedCache{Name: t.Name, Path: t.Build.Cache})
	}
	return named
}

func openNamed(cmd *cobra.Command, named []mcp.NamedCache, of []targets.Target) (*openedCaches, error) {
	a := &openedCaches{targets: of}
	for i, c := range named {
		opened, err := resolve.Open(c.Path)
		if err != nil {
			a.close()
			if of != nil {
				err = aboutTarget(cmd, of[i], err)
			}
			return nil, err
		}
		a.members = append(a.members, resolve.Member{Name: c.Name, Cache: opened})
	}
	var err error
	a.set, err = resolve.NewSet(a.members)
	return a, err
}

func (a *openedCaches) close() {
	for _, m := range a.members {
		m.Close()
	}
}

// blame adds to an error about damage in the cache of a target which target that is.
func (a *openedCaches) blame(cmd *cobra.Command, err error) error {
	damaged, ok := errors.AsType[*cache.DamagedError](err)
	for _, t := range a.targets {
		if ok && t.Build.Cache == damaged.Path {
			return aboutTarget(cmd, t, err)
		}
	}
	return err
}

// onCache makes cmd a command that works on a whole cache, or on those of targets.
func onCache(cmd *cobra.Command, call func(cmd *cobra.Command, flags *cacheFlags, jobs int) error) *cobra.Command {
	var flags cacheFlags
	var jobs int
	cmd.GroupID, cmd.Args = fixedGroup, noArguments
	cmd.RunE = run(func(cmd *cobra.Command) error {
		if err := cmp.Or(flags.choose(cmd), checkJobs(jobs)); err != nil {
			return err
		}
		return call(cmd, &flags, jobs)
	})
	flags.bind(cmd)
	bindJobs(cmd, &jobs)
	return cmd
}

// isCache reports whether a cache root is a cache, so that it has no caches below it.
// Calls open the root anew and report its other faults.
func isCache(root string) bool {
	if root == "" {
		return false
	}
	s, err := cache.SummaryOf(root)
	return err == nil && s.Valid
}

// cacheFlags choose the caches that a command works on: a cache by its directory, or the
// caches of targets.
type cacheFlags struct {
	path string
	targetFlags

	chosen  []targets.Target // by choose; nil with --cache
	isAlone bool             // whether the file has no other target
}

func (f *cacheFlags) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "cache", "", "read the cache at `DIR`")
	completeDirectories(cmd, "cache")
	f.targetFlags.bind(cmd)
}

// choose makes sure that there is something to open. Commands call it first, because a
// missing flag comes before a wrong one.
func (f *cacheFlags) choose(cmd *cobra.Command) (err error) {
	if err := f.refuse(cmd, "cache"); err != nil {
		return err
	}
	if cmd.Flags().Changed("cache") {
		return checkPath("cache", f.path)
	}
	f.chosen, f.isAlone, err = f.targetFlags.choose(cmd, withoutFile)
	return err
}

// open opens what choose chose.
func (f *cacheFlags) open(cmd *cobra.Command) (*openedCaches, error) {
	if f.chosen == nil {
		return openNamed(cmd, []mcp.NamedCache{{Path: f.path}}, nil)
	}
	return openTargets(cmd, f.chosen, f.isAlone)
}

// parseCaches reads the values of --cache.
func parseCaches(values []string) (caches []mcp.NamedCache, err error) {
	for _, value := range values {
		c, err := parseCache(value)
		if err != nil {
			return nil, err
		}
		for _, other := range caches {
			if other.Name == c.Name {
				return nil, usagef("two caches are named %s, %s and %s: rename one with --cache NAME=DIR", c.Name, other.Path, c.Path)
			}
		}
		caches = append(caches, c)
	}
	return caches, nil
}

// parseCache reads [NAME=]DIR. A "=" behind a slash is part of DIR.
func parseCache(value string) (c mcp.NamedCache, err error) {
	name, path, named := strings.Cut(value, "=")
	if !named || strings.ContainsAny(name, `/\`) {
		path, name = value, ""
		if absolute, err := files.Absolute(value); err == nil {
			name = filepath.Base(absolute)
		}
	}
	if path == "" {
		return c, usagef("--cache: expected a directory, got %q", value)
	}
	if !resolve.IsName(name) {
		return c, usagef(`--cache %s: a cache cannot be named %q: choose a name of letters, digits, "-", "_" and "." with --cache NAME=DIR`, value, name)
	}
	return mcp.NamedCache{Name: name, Path: path}, nil
}
