package cli

import (
	"cmp"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/acquire/store"
)

func storeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "List or remove what was fetched, pulled and converted",
		Example: `  context store list
  context store gc --older 720h`,
		Args: noArguments,
		RunE: run(func(cmd *cobra.Command) error { return usagef("expected `context store list` or `context store gc`") }),
	}
	cmd.AddCommand(storeListCommand(), storeCollectCommand())
	return cmd
}

// A storedEntry is a line of the output of store.
type storedEntry struct {
	Entry store.EntryKey `json:"entry"`
	Files int            `json:"files"`
	Bytes int64          `json:"bytes"`
	Used  string         `json:"used"` // the day, by UTC
	Path  string         `json:"path"`
}

func storeListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List what the store contains, with sizes and the day of last use",
		Example: "  context store list",
		Args:    noArguments,
		RunE: run(func(cmd *cobra.Command) error {
			s := userStore()
			entries, err := s.List(cmd.Context())
			if err != nil {
				return err
			}
			return printEntries(cmd, s, entries)
		}),
	}
}

func storeCollectCommand() *cobra.Command {
	var older time.Duration
	cmd := &cobra.Command{
		Use:     "gc",
		Short:   "Remove what was not used lately",
		Example: "  context store gc --older 168h",
		Args:    noArguments,
		RunE: run(func(cmd *cobra.Command) error {
			if older < 0 {
				return usagef("--older %s: expected a duration of at least 0", older)
			}
			s := userStore()
			done, err := s.Collect(cmd.Context(), time.Now().Add(-older))
			for _, skipped := range done.Skipped {
				warn(cmd, []string{skipped.Error()})
			}
			return cmp.Or(err, printEntries(cmd, s, done.Removed))
		}),
	}
	const month = 30 * 24 * time.Hour
	cmd.Flags().DurationVar(&older, "older", month, "remove what was not used for `DURATION`")
	return cmd
}

func printEntries(cmd *cobra.Command, s store.Store, entries []store.EntryInfo) error {
	table := tableOn(cmd, "Entry", "Files", "Bytes", "Used")
	for _, e := range entries {
		used := e.Used.UTC().Format(time.DateOnly)
		if err := table.row(storedEntry{e.Key, e.Files, e.Bytes, used, s.Path(e.Key)}, e.Key, e.Files, e.Bytes, used); err != nil {
			return err
		}
	}
	return table.print()
}
