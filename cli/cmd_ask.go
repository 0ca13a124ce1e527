package cli

import (
	"bytes"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/selection"
)

func askCommand() *cobra.Command {
	var request agent.AskRequest
	var asJSON bool
	cmd := onCaches(&cobra.Command{
		Use:   "ask [--cache DIR]... QUERY...",
		Short: "Print what answers a query, in Markdown",
		Example: `  context ask how do I install it
  context ask --cache build/context "what's new?"`,
		Args: atLeastOne("QUERY"),
	}, func() console.Highlighter {
		if asJSON {
			return nil
		}
		return console.HighlightTexts(request.Query)
	}, func(ctx context.Context, set *answers.Set, args []string) ([]byte, error) {
		request.Query = strings.Join(args, " ")
		if asJSON {
			return resolveJSON(ctx, set, request)
		}
		return agent.Ask(ctx, set, request)
	})
	bindTokens(cmd, &request.Budget, "budget", "print at most `N` tokens of text")
	cmd.Flags().StringSliceVar(&request.Have, "have", nil, "leave out texts with these `VERSIONS` (repeatable)")
	bindFilter(cmd, &request.Filter)
	bindCode(cmd, &request.Code)
	bindMinScore(cmd, &request.MinScore, agent.AskMinScore)
	bindWord(cmd, &asJSON, "format", "markdown", "print `FORMAT`: markdown or json", flagWord[bool]{"markdown", false}, flagWord[bool]{"json", true})
	return cmd
}

// resolveJSON returns the answer of `context resolve`.
func resolveJSON(ctx context.Context, set *answers.Set, request agent.AskRequest) ([]byte, error) {
	query, err := selection.ParseQuery(request.Query)
	if err != nil {
		return nil, err
	}
	if len(request.Have) > 0 {
		return nil, usagef("--have only works with Markdown: leave it out, or leave out --format json")
	}
	if request.Code.IsOn() {
		return nil, usagef("--code only works with Markdown: leave it out, or leave out --format json")
	}
	if request.MinScore == agent.AskMinScore {
		request.MinScore = 0 // as resolve has it
	}
	var out bytes.Buffer
	err = set.Resolve(ctx, selection.Request{Query: query, Budget: uint64(request.Budget), Filter: request.Filter, MinScore: request.MinScore, Discardable: true}, &out)
	return out.Bytes(), err
}
