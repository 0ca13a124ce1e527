package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/author/console"
)

func searchCommand() *cobra.Command {
	var request agent.SearchRequest
	cmd := onCaches(&cobra.Command{
		Use:        "search [--cache DIR]... QUERY...",
		Short:      "Find the sections that answer a query",
		SuggestFor: []string{"find", "query"},
		Example: `  context search how many retries by default
  context search --cache build/context -- --max-retries by default`,
		Args: atLeastOne("QUERY"),
	}, func() console.Highlighter { return console.HighlightHits(request.Query) }, func(ctx context.Context, set *answers.Set, args []string) ([]byte, error) {
		request.Query = strings.Join(args, " ")
		if request.Limit < 1 {
			return nil, usagef("--limit: expected 1 or more, got %d", request.Limit)
		}
		return agent.Search(ctx, set, request)
	})
	cmd.Flags().IntVar(&request.Limit, "limit", agent.DefaultLimit, "print at most `N` sections")
	bindFilter(cmd, &request.Filter)
	bindCode(cmd, &request.Code)
	bindMinScore(cmd, &request.MinScore, agent.SearchMinScore)
	return cmd
}
