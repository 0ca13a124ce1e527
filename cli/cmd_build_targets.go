package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/project/targets"
	"github.com/contextcompiler/context/pipeline"
)

func buildTargets(cmd *cobra.Command, chosen []targets.Target, flags *buildFlags) error {
	for _, t := range chosen {
		if err := keepOut("profile", flags.profile, t.Build.Cache); err != nil {
			return err
		}
	}
	defer boundMemory()()
	profile, err := createProfile(flags.profile)
	if err != nil {
		return err
	}
	bar := console.ProgressOn(cmd.ErrOrStderr())
	cfgs := configsOf(chosen, flags.cfg)
	for i := range cfgs {
		cfgs[i].Observer = profile.watch(chosen[i].Name, bar.Of(i))
	}
	table := tableOn(cmd, "Target", "Documents", "Added", "Changed", "Removed", "Result", "Cache")
	failed := eachTarget(cmd, chosen, flags.keepGoing, targets.BuildEach(cmd.Context(), flags.cfg.Jobs, chosen, cfgs),
		func(t targets.Target, built pipeline.Report, err error) error {
			bar.Clear()
			warnOfFiles(cmd, t.Name+": ", built.Warnings)
			r := buildReportOf(t, built)
			switch {
			case err != nil:
				return cmp.Or(table.row(failureOf(t, err), t.Name, "", "", "", "", "failed", t.Build.Cache), err)
			case built.Written:
				return table.row(r, t.Name, r.DocumentCount, r.Added, r.Changed, r.Removed, "built", r.Cache)
			}
			return table.row(r, t.Name, r.DocumentCount, 0, 0, 0, "up to date", r.Cache)
		})
	bar.Clear()
	return cmp.Or(failed, table.print(), profile.close())
}

// compareTargets compares the caches of targets with the results of a build.
func compareTargets(cmd *cobra.Command, chosen []targets.Target, common pipeline.Config) error {
	cfgs := configsOf(chosen, common)
	table := tableOn(cmd, "Target", "Added", "Changed", "Removed", "Remade", "Result", "Cache")
	const keepGoing = true // it writes nothing
	failed := eachTarget(cmd, chosen, keepGoing, targets.CheckEach(cmd.Context(), common.Jobs, chosen, cfgs),
		func(t targets.Target, compared pipeline.Comparison, err error) error {
			warnOfFiles(cmd, t.Name+": ", compared.Warnings)
			if err != nil {
				return cmp.Or(table.row(failureOf(t, err), t.Name, "", "", "", "", "failed", t.Build.Cache), err)
			}
			r, d := comparisonReportOf(t, compared), compared.Changes
			result := "up to date"
			if !compared.IsUpToDate() {
				result = "out of date"
			}
			return cmp.Or(
				table.row(r, t.Name, len(d.Added), len(d.Changed), len(d.Removed), len(d.Remade), result, r.Cache),
				targets.Staleness(t.Build, compared),
			)
		})
	return cmp.Or(failed, table.print())
}

func configsOf(chosen []targets.Target, common pipeline.Config) (cfgs []pipeline.Config) {
	for _, t := range chosen {
		cfg := t.Build
		cfg.NoReuse, cfg.AllowEmpty, cfg.CreatedAt, cfg.Shard = common.NoReuse, common.AllowEmpty, common.CreatedAt, common.Shard
		cfgs = append(cfgs, cfg)
	}
	return cfgs
}
