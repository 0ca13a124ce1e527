package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/request"
)

func grepCommand() *cobra.Command {
	var asked agent.GrepRequest
	var around int
	var cmd *cobra.Command
	cmd = onCaches(&cobra.Command{
		Use:   "grep [--cache DIR]... PATTERN",
		Short: "Print the lines that contain an exact text",
		Example: `  context grep --cache build/context -- --max-retries
  context grep --cache build/context -C 2 --regexp 'E[0-9]{4}'`,
		Args: onePattern,
	}, func(ctx context.Context, set *answers.Set, args []string) (commandOutput, error) {
		asked.Pattern = args[0]
		for flag, lines := range map[string]*int{"before-context": &asked.Before, "after-context": &asked.After} {
			if !cmd.Flags().Changed(flag) {
				*lines = around
			}
		}
		return answered(agent.Grep(ctx, set.Members(), asked))
	})
	flags := cmd.Flags()
	bindParameters(cmd, request.Grep(&asked, new(int), new(request.CacheScope))...)
	flags.Lookup("limit").DefValue = strconv.Itoa(agent.DefaultGrepLines)
	flags.IntVarP(&around, "context", "C", 0, "also print `N` lines before and after each matching line")
	flags.IntVarP(&asked.Before, "before-context", "B", 0, "print `N` lines before each matching line")
	flags.IntVarP(&asked.After, "after-context", "A", 0, "print `N` lines after each matching line")
	bindJobs(cmd, &asked.Jobs)
	return cmd
}

// onePattern requires exactly one pattern. It doesn't join words, because what follows a
// pattern is usually a path, as for other greps.
func onePattern(cmd *cobra.Command, args []string) error {
	if err := atLeastOne("PATTERN")(cmd, args); err != nil {
		return err
	}
	if len(args) > 1 {
		return usagef("unexpected argument %q: quote a PATTERN that contains spaces, or choose pages with --path GLOB", args[1])
	}
	return nil
}
