package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/caches/merge"
)

func mergeCommand() *cobra.Command {
	var typed mergeFlags
	cmd := &cobra.Command{
		Use:   "merge [PREFIX=]CACHE... --cache DIR",
		Short: "Make a single cache of several caches",
		Example: "  context merge shards/* --cache build/context\n" +
			"  context merge guide=guide/cache api/v2=api/cache --cache build/context --force",
		Annotations: map[string]string{exitKey: "4: a cache is missing; 5: invalid, or not mergeable."},
		SuggestFor:  []string{"join", "combine", "union"},
		Args:        atLeastOne("caches to merge"),
		RunE:        runOn(typed.run),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&typed.plan.Cache, "cache", "", "make the cache at `DIR`")
	flags.BoolVar(&typed.plan.Force, "force", false, "replace an existing cache")
	flags.BoolVar(&typed.plan.NoVerify, "no-verify", false, "trust the indexes of the caches, for example after a build")
	flags.BoolVar(&typed.plan.AllowEmpty, "allow-empty", false, "let an empty cache replace a cache with documents")
	typed.about.bind(cmd)
	bindJobs(cmd, &typed.plan.Jobs)
	require(cmd, "cache")
	completeDirectories(cmd, "cache")
	return cmd
}

type mergeFlags struct {
	plan  merge.Plan
	about aboutFlags
}

func (typed *mergeFlags) run(cmd *cobra.Command, args []string) (err error) {
	plan := &typed.plan
	if err := checkOutput(cmd, plan.Cache); err != nil {
		return err
	}
	if len(args) > merge.MaxInputs {
		return usagef("%d caches are too many to merge at once: merge at most %d at a time, and then the results", len(args), merge.MaxInputs)
	}
	for _, arg := range args {
		if arg == "" {
			return usagef("the path of a cache is empty: name a directory")
		}
		m, err := parsePrefixed("merge", arg)
		if err != nil {
			return err
		}
		if m.Dir, err = localCache(cmd, m.Dir); err != nil {
			return err
		}
		plan.Inputs = append(plan.Inputs, merge.Input{Path: m.Dir, Prefix: m.Prefix})
	}
	if plan.CreatedAt, err = createdAt(); err != nil {
		return err
	}
	about, err := typed.about.parse()
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("description") {
		plan.Description = &about.Description
	}
	if cmd.Flags().Changed("base-url") {
		plan.BaseURL = &about.BaseURL
	}
	if cmd.Flags().Changed("product") {
		plan.Product = &about.Product
	}
	defer boundMemory()()
	m, err := merge.Caches(cmd.Context(), *plan)
	if err != nil {
		return err
	}
	if err := printJSON(cmd, mergeReport{m.Version, m.DocumentCount, m.Selection, len(args)}); err != nil {
		return fmt.Errorf("the cache is complete, but its report is not: %w", err)
	}
	return nil
}

// A mergeReport is the output of merge.
type mergeReport struct {
	CacheVersion  document.Version `json:"cache_version"`
	DocumentCount int64            `json:"document_count"`
	Selection     int              `json:"selection"`
	Merged        int              `json:"merged"` // caches
}
