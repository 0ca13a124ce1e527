package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/contexts/dotcontext"
)

// An asker answers a question from caches.
type asker func(ctx context.Context, set *answers.Set, args []string) (commandOutput, error)

// onCaches turns cmd into a command for asking caches. It prints the same answer as the
// tool of the same name.
func onCaches(cmd *cobra.Command, ask asker) *cobra.Command {
	return onCachesOf(cmd, new(askedFlags), ask)
}

func onCachesOf(cmd *cobra.Command, flags *askedFlags, ask asker) *cobra.Command {
	flags.bind(cmd, "use the cache at `[NAME=]DIR` (repeatable)")
	bindProduct(cmd, &flags.product)
	cmd.RunE = runOn(func(cmd *cobra.Command, args []string) error {
		postponeCollection()
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
		if err := present(cmd, answer); err != nil {
			return err
		}
		if isWrong { // read also prints the texts it found
			return usagef("%s", wrong)
		}
		return nil
	})
	return cmd
}

// onCachesAndProject is onCaches for a command on caches, a project, or both. It sets
// project.
func onCachesAndProject(cmd *cobra.Command, project *agent.ProjectReader, ask asker) *cobra.Command {
	var path string
	onCaches(cmd, func(ctx context.Context, set *answers.Set, args []string) (commandOutput, error) {
		if cmd.Flags().Changed("project") {
			*project = dotcontext.ContextReader{Path: path}
		}
		return ask(ctx, set, args)
	})
	cmd.Flags().StringVar(&path, "project", "", "also read the directory contexts of the project at `DIR`")
	completeDirectories(cmd, "project")
	return cmd
}
