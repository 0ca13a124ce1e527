package cli

import (
	"bytes"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/agent"
	"github.com/contextcompiler/context/internal/console"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
)

const askHelp = `Ask prints the sections that answer a query best, in Markdown, for people and prompts. It
ends where the scores drop, and no page takes more than half of the budget. The texts
stand between marks that no text can forge. The line above a text contains its lines,
its version, its share of the best score, and the line that answers best. Below are the
handles of what else matches, and the versions of the caches: the same question to the
same caches gives the same bytes.

If the best section is larger than the budget, its best lines are printed instead. If it
lacks most of the question's words, the first line says so, and little follows.

With --format json it prints the JSON of ` + "`context resolve`" + `, which fills the budget.`

func askCommand() *cobra.Command {
	var request agent.AskRequest
	var asJSON bool
	cmd := onCaches(&cobra.Command{
		Use:   "ask [--cache DIR]... QUERY...",
		Short: "Print what answers a query, in Markdown",
		Long:  askHelp,
		Example: `  context ask how do I install it
  context ask --cache build/context "what's new?"`,
		Args: atLeastOne("QUERY"),
	}, func() console.Layout {
		if asJSON {
			return nil
		}
		return layoutOfTexts(request.Query)
	}, func(ctx context.Context, set *resolve.Set, args []string) ([]byte, error) {
		request.Query = strings.Join(args, " ")
		if asJSON {
			return resolveJSON(ctx, set, request)
		}
		return agent.Ask(ctx, set, request)
	})
	bindTokens(cmd, &request.Budget, "budget", "print at most `N` tokens of text")
	cmd.Flags().StringSliceVar(&request.Have, "have", nil, "leave out the texts with these `VERSIONS`, as an answer prints them (may be repeated)")
	bindFilter(cmd, &request.Filter)
	bindCode(cmd, &request.Code)
	bindMinScore(cmd, &request.MinScore, agent.AskMinScore)
	bindWord(cmd, &asJSON, "format", "markdown", "print `FORMAT`: markdown or json", word[bool]{"markdown", false}, word[bool]{"json", true})
	return cmd
}

// resolveJSON answers like `context resolve`.
func resolveJSON(ctx context.Context, set *resolve.Set, request agent.AskRequest) ([]byte, error) {
	query, err := selection.ParseQuery(request.Query)
	if err != nil {
		return nil, err
	}
	if len(request.Have) > 0 {
		return nil, usagef("--have is for Markdown: leave it out, or --format json")
	}
	if request.Code.IsOn() {
		return nil, usagef("--code is for Markdown: leave it out, or --format json")
	}
	if request.MinScore == agent.AskMinScore {
		request.MinScore = 0 // as resolve has it
	}
	var out bytes.Buffer
	err = set.Resolve(ctx, resolve.Request{Query: query, Budget: uint64(request.Budget), Filter: request.Filter, MinScore: request.MinScore, Discardable: true}, &out)
	return out.Bytes(), err
}
