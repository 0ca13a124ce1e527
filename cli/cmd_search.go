package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/request"
)

func searchCommand() *cobra.Command {
	var asked agent.SearchRequest
	cmd := onCaches(&cobra.Command{
		Use:        "search [--cache DIR]... QUERY...",
		Short:      "Find the sections that answer a query",
		SuggestFor: []string{"find", "query"},
		Example: `  context search how many retries by default
  context search --cache build/context -- --max-retries by default`,
		Args: atLeastOne("QUERY"),
	}, func(ctx context.Context, set *answers.Set, args []string) (commandOutput, error) {
		asked.Query = strings.Join(args, " ")
		return answered(agent.Search(ctx, set, asked))
	})
	bindParameters(cmd, request.Search(&asked, new(request.CacheScope))...)
	return cmd
}
