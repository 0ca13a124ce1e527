package cli

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
)

const resolveHelp = `Resolve prints the documents of a cache that answer a query best and fit a token
budget, as JSON.

By selection 0, a document's score is the share of its words that are words of
the query, in lower case. Documents are tried from the highest score down, equal
ones by ID; one that does not fit the budget is passed over. Four bytes count as a
token. By selection 1, for which a cache is built with --selection 1, sections are
ranked by BM25F, and only those that have words of the query are printed. Any
cache can be asked by either; the one that it was built for is faster.

Every document that is printed has been checked against the manifest before.
--verify checks all of the cache first, as ` + "`context verify`" + ` does.`

// formats are the values of --format: whether it is the pretty one.
var formats = map[string]bool{"json": false, "pretty": true}

// resolveFlags are the flags of resolve as they were typed.
type resolveFlags struct {
	cache, query, budget, format string
	selection, unit              string
	jobs                         int
	verify                       bool
}

func resolveCommand() *cobra.Command {
	var typed resolveFlags
	cmd := &cobra.Command{
		Use:        "resolve --cache DIR --query STRING --budget N",
		Short:      "Select the documents that answer a query within a token budget",
		SuggestFor: []string{"ask", "find", "get", "query", "search", "select"},
		GroupID:    cacheGroup,
		Long:       resolveHelp,
		Example:    `  context resolve --cache build/context --query "how to install" --budget 4000 --format pretty`,
		Args:       noArguments,
		RunE:       run(func(cmd *cobra.Command) error { return runResolve(cmd, typed) }),
	}
	bindQuestion(cmd, &typed)
	flags := cmd.Flags()
	flags.StringVar(&typed.format, "format", "json", "print `FORMAT`: json (one line) or pretty (indented)")
	flags.BoolVar(&typed.verify, "verify", false, "check the whole cache first")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"json", "pretty"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runResolve(cmd *cobra.Command, typed resolveFlags) error {
	request, err := typed.request()
	if err != nil {
		return err
	}
	var known bool
	if request.Pretty, known = formats[typed.format]; !known {
		return usagef("--format is %q: want json or pretty", typed.format)
	}
	c, err := resolve.Open(typed.cache)
	if err != nil {
		return err
	}
	defer c.Close()
	if typed.verify {
		if err := c.Verify(cmd.Context(), typed.jobs); err != nil {
			return err
		}
	}
	return flagError(c.Resolve(cmd.Context(), request, cmd.OutOrStdout()))
}

// request checks the flags that say what is asked.
func (typed resolveFlags) request() (resolve.Request, error) {
	if err := cmp.Or(checkPath("cache", typed.cache), checkJobs(typed.jobs)); err != nil {
		return resolve.Request{}, err
	}
	query, err := selection.ParseQuery(typed.query)
	if err != nil {
		return resolve.Request{}, err
	}
	budget, err := parseBudget(typed.budget)
	if err != nil {
		return resolve.Request{}, err
	}
	request := resolve.Request{Query: query, Budget: budget, Jobs: typed.jobs}
	request.Selection, request.Unit, err = parseMethod(typed.selection, typed.unit)
	return request, err
}

// parseBudget parses a --budget. One "+" may stand before the digits.
func parseBudget(typed string) (uint64, error) {
	budget, err := strconv.ParseUint(strings.TrimPrefix(typed, "+"), 10, 64)
	if err != nil {
		return 0, fault.Errorf(fault.InvalidBudget, "--budget is %q: want an integer of 0 or more, of at most 64 bits", typed)
	}
	return budget, nil
}

// bindQuestion adds the flags that say what is asked of which cache.
func bindQuestion(cmd *cobra.Command, typed *resolveFlags) {
	bindCache(cmd, &typed.cache)
	flags := cmd.Flags()
	flags.StringVar(&typed.query, "query", "", "select for `STRING`; it may be empty")
	flags.StringVar(&typed.budget, "budget", "", "select at most `N` tokens of 4 bytes")
	bindMethod(cmd, &typed.selection, &typed.unit)
	bindJobs(cmd, &typed.jobs)
	require(cmd, "query", "budget")
}

// bindMethod adds the flags that say how to select.
func bindMethod(cmd *cobra.Command, selection, unit *string) {
	flags := cmd.Flags()
	flags.StringVar(selection, "selection", "", "select by selection `N`: 0 or 1 (default: the one that the cache was built for)")
	flags.StringVar(unit, "unit", "", "select `UNIT`: document or section (default: section for selection 1, else document)")
	completeSelection(cmd)
	cmd.RegisterFlagCompletionFunc("unit", cobra.FixedCompletions([]string{"document", "section"}, cobra.ShellCompDirectiveNoFileComp))
}

// flagError says which flag asks for what a cache cannot answer.
func flagError(err error) error {
	if errors.Is(err, resolve.ErrUnit) {
		return usagef("--unit section: %s: add --selection 1, or build the cache with it", err)
	}
	return err
}

// parseMethod parses --selection and --unit, which may be empty.
func parseMethod(typedSelection, typedUnit string) (s resolve.Selection, u resolve.Unit, err error) {
	if typedSelection != "" {
		n, err := parseSelection(typedSelection)
		if err != nil {
			return s, u, err
		}
		s = resolve.Selection0 + resolve.Selection(n)
	}
	switch typedUnit {
	case "":
	case "document":
		u = resolve.Documents
	case "section":
		u = resolve.Sections
	default:
		return s, u, usagef("--unit is %q: want document or section", typedUnit)
	}
	return s, u, nil
}
