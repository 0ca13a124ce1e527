package cli

import (
	"cmp"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/project/targets"
	"github.com/contextcompiler/context/mcp"
)

// withoutFile is what to do if the command line names no cache and there is no
// Contextfile.
const withoutFile = "create the file with `context new`, or name a cache with --cache DIR"

type targetFlags struct {
	names []string
	file  fileFlag
}

func (f *targetFlags) bind(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.names, "target", nil, "use the cache of target `NAME` (repeatable)")
	cmd.RegisterFlagCompletionFunc("target", f.file.complete)
	f.file.bind(cmd)
}

// given returns target or file if the command line contains that flag, or "".
func (f *targetFlags) given(cmd *cobra.Command) string {
	for _, flag := range []string{"target", "file"} {
		if cmd.Flags().Changed(flag) {
			return flag
		}
	}
	return ""
}

// refuse fails if the command line contains another way to choose caches.
func (f *targetFlags) refuse(cmd *cobra.Command, other string) error {
	if flag := f.given(cmd); flag != "" && cmd.Flags().Changed(other) {
		return usagef("--%s chooses targets of a Contextfile, so leave out --%s", flag, other)
	}
	return nil
}

// choose returns the chosen targets. If isAlone is set, the file declares no other target.
// instead says what to do without a file.
func (f *targetFlags) choose(cmd *cobra.Command, instead string) (chosen []targets.Target, isAlone bool, err error) {
	file, chosen, err := f.file.choose(f.names, instead)
	return chosen, err == nil && len(file.Targets) == 1, err
}

// askedFlags choose the caches to ask, by directory or by target.
type askedFlags struct {
	caches  []string // [NAME=]DIR
	product string   // NAME[@VERSION]; "" without the flag
	targetFlags

	namesAlone bool // keep the name of a target even if it is the only target
}

func (f *askedFlags) bind(cmd *cobra.Command, cacheUsage string) {
	cmd.Flags().StringArrayVar(&f.caches, "cache", nil, cacheUsage)
	completeDirectories(cmd, "cache")
	f.targetFlags.bind(cmd)
}

// bindProduct binds the flag that chooses caches by their product.
func bindProduct(cmd *cobra.Command, product *string) {
	cmd.Flags().StringVar(product, "product", "", "use the highest version of `PRODUCT`, such as next@16")
}

// openedCaches are the caches for a command to ask. The caller must close them.
type openedCaches struct {
	set     *answers.Set
	members []answers.Member
	targets []targets.Target // whose caches they are; nil with --cache
}

// open opens the caches, and keeps those of the product. Without flags, it opens the caches of all
// targets, or none if without is set.
func (f *askedFlags) open(cmd *cobra.Command, without bool) (asked *openedCaches, err error) {
	switch err = f.refuse(cmd, "cache"); {
	case err != nil:
	case len(f.caches) > 0:
		asked, err = openCaches(cmd, f.caches)
	case without && f.given(cmd) == "" && !cmd.Flags().Changed("product"):
		asked = &openedCaches{set: new(answers.Set)}
	default:
		instead := withoutFile
		if cmd.Flags().Lookup("project") != nil {
			instead += ", or directory contexts with --project DIR"
		}
		var chosen []targets.Target
		var isAlone bool
		if chosen, isAlone, err = f.choose(cmd, instead); err == nil {
			asked, err = openTargets(cmd, chosen, isAlone && !f.namesAlone)
		}
	}
	if err != nil {
		return nil, err
	}
	return asked.ofProduct(cmd, f.product)
}

// openTargets opens the caches of targets. If the file declares a single target, IDs
// contain no name.
func openTargets(cmd *cobra.Command, chosen []targets.Target, isAlone bool) (*openedCaches, error) {
	named := namedTargets(chosen)
	if isAlone {
		named[0].Name = ""
	}
	return openNamed(cmd, named, chosen)
}

// openCaches opens the values of --cache. A single cache without NAME= gives IDs without a
// name.
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

func namedTargets(chosen []targets.Target) (named []mcp.NamedCache) {
	for _, t := range chosen {
		named = append(named, mcp.NamedCache{Name: t.Name, Path: t.Build.Cache})
	}
	return named
}

func openNamed(cmd *cobra.Command, named []mcp.NamedCache, of []targets.Target) (*openedCaches, error) {
	a := &openedCaches{targets: of}
	if err := localCaches(cmd, named); err != nil {
		return nil, err
	}
	for i, c := range named {
		opened, err := answers.Open(c.Path)
		if err != nil {
			a.close()
			if of != nil {
				err = aboutTarget(cmd, of[i], err)
			}
			return nil, err
		}
		a.members = append(a.members, answers.Member{Name: c.Name, Cache: opened})
	}
	var err error
	a.set, err = answers.NewSet(a.members)
	return a, err
}

// ofProduct leaves only the caches of the product of --product in the set.
func (a *openedCaches) ofProduct(cmd *cobra.Command, product string) (*openedCaches, error) {
	if !cmd.Flags().Changed("product") {
		return a, nil
	}
	err := usagef("--product is empty: name a product such as next or next@16")
	if product != "" {
		var chosen []answers.Member
		if chosen, err = agent.OfProduct(a.members, product); err == nil {
			a.set, err = answers.NewSet(chosen)
		}
	}
	if wrong, isWrong := errors.AsType[agent.ArgumentError](err); isWrong {
		err = usagef("%s", wrong)
	}
	if err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

func (a *openedCaches) close() {
	for _, m := range a.members {
		m.Close()
	}
}

// blame adds the name of the target to an error about damage in its cache.
func (a *openedCaches) blame(cmd *cobra.Command, err error) error {
	damaged, ok := errors.AsType[*cache.DamagedError](err)
	for _, t := range a.targets {
		if ok && t.Build.Cache == damaged.Path {
			return aboutTarget(cmd, t, err)
		}
	}
	return err
}

// onCache turns cmd into a command for a whole cache, or for the caches of targets.
func onCache(cmd *cobra.Command, call func(cmd *cobra.Command, flags *cacheFlags, jobs int) error) *cobra.Command {
	var flags cacheFlags
	var jobs int
	cmd.Args = noArguments
	cmd.RunE = run(func(cmd *cobra.Command) error {
		err := flags.choose(cmd)
		if err == nil {
			flags.path, err = localCache(cmd, flags.path)
		}
		if err != nil {
			return err
		}
		return call(cmd, &flags, jobs)
	})
	flags.bind(cmd)
	bindJobs(cmd, &jobs)
	return cmd
}

// isCache reports whether a cache root is itself a cache, so it contains no other caches.
// Every call opens the root again and reports its other faults.
func isCache(root string) bool {
	if root == "" {
		return false
	}
	s, err := cache.SummaryOf(root)
	return err == nil && s.Valid
}

// cacheFlags choose the caches of a command, by directory or by target.
type cacheFlags struct {
	path string
	targetFlags

	chosen  []targets.Target // by choose; nil with --cache
	isAlone bool             // whether the file declares no other target
}

func (f *cacheFlags) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "cache", "", "read the cache at `DIR`")
	completeDirectories(cmd, "cache")
	f.targetFlags.bind(cmd)
}

// choose finds out which caches to open. Commands call it before they check other flags,
// so users learn about missing flags before wrong ones.
func (f *cacheFlags) choose(cmd *cobra.Command) (err error) {
	if err := f.refuse(cmd, "cache"); err != nil {
		return err
	}
	if cmd.Flags().Changed("cache") {
		return nil
	}
	f.chosen, f.isAlone, err = f.targetFlags.choose(cmd, withoutFile)
	return err
}

func (f *cacheFlags) open(cmd *cobra.Command) (*openedCaches, error) {
	if f.chosen == nil {
		return openNamed(cmd, []mcp.NamedCache{{Path: f.path}}, nil)
	}
	return openTargets(cmd, f.chosen, f.isAlone)
}

func parseCaches(values []string) (caches []mcp.NamedCache, err error) {
	for _, value := range values {
		c, err := parseCache(value)
		if err != nil {
			return nil, err
		}
		for _, other := range caches {
			if other.Name == c.Name {
				return nil, usagef("duplicate cache name %s, for %s and %s: choose another name with --cache NAME=DIR", c.Name, other.Path, c.Path)
			}
		}
		caches = append(caches, c)
	}
	return caches, nil
}

// parseCache reads [NAME=]DIR, where DIR can be a reference to a registry. If a slash precedes the
// "=", all of it is DIR.
func parseCache(value string) (c mcp.NamedCache, err error) {
	name, path, named := strings.Cut(value, "=")
	if named = named && !strings.ContainsAny(name, `/\`); !named {
		path = value
	}
	base := path
	if registry.IsRef(path) {
		ref, err := parseRef(path)
		if err != nil {
			return c, err
		}
		base = cmp.Or(ref.Layout, ref.Name)
	}
	if absolute, err := files.Absolute(base); !named && err == nil {
		name = filepath.Base(absolute)
	} else if !named {
		name = ""
	}
	if path == "" {
		return c, usagef("--cache: expected a directory, got %q", value)
	}
	if like := registry.Meant(path); !answers.IsName(name) && strings.HasPrefix(like, "oci://") && !isDirectory(path) {
		return c, usagef("--cache: there is no directory %s; did you mean %s?", path, like)
	}
	if !answers.IsName(name) {
		return c, usagef(`--cache %s: a cache cannot be named %q: choose a name of letters, digits, "-", "_" and "." with --cache NAME=DIR`, value, name)
	}
	return mcp.NamedCache{Name: name, Path: path}, nil
}
