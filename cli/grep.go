package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/agent"
	"github.com/contextcompiler/context/resolve"
)

const grepHelp = `Grep prints the lines of pages that have an exact text: a flag, an error code, a name. Above
the lines stands the ID of their section, for ` + "`context read`" + `.`

func grepCommand() *cobra.Command {
	var request agent.GrepRequest
	cmd := onCaches(&cobra.Command{
		Use:   "grep [--cache DIR]... PATTERN",
		Short: "Print the lines that have an exact text",
		Long:  grepHelp,
		Example: `  context grep --cache build/context -- --max-retries
  context grep --cache build/context --regexp 'E[0-9]{4}'`,
		Args: oneArgument("PATTERN"),
	}, func(ctx context.Context, set *resolve.Set, args []string) ([]byte, error) {
		request.Pattern = args[0]
		found, err := agent.Grep(ctx, set.Members(), request)
		if err != nil {
			return nil, err
		}
		return found.Markdown(), nil
	})
	flags := cmd.Flags()
	flags.BoolVarP(&request.IsRegexp, "regexp", "E", false, "take PATTERN for a regular expression of RE2")
	flags.BoolVarP(&request.IgnoreCase, "ignore-case", "i", false, "let upper and lower case match each other")
	flags.IntVar(&request.Limit, "limit", agent.DefaultGrepLines, "print at most `N` lines")
	bindFilter(cmd, &request.Filter)
	bindJobs(cmd, &request.Jobs)
	return cmd
}
