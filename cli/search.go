package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/agent"
	"github.com/contextcompiler/context/resolve"
)

const searchHelp = `Search finds the sections that answer a query best: for each a handle, its headings, its
size, its score, and the sentence that answers best. ` + "`context read`" + ` prints the text of a
handle. Words of the query that no section has are named.`

func searchCommand() *cobra.Command {
	var request agent.SearchRequest
	cmd := onCaches(&cobra.Command{
		Use:        "search [--cache DIR]... QUERY",
		Short:      "Find the sections that answer a query",
		SuggestFor: []string{"find", "query"},
		Long:       searchHelp,
		Example:    `  context search --cache build/context "how many retries by default"`,
		Args:       oneArgument("QUERY"),
	}, func(ctx context.Context, set *resolve.Set, args []string) ([]byte, error) {
		request.Query = args[0]
		if request.Limit < 1 {
			return nil, usagef("--limit is %d: want 1 or more", request.Limit)
		}
		return agent.Search(ctx, set, request)
	})
	cmd.Flags().IntVar(&request.Limit, "limit", agent.DefaultLimit, "print at most `N` sections")
	bindFilter(cmd, &request.Filter)
	bindMinScore(cmd, &request.MinScore, agent.SearchMinScore)
	return cmd
}

// oneArgument refuses a command line that has not exactly one argument.
func oneArgument(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usagef("%s is missing", name)
		case len(args) > 1:
			return usagef("%d arguments: want one %s; quote it if it has spaces", len(args), name)
		}
		return nil
	}
}
