package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/targets"
	"github.com/contextcompiler/context/mcp"
	"github.com/contextcompiler/context/resolve"
)

const askedHelp = `Without --cache, the caches are those of the targets that the nearest Contextfile.yml
has, or of each --target. IDs begin with the name of the target if the file has several.`

// askedFlags choose the caches that a command asks, by their directories or as targets.
type askedFlags struct {
	caches  []string // [NAME=]DIR
	targets []string // names
	file    fileFlag
}

func (f *askedFlags) bind(cmd *cobra.Command, cacheUsage string) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.caches, "cache", nil, cacheUsage)
	completeDirectories(cmd, "cache")
	flags.StringArrayVar(&f.targets, "target", nil, "take the cache of the target `NAME` (may be repeated)")
	cmd.RegisterFlagCompletionFunc("target", f.file.complete)
	f.file.bind(cmd)
}

// targetsFlag returns the flag of a command line that asks for targets, or "".
func (f *askedFlags) targetsFlag(cmd *cobra.Command) string {
	for _, flag := range []string{"target", "file"} {
		if cmd.Flags().Changed(flag) {
			return flag
		}
	}
	return ""
}

// refuse fails if a flag for other caches stands beside one for targets.
func (f *askedFlags) refuse(cmd *cobra.Command, other string) error {
	if flag := f.targetsFlag(cmd); flag != "" && cmd.Flags().Changed(other) {
		return usagef("--%s is for targets of a Contextfile, and --%s is not: give one of them", flag, other)
	}
	return nil
}

// choose returns the targets that the flags choose. isAlone says that the file has no
// other. instead is advice for a command line without a file.
func (f *askedFlags) choose(cmd *cobra.Command, instead string) (chosen []targets.Target, isAlone bool, err error) {
	file, err := f.file.readFor(cmd)
	if errors.Is(err, errNoFile) {
		return nil, false, usagef("%v: %s", err, instead)
	}
	if err != nil {
		return nil, false, err
	}
	chosen, err = file.Choose(f.targets)
	if err != nil {
		return nil, false, usagef("%v", err)
	}
	return chosen, len(file.Targets) == 1, nil
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
	if without && f.targetsFlag(cmd) == "" {
		return &asked{set: new(resolve.Set)}, nil
	}
	instead := "write one with `context new`, or name a cache with --cache DIR"
	if cmd.Flags().Lookup("project") != nil {
		instead += ", or directory contexts with --project DIR"
	}
	chosen, isAlone, err := f.choose(cmd, instead)
	if err != nil {
		return nil, err
	}
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
