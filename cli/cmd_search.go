package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/request"
	"github.com/contextcompiler/context/internal/author/console"
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
	}, func() console.Highlighter { return console.HighlightHits(asked.Query) }, func(ctx context.Context, set *answers.Set, args []string) ([]byte, error) {
		asked.Query = strings.Join(args, " ")
		return agent.Search(ctx, set, asked)
	})
	bindParameters(cmd, request.Search(&asked, new(request.CacheScope))...)
	return cmd
}
