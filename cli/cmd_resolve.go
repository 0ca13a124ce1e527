package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
)

const resolveHelp = `Resolve prints what answers a query best in a cache and fits a token budget, as JSON.
A token is 4 bytes.

Selection 1, the usual one, ranks sections by BM25F and leaves out sections without
words of the query. Selection 0 takes whole documents: the score of a document is
the share of its words that are words of the query, in lower case. Both go from the
highest score down and pass over what does not fit the budget. Every cache answers
both; it answers the one that it was built for faster (see ` + "`context build --selection`" + `).

Resolve checks every document against the manifest before it prints it. --verify
checks the whole cache first, like ` + "`context verify`" + `.`

// resolveFlags are the flags of resolve.
type resolveFlags struct {
	cache         cacheFlags
	query, budget string
	request       resolve.Request // without query and budget
	verify        bool
}

func resolveCommand() *cobra.Command {
	var typed resolveFlags
	cmd := &cobra.Command{
		Use:        "resolve [--cache DIR] --query STRING --budget N",
		Short:      "Select the sections that answer a query within a token budget",
		SuggestFor: []string{"select"},
		GroupID:    cacheGroup,
		Long:       resolveHelp + "\n\n" + askedHelp,
		Example:    `  context resolve --cache build/context --query "how to install" --budget 4000 --format pretty`,
		Args:       noArguments,
		RunE:       run(func(cmd *cobra.Command) error { return runResolve(cmd, &typed) }),
	}
	bindQuestion(cmd, &typed, "")
	require(cmd, "query", "budget")
	bindWord(cmd, &typed.request.Pretty, "format", "json", "print `FORMAT`: json (one line) or pretty (indented)",
		word[bool]{"json", false}, word[bool]{"pretty", true})
	cmd.Flags().BoolVar(&typed.verify, "verify", false, "check the whole cache first")
	return cmd
}

func runResolve(cmd *cobra.Command, typed *resolveFlags) error {
	request, err := typed.parse(cmd)
	if err != nil {
		return err
	}
	asked, err := typed.cache.open(cmd)
	if err != nil {
		return err
	}
	defer asked.close()
	if typed.verify {
		for _, m := range asked.members {
			if err := m.Verify(cmd.Context(), request.Jobs); err != nil {
				return asked.blame(cmd, err)
			}
		}
	}
	return asked.blame(cmd, flagError(asked.set.Resolve(cmd.Context(), request, cmd.OutOrStdout())))
}

// parse returns the request of the flags, and chooses the caches.
func (typed *resolveFlags) parse(cmd *cobra.Command) (request resolve.Request, err error) {
	request = typed.request
	if err := cmp.Or(typed.cache.choose(cmd), checkJobs(request.Jobs), checkFilter(request.Filter)); err != nil {
		return request, err
	}
	if request.Query, err = selection.ParseQuery(typed.query); err != nil {
		return request, err
	}
	request.Budget, err = parseBudget(typed.budget)
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

// bindQuestion binds the flags that resolve and explain share. The budget is that one
// unless the flag is given.
func bindQuestion(cmd *cobra.Command, typed *resolveFlags, budget string) {
	typed.cache.bind(cmd)
	flags := cmd.Flags()
	flags.StringVar(&typed.query, "query", "", "select for `STRING`; it may be empty")
	flags.StringVar(&typed.budget, "budget", budget, "select at most `N` tokens of 4 bytes")
	bindMethod(cmd, &typed.request)
	bindJobs(cmd, &typed.request.Jobs)
}

// bindMethod binds the flags of the selection and its unit.
func bindMethod(cmd *cobra.Command, request *resolve.Request) {
	bindWord(cmd, &request.Selection, "selection", "", "select by selection `N`: 0 or 1 (default: the one that the cache was built for)",
		word[selection.Spec]{"0", selection.Spec0}, word[selection.Spec]{"1", selection.Spec1})
	bindWord(cmd, &request.Unit, "unit", "", "select `UNIT`: document or section (default: section for selection 1, else document)",
		word[resolve.Unit]{"document", resolve.Documents}, word[resolve.Unit]{"section", resolve.Sections})
	bindFilter(cmd, &request.Filter)
	bindMinScore(cmd, &request.MinScore, 0)
}

// bindFilter binds the flags that say which pages may be chosen.
func bindFilter(cmd *cobra.Command, filter *resolve.Filter) {
	cmd.Flags().StringArrayVar(&filter.Paths, "path", nil,
		"choose only pages that match `GLOB`, as in .gitignore; !GLOB excludes (repeatable)")
	cmd.RegisterFlagCompletionFunc("path", fromCaches(completePath))
	cmd.Flags().StringArrayVar(&filter.Where, "where", nil,
		"choose only pages with `KEY=VALUE` in their front matter (repeatable)")
}

// bindMinScore binds the flag for the least score.
func bindMinScore(cmd *cobra.Command, share *uint32, byDefault uint32) {
	*share = byDefault
	cmd.Flags().Var((*shareFlag)(share), "min-score", "leave out what scores below `SHARE` of the best, from 0 to 1")
}

// checkFilter refuses patterns and fields that no page can match.
func checkFilter(filter resolve.Filter) error {
	for _, p := range filter.Paths {
		if strings.TrimSpace(strings.TrimPrefix(p, "!")) == "" || strings.ContainsAny(p, "\n\x00") {
			return usagef("--path is %q: want a pattern such as 'guide/**' or '!drafts/'", p)
		}
	}
	for _, field := range filter.Where {
		if strings.Index(field, "=") < 1 {
			return usagef("--where is %q: want a key and a value, such as topic=guide", field)
		}
	}
	return nil
}

// A shareFlag is a share from 0 to 1, in units of 1/[resolve.One].
type shareFlag uint32

// Set implements pflag.Value. A share has at most six digits after the point.
func (f *shareFlag) Set(typed string) error {
	whole, fraction, _ := strings.Cut(typed, ".")
	n, err := strconv.ParseUint(whole+(fraction + "000000")[:6], 10, 32)
	if err != nil || n > resolve.One || whole == "" || len(fraction) > 6 {
		return errors.New("want a number from 0 to 1 with at most six digits after the point, such as 0.3")
	}
	*f = shareFlag(n)
	return nil
}

// String implements pflag.Value.
func (f *shareFlag) String() string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.6f", float64(*f)/resolve.One), "0"), ".")
}

// Type implements pflag.Value.
func (f *shareFlag) Type() string { return "share" }

// flagError names the flag in an error about the unit.
func flagError(err error) error {
	if errors.Is(err, resolve.ErrUnit) {
		return usagef("--unit section: %s: add --selection 1, or build the cache with it", err)
	}
	return err
}
