package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/targets"
	"github.com/contextcompiler/context/mcp"
)

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
func (f *cacheFlags) open(cmd *cobra.Command) (*asked, error) {
	if f.chosen == nil {
		return openNamed(cmd, []mcp.NamedCache{{Path: f.path}}, nil)
	}
	return openTargets(cmd, f.chosen, f.isAlone)
}
