package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/wire"
	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/resolve"
)

const explainHelp = `Explain asks a cache as resolve does. It prints the chosen items and the best of
the others. For each it prints its rank, its score, the part of each term of the
query in the score, where the term is found, and a verdict:

  chosen     resolve prints it
  too large  for the rest of the budget
  duplicate  another item with the same words was chosen
  not tried  the budget was full, or too many items in a row were too large

In selection 0 a single term has no part: the score is the share of words that
are terms.`

// explainFlags are the flags of explain.
type explainFlags struct {
	resolveFlags
	others int
	format explanationFormat
}

type explanationFormat func(resolve.Request, resolve.Explanation) []byte

func explainCommand() *cobra.Command {
	var typed explainFlags
	cmd := &cobra.Command{
		Use:        "explain [--cache DIR]... [--query STRING | QUERY...]",
		Short:      "Say why documents are selected for a query, or not",
		SuggestFor: []string{"why"},
		GroupID:    cacheGroup,
		Long:       explainHelp + "\n\n" + askedHelp,
		Example: `  context explain how to install
  context explain --cache build/context --query "how to install" --budget 4000`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch hasFlag := cmd.Flags().Changed("query"); {
			case hasFlag && len(args) > 0:
				return usagef("give the query once, as --query or as QUERY")
			case !hasFlag && len(args) == 0:
				return usagef("QUERY is missing")
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
	bindWord(cmd, &typed.format, "format", "table", "print `FORMAT`: json (one line), pretty (indented) or table",
		word[explanationFormat]{"json", encodeExplanation(wire.Marshal)},
		word[explanationFormat]{"pretty", encodeExplanation(wire.MarshalIndent)},
		word[explanationFormat]{"table", tabulateExplanation})
	cmd.Flags().IntVar(&typed.others, "others", 10, "print up to `N` items that were not chosen")
	return cmd
}

func explain(cmd *cobra.Command, typed *explainFlags) error {
	if typed.others < 0 {
		return usagef("--others is %d: want an integer of 0 or more", typed.others)
	}
	request, err := typed.parse(cmd)
	if err != nil {
		return err
	}
	asked, err := typed.cache.open(cmd)
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

// unitNames are the units as --unit has them.
var unitNames = map[resolve.Unit]string{resolve.Documents: "document", resolve.Sections: "section"}

// An explanation is the output of explain as JSON.
type explanation struct {
	Query      string                  `json:"query"`
	Selection  int                     `json:"selection"`
	Unit       string                  `json:"unit"`
	Budget     uint64                  `json:"budget"`
	TokensUsed uint64                  `json:"tokens_used"`
	Considered int                     `json:"considered"`
	Matching   int                     `json:"matching"`
	Terms      []resolve.ExplainedTerm `json:"terms"`
	Confidence *resolve.Confidence     `json:"confidence,omitzero"`
	Items      []resolve.ExplainedItem `json:"items"`
}

func encodeExplanation(marshal func(any) []byte) explanationFormat {
	return func(r resolve.Request, x resolve.Explanation) []byte {
		return append(marshal(explanation{
			Query:      r.Query.Text(),
			Selection:  x.Selection.Number(),
			Unit:       unitNames[x.Unit],
			Budget:     r.Budget,
			TokensUsed: x.TokensUsed,
			Considered: x.Considered,
			Matching:   x.Matching,
			Terms:      x.Terms,
			Confidence: x.Confidence,
			Items:      x.Items,
		}), '\n')
	}
}

// tabulateExplanation returns one line per item, and its evidence below it.
func tabulateExplanation(request resolve.Request, x resolve.Explanation) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "selection %s of %ss: %d of %d can be chosen, %d of %d tokens are used\n",
		x.Selection, unitNames[x.Unit], x.Matching, x.Considered, x.TokensUsed, request.Budget)
	for _, t := range x.Terms {
		text := words.Printable(t.Text)
		if len(t.Near) > 0 {
			text += " (no section has it: " + words.Printable(strings.Join(t.Near, ", ")) + ")"
		}
		fmt.Fprintf(&b, "  %s: in %d sections, worth up to %s\n", text, t.Sections, t.MaxScore)
	}
	if x.Confidence != nil {
		writeConfidence(&b, *x.Confidence)
	}
	b.WriteByte('\n')
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RANK\tVERDICT\tSCORE\tTOKENS\tID")
	for _, item := range x.Items {
		fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%s\n", item.Rank, item.Verdict, item.Score, item.Tokens, words.Printable(string(item.ID)))
		for _, found := range item.Evidence {
			fmt.Fprintf(table, "\t\t%s\t\t  %s\n", cmp.Or(found.Adds, "-"), describeEvidence(found))
		}
		if item.DuplicateOf != "" {
			fmt.Fprintf(table, "\t\t\t\t  says the same as %s\n", words.Printable(string(item.DuplicateOf)))
		}
	}
	table.Flush()
	return []byte(b.String())
}

// writeConfidence writes how much of the query the best sections cover, and what is lacking.
func writeConfidence(b *strings.Builder, c resolve.Confidence) {
	if len(c.Sections) == 0 {
		return
	}
	fmt.Fprintf(b, "weak: %s; the best sections cover", yesOrNo(c.IsWeak))
	for i, s := range c.Sections {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, " %s of the query (%s)", s.Covered, words.Printable(string(s.ID)))
	}
	b.WriteByte('\n')
	for _, list := range []struct {
		name  string
		words []string
	}{{"lacking", c.Lacks}, {"words to try", c.Try}} {
		if len(list.words) > 0 {
			fmt.Fprintf(b, "  %s: %s\n", list.name, words.Printable(strings.Join(list.words, ", ")))
		}
	}
}

// descriptions are the kinds of evidence in words.
var descriptions = map[string]string{
	resolve.SentenceEvidence:   "in the best sentence",
	resolve.AboutEvidence:      "in the best heading",
	resolve.TitleEvidence:      "the query is the title of the page",
	resolve.HeadingEvidence:    "the query is a heading",
	resolve.DefinitionEvidence: "a sentence defines what the query names",
}

// describeEvidence says in words what a part of a score is for.
func describeEvidence(found resolve.Evidence) string {
	terms := words.Printable(strings.Join(found.Terms, " "))
	if description := descriptions[found.Kind]; description != "" {
		return strings.TrimPrefix(terms+": "+description, ": ")
	}
	var where []string
	if found.Body > 0 {
		where = append(where, "body "+strconv.Itoa(found.Body))
	}
	if found.Heading {
		where = append(where, "heading")
	}
	if found.Path {
		where = append(where, "path")
	}
	return terms + ": " + strings.Join(where, ", ")
}
