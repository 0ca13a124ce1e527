package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/selection"
)

type resolveFlags struct {
	cache         cacheFlags
	product       string
	query, budget string
	request       selection.Request // without query and budget
	verify        bool
}

func resolveCommand() *cobra.Command {
	var typed resolveFlags
	cmd := &cobra.Command{
		Use:        "resolve [--cache DIR] --query STRING --budget N",
		Short:      "Select the sections that answer a query within a token budget",
		SuggestFor: []string{"select"},
		Example:    `  context resolve --cache build/context --query "how to install" --budget 4000`,
		Args:       noArguments,
		RunE:       run(func(cmd *cobra.Command) error { return runResolve(cmd, &typed) }),
	}
	bindQuestion(cmd, &typed, "")
	require(cmd, "query", "budget")
	bindWord(cmd, &typed.request.Pretty, "format", "json", "print `FORMAT`: json (one line) or pretty",
		flagWord[bool]{"json", false}, flagWord[bool]{"pretty", true})
	cmd.Flags().BoolVar(&typed.verify, "verify", false, "check the whole cache first")
	return cmd
}

func runResolve(cmd *cobra.Command, typed *resolveFlags) error {
	postponeCollection()
	request, err := typed.parse(cmd)
	if err != nil {
		return err
	}
	asked, err := typed.open(cmd)
	if err != nil {
		return err
	}
	defer asked.close()
	if typed.verify {
		for _, m := range asked.set.Members() {
			if err := m.Verify(cmd.Context(), request.Jobs); err != nil {
				return asked.blame(cmd, err)
			}
		}
	}
	return asked.blame(cmd, flagError(asked.set.Resolve(cmd.Context(), request, cmd.OutOrStdout())))
}

func (typed *resolveFlags) open(cmd *cobra.Command) (*openedCaches, error) {
	asked, err := typed.cache.open(cmd)
	if err != nil {
		return nil, err
	}
	return asked.ofProduct(cmd, typed.product)
}

// parse returns the request, and chooses the caches.
func (typed *resolveFlags) parse(cmd *cobra.Command) (request selection.Request, err error) {
	request = typed.request
	if err := typed.cache.choose(cmd); err != nil {
		return request, err
	}
	if request.Query, err = selection.ParseQuery(typed.query); err != nil {
		return request, err
	}
	request.Budget, err = parseBudget(typed.budget)
	return request, err
}

// bindQuestion binds the flags shared by resolve and explain, with a default budget.
func bindQuestion(cmd *cobra.Command, typed *resolveFlags, budget string) {
	typed.cache.bind(cmd)
	bindProduct(cmd, &typed.product)
	flags := cmd.Flags()
	flags.StringVar(&typed.query, "query", "", "select for `STRING`; it may be empty")
	flags.StringVar(&typed.budget, "budget", budget, "select at most `N` tokens of 4 bytes")
	bindMethod(cmd, &typed.request)
	bindJobs(cmd, &typed.request.Jobs)
}

// flagError adds the flag to an error about the unit.
func flagError(err error) error {
	if errors.Is(err, selection.ErrUnit) {
		return usagef("--unit section: %s: add --selection 1, or build the cache with it", err)
	}
	return err
}
