package cli

import (
	"bytes"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/request"
	"github.com/contextcompiler/context/selection"
)

func askCommand() *cobra.Command {
	var asked agent.AskRequest
	var asJSON bool
	cmd := onCaches(&cobra.Command{
		Use:   "ask [--cache DIR]... QUERY...",
		Short: "Print what answers a query, in Markdown",
		Example: `  context ask how do I install it
  context ask --cache build/context "what's new?"`,
		Args: atLeastOne("QUERY"),
	}, func(ctx context.Context, set *answers.Set, args []string) (commandOutput, error) {
		asked.Query = strings.Join(args, " ")
		if asJSON {
			data, err := resolveJSON(ctx, set, asked)
			return commandOutput{data: data}, err
		}
		return answered(agent.Ask(ctx, set, asked))
	})
	bindParameters(cmd, request.Ask(&asked, new(request.CacheScope))...)
	bindWord(cmd, &asJSON, "format", "markdown", "print `FORMAT`: markdown or json", flagWord[bool]{"markdown", false}, flagWord[bool]{"json", true})
	return cmd
}

// resolveJSON returns the answer of `context resolve`.
func resolveJSON(ctx context.Context, set *answers.Set, asked agent.AskRequest) ([]byte, error) {
	query, err := selection.ParseQuery(asked.Query)
	if err != nil {
		return nil, err
	}
	if len(asked.Have) > 0 {
		return nil, usagef("--have only works with Markdown: leave it out, or leave out --format json")
	}
	if asked.Code.IsOn() {
		return nil, usagef("--code only works with Markdown: leave it out, or leave out --format json")
	}
	if asked.MinScore == agent.AskMinScore {
		asked.MinScore = 0 // as resolve has it
	}
	var out bytes.Buffer
	err = set.Resolve(ctx, selection.Request{Query: query, Budget: uint64(asked.Budget), Filter: asked.Filter, MinScore: asked.MinScore, Discardable: true}, &out)
	return out.Bytes(), err
}
