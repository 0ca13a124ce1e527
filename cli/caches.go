package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/targets"
	"github.com/contextcompiler/context/mcp"
	"github.com/contextcompiler/context/resolve"
)

const askedHelp = `Without --cache, it asks the targets of the nearest Contextfile.yml, or each --target.`

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
		return usagef("--%s is for targets of a Contextfile, and --%s is not: give one of them", flag, other)
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

// An asked has the caches that a command asks. Close it at the end.
type asked struct {
	set     *resolve.Set
	members []resolve.Member
	targets []targets.Target // whose caches they are; nil with --cache
}

// open opens the caches. Without flags for caches, it opens the caches of all targets, or
// none if without is set.
func (f *askedFlags) open(cmd *cobra.Command, without bool) (*asked, error) {
	if err := f.refuse(cmd, "cache"); err != nil {
		return nil, err
	}
	if len(f.caches) > 0 {
		return openCaches(cmd, f.caches)
	}
	if without && f.given(cmd) == "" {
		return &asked{set: new(resolve.Set)}, nil
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
func openTargets(cmd *cobra.Command, chosen []targets.Target, isAlone bool) (*asked, error) {
	named := namedTargets(chosen)
	if isAlone {
		named[0].Name = ""
	}
	return openNamed(cmd, named, chosen)
}

// openCaches opens the values of --cache. IDs have names only if there are several caches,
// or the only one is named.
func openCaches(cmd *cobra.Command, values []string) (*asked, error) {
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

func openNamed(cmd *cobra.Command, named []mcp.NamedCache, of []targets.Target) (*asked, error) {
	a := &asked{targets: of}
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

func (a *asked) close() {
	for _, m := range a.members {
		m.Close()
	}
}

// blame adds to an error about damage in the cache of a target which target that is.
func (a *asked) blame(cmd *cobra.Command, err error) error {
	damaged, ok := errors.AsType[*cache.DamagedError](err)
	for _, t := range a.targets {
		if ok && t.Build.Cache == damaged.Path {
			return aboutTarget(cmd, t, err)
		}
	}
	return err
}
