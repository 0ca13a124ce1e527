package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/request"
)

func readCommand() *cobra.Command {
	var asked agent.ReadRequest
	cmd := onCachesAndProject(&cobra.Command{
		Use:        "read [--cache DIR]... [--project DIR] REFERENCE...",
		Short:      "Print sections and pages unchanged",
		SuggestFor: []string{"cat", "get"},
		Example: `  context read --cache build/context guide/setup.md#install
  context read --cache build/context guide/setup:12-40 412kpqxz.3..
  context read --project . project:src/api`,
		Args: atLeastOne("REFERENCE"),
	}, &asked.Project, func(ctx context.Context, set *answers.Set, args []string) (commandOutput, error) {
		asked.References = args
		return answered(agent.Read(ctx, set, asked))
	})
	bindParameters(cmd, request.Read(&asked, new(request.CacheScope))...)
	return cmd
}
