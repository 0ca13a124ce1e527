package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/selection"
)

type explainFlags struct {
	resolveFlags
	others int
	format explanationFormat
}

type explanationFormat func(selection.Request, selection.Explanation) []byte

func explainCommand() *cobra.Command {
	var typed explainFlags
	cmd := &cobra.Command{
		Use:        "explain [--cache DIR]... [--query STRING | QUERY...]",
		Short:      "Explain why sections are selected for a query, or not",
		SuggestFor: []string{"why"},
		Example: `  context explain how to install
  context explain --cache build/context --query "how to install" --budget 4000`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch hasFlag := cmd.Flags().Changed("query"); {
			case hasFlag && len(args) > 0:
				return usagef("give the query once, as --query or as QUERY")
			case !hasFlag && len(args) == 0:
				return usagef("missing QUERY")
			}
			return nil
		},
		RunE: runOn(func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				typed.query = strings.Join(args, " ")
			}
			return explain(cmd, &typed)
		}),
	}
	bindQuestion(cmd, &typed.resolveFlags, "2000")
	bindWord(cmd, &typed.format, "format", "table", "print `FORMAT`: json (one line) or table",
		flagWord[explanationFormat]{"json", encodeExplanation},
		flagWord[explanationFormat]{"table", console.TabulateExplanation})
	bindNumber(cmd, &typed.others, "others", 10, "print up to `N` items that were not chosen")
	return cmd
}

func explain(cmd *cobra.Command, typed *explainFlags) error {
	request, err := typed.parse(cmd)
	if err != nil {
		return err
	}
	asked, err := typed.open(cmd)
	if err != nil {
		return err
	}
	defer asked.close()
	explained, err := asked.set.Explain(cmd.Context(), request, typed.others)
	if err != nil {
		return asked.blame(cmd, flagError(err))
	}
	return print(cmd, typed.format(request, explained))
}

// An explanationReport is the JSON output of explain.
type explanationReport struct {
	Query      string                    `json:"query"`
	Selection  int                       `json:"selection"`
	Unit       string                    `json:"unit"`
	Budget     uint64                    `json:"budget"`
	TokensUsed uint64                    `json:"tokens_used"`
	Considered int                       `json:"considered"`
	Matching   int                       `json:"matching"`
	Terms      []selection.ExplainedTerm `json:"terms"`
	Confidence *selection.Confidence     `json:"confidence,omitzero"`
	Items      []selection.ExplainedItem `json:"items"`
}

func encodeExplanation(r selection.Request, x selection.Explanation) []byte {
	return append(wire.Marshal(explanationReport{
		Query:      r.Query.Text(),
		Selection:  x.Selection.Number(),
		Unit:       console.UnitName(x.Unit),
		Budget:     r.Budget,
		TokensUsed: x.TokensUsed,
		Considered: x.Considered,
		Matching:   x.Matching,
		Terms:      x.Terms,
		Confidence: x.Confidence,
		Items:      x.Items,
	}), '\n')
}
