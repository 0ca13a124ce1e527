package cli

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/acquire/actions"
	"github.com/contextcompiler/context/internal/project/targets"
)

// A triedCommand is a line of check --converters.
type triedCommand struct {
	Target  string   `json:"target"`
	Command string   `json:"command"`
	Pages   int      `json:"pages"`
	Differs []string `json:"differs"` // pages that aren't the same in both runs
}

// tryCommands runs the commands of targets twice each, and compares the pages.
func tryCommands(cmd *cobra.Command, chosen []targets.Target, workshop actions.Workshop) error {
	chosen = slices.DeleteFunc(slices.Clone(chosen), func(t targets.Target) bool { return len(t.Commands()) == 0 })
	if len(chosen) == 0 {
		return usagef("no target has a source with convert, so --converters has nothing to run")
	}
	table := tableOn(cmd, "Target", "Command", "Pages", "Differ")
	const keepGoing = true // it stores nothing
	failed := eachTarget(cmd, chosen, keepGoing, targets.TryEach(cmd.Context(), chosen, workshop),
		func(t targets.Target, trials []targets.Trial, err error) error {
			for _, trial := range trials {
				line := triedCommand{t.Name, trial.Action.String(), trial.Pages, trial.Differs}
				if err := table.row(line, t.Name, line.Command, line.Pages, len(line.Differs)); err != nil {
					return err
				}
			}
			if err != nil {
				return cmp.Or(table.row(failureOf(t, err), t.Name, "failed", "", ""), err)
			}
			for _, trial := range trials {
				err = cmp.Or(err, trial.Err())
			}
			return err
		})
	return cmp.Or(failed, table.print())
}
