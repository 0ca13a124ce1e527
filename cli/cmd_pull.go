package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/registry"
)

type pullFlags struct {
	dir     string
	network networkFlags
	options registry.PullOptions
}

func pullCommand() *cobra.Command {
	var flags pullFlags
	cmd := &cobra.Command{
		Use:         "pull --cache DIR REFERENCE",
		Short:       "Pull a cache from a registry or an OCI layout",
		Annotations: map[string]string{exitKey: "4: no such tag; 5: anything damaged; 6: the registry refuses."},
		GroupID:     shareGroup,
		Example: `  context pull --cache build/context oci://ghcr.io/example/docs:v1
  context pull --cache build/context --force oci-layout:usb/caches:v1`,
		Args: oneReference,
		RunE: runOn(flags.run),
	}
	cmd.Flags().StringVar(&flags.dir, "cache", "", "create the cache at `DIR`")
	completeDirectories(cmd, "cache")
	cmd.Flags().BoolVar(&flags.options.Replace, "force", false, "replace the cache if it exists")
	cmd.Flags().BoolVar(&flags.options.Rebuild, "rebuild", false, "make the index here instead of downloading it")
	cmd.Flags().BoolVar(&flags.network.offline, "offline", false, "only use the store; the reference needs a digest")
	flags.network.bind(cmd)
	require(cmd, "cache")
	return cmd
}

func (f *pullFlags) run(cmd *cobra.Command, args []string) error {
	ref, err := parseRef(args[0])
	if err != nil {
		return err
	}
	if err := checkPath("cache", f.dir); err != nil {
		return err
	}
	if registry.IsRef(f.dir) {
		return usagef("--cache %s: pull writes to a directory; use push for registries", f.dir)
	}
	client, err := f.network.client(cmd)
	if err != nil {
		return err
	}
	var finish func()
	client.Observe, finish = observeTransfer(cmd, "pulling")
	stored, err := client.Pull(cmd.Context(), ref, f.dir, f.options)
	finish()
	if err != nil {
		return err
	}
	return printTransfer(cmd, ref, stored.Artifact)
}
