package cli

import (
	"bytes"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/agent"
	"github.com/contextcompiler/context/internal/console"
	"github.com/contextcompiler/context/internal/dotcontext"
	"github.com/contextcompiler/context/resolve"
)

// An asker answers from caches, in Markdown.
type asker func(ctx context.Context, set *resolve.Set, args []string) ([]byte, error)

// A layouter returns the layout of an answer, nil if that is JSON. It is called after the
// asker, so it knows what was asked.
type layouter func() console.Layout

// onCaches makes cmd a command that asks caches and prints the answer, as the tool of the
// same name does.
func onCaches(cmd *cobra.Command, layout layouter, ask asker) *cobra.Command {
	return onCachesOf(cmd, new(askedFlags), layout, ask)
}

// onCachesOf is onCaches for flags with other settings.
func onCachesOf(cmd *cobra.Command, flags *askedFlags, layout layouter, ask asker) *cobra.Command {
	flags.bind(cmd, "use the cache at `[NAME=]DIR` (repeatable)")
	cmd.GroupID = askGroup
	cmd.Long += "\n\n" + askedHelp
	cmd.RunE = runOn(func(cmd *cobra.Command, args []string) error {
		if err := checkAsked(cmd); err != nil {
			return err
		}
		hasProject := cmd.Flags().Changed("project")
		asked, err := flags.open(cmd, hasProject)
		if err != nil {
			return err
		}
		defer asked.close()
		answer, err := ask(cmd.Context(), asked.set, args)
		wrong, isWrong := errors.AsType[agent.ArgumentError](err)
		if err != nil && !isWrong {
			return asked.blame(cmd, err)
		}
		if len(answer) > 0 {
			if err := present(cmd, answer, layout()); err != nil {
				return err
			}
		}
		if isWrong { // read also prints the texts that it found
			return usagef("%s", wrong)
		}
		return nil
	})
	return cmd
}

// onCachesAndProject is onCaches for a command that may have a project, with or without
// caches. It sets project.
func onCachesAndProject(cmd *cobra.Command, project *agent.ProjectReader, layout layouter, ask asker) *cobra.Command {
	var path string
	onCaches(cmd, layout, func(ctx context.Context, set *resolve.Set, args []string) ([]byte, error) {
		if cmd.Flags().Changed("project") {
			if err := checkPath("project", path); err != nil {
				return nil, err
			}
			*project = dotcontext.ContextReader{Path: path}
		}
		return ask(ctx, set, args)
	})
	cmd.Flags().StringVar(&path, "project", "", "read the directory contexts of the project at `DIR`, too")
	completeDirectories(cmd, "project")
	return cmd
}

// checkAsked checks the flags that several commands share.
func checkAsked(cmd *cobra.Command) error {
	for _, flag := range []string{"budget", "max-tokens", "limit", "depth"} {
		n, err := cmd.Flags().GetInt(flag)
		if err != nil {
			continue // another command's
		}
		if flag == "depth" && n >= 0 && n <= agent.DeepestHeadings {
			continue
		}
		if flag == "depth" {
			return usagef("--depth is %d: want a number from 0 to %d", n, agent.DeepestHeadings)
		}
		if n < 1 {
			return usagef("--%s is %d: want a number above 0", flag, n)
		}
	}
	jobs, _ := cmd.Flags().GetInt("jobs") // 0 if it is another command's
	if err := checkJobs(jobs); err != nil {
		return err
	}
	paths, _ := cmd.Flags().GetStringArray("path")
	where, _ := cmd.Flags().GetStringArray("where")
	return checkFilter(resolve.Filter{Paths: paths, Where: where})
}

const cachesHelp = `Caches prints a line for each cache: its name, pages, sections, selection, version and
description. For up to 10 caches, two more lines list values that --path and --where can
take, with the number of pages: the folders with the most pages, and the keys of front
matter that have few values on many pages.`

func cachesCommand() *cobra.Command {
	return onCachesOf(&cobra.Command{
		Use:     "caches [--cache DIR]...",
		Short:   "Describe caches",
		Long:    cachesHelp,
		Example: "  context caches\n  context caches --cache build/context --cache api=build/api",
		Args:    noArguments,
	}, &askedFlags{namesAlone: true}, layoutOfList, func(ctx context.Context, set *resolve.Set, _ []string) ([]byte, error) {
		var out bytes.Buffer
		members := set.Members()
		for _, m := range members {
			if err := agent.Describe(ctx, &out, m, len(members) <= agent.MostInDetail); err != nil {
				return nil, err
			}
		}
		return out.Bytes(), nil
	})
}
