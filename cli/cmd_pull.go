package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/author/console"
)

type pullFlags struct {
	dir     string
	network networkFlags
	replace bool
	gates   []string // measures with their minimum
}

func pullCommand() *cobra.Command {
	var flags pullFlags
	cmd := &cobra.Command{
		Use:         "pull --cache DIR REFERENCE",
		Short:       "Pull a cache from a registry or an OCI layout",
		Annotations: map[string]string{exitKey: "4: no such tag; 5: anything damaged; 6: the registry refuses."},
		Example: `  context pull --cache build/context oci://ghcr.io/example/docs:v1
  context pull --cache build/context --force oci-layout:usb/caches:v1`,
		Args: oneReference,
		RunE: runOn(flags.run),
	}
	cmd.Flags().StringVar(&flags.dir, "cache", "", "create the cache at `DIR`")
	completeDirectories(cmd, "cache")
	cmd.Flags().BoolVar(&flags.replace, "force", false, "replace the cache if it exists")
	cmd.Flags().BoolVar(&flags.network.offline, "offline", false, "only use the store; the reference needs a digest")
	cmd.Flags().StringArrayVar(&flags.gates, "require", nil, "fail unless reports reach `MEASURE=MIN` (repeatable)")
	flags.network.bind(cmd)
	require(cmd, "cache")
	return cmd
}

func (f *pullFlags) run(cmd *cobra.Command, args []string) error {
	ref, err := parseRef(args[0])
	if err != nil {
		return err
	}
	if err := checkOutput(cmd, f.dir); err != nil {
		return err
	}
	client := f.network.client(cmd)
	if len(f.gates) > 0 {
		d, err := client.Resolve(cmd.Context(), ref)
		if err != nil {
			return err
		}
		ref = ref.At(d)
		if err := requireReports(cmd, client, ref, f.gates); err != nil {
			return err
		}
	}
	var finish func()
	client.Observe, finish = console.TransferOn(cmd.ErrOrStderr(), "pulling")
	stored, err := client.Pull(cmd.Context(), ref, f.dir, f.replace)
	finish()
	if err != nil {
		return err
	}
	return printTransfer(cmd, ref, stored.Artifact)
}

// requireReports fails with [fault.Stale] unless every report about a cache reaches its gates, and
// a report contains each of their measures.
func requireReports(cmd *cobra.Command, client *registry.Client, ref registry.ArtifactRef, gates []string) error {
	attached, err := client.Reports(cmd.Context(), ref)
	if err != nil {
		return err
	}
	var reports []*evaluation.Baseline
	var measured []string
	for i, data := range attached {
		report, err := evaluation.ParseBaseline(fmt.Sprintf("report %d of %s", i+1, ref), data)
		if err != nil {
			return fault.Errorf(fault.CacheInvalid, "%w", err)
		}
		reports = append(reports, report)
		for _, m := range report.Measures {
			measured = append(measured, m.Name)
		}
	}
	if len(reports) == 0 {
		return fault.Errorf(fault.Stale, "no report is attached to %s: push it with --report FILE", ref)
	}
	slices.Sort(measured)
	var required []evaluation.Gate
	for _, text := range gates {
		gate, err := evaluation.ParseGate(text, slices.Compact(measured))
		if err != nil {
			return usagef("--require %v", err)
		}
		required = append(required, gate)
	}
	for _, report := range reports {
		if err := report.Require(required); err != nil {
			return fault.Errorf(fault.Stale, "the report about %s is not good enough: %w", ref, err)
		}
	}
	return nil
}
