package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/contextcompiler/context/fault"
)

func manCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "man --dir DIR",
		Short:   "Write the manual pages of all commands",
		Example: "  context man --dir ~/.local/share/man/man1",
		Args:    noArguments,
		RunE: run(func(cmd *cobra.Command) error {
			if err := checkPath("dir", dir); err != nil {
				return err
			}
			return writeManual(cmd.Root(), dir)
		}),
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write one page a command into `DIR`, which is made if it is missing")
	require(cmd, "dir")
	return cmd
}

// writeManual writes the pages. They are dated 1970: like everything else
// that we write, they do not change from one day to the next.
func writeManual(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fault.Errorf(fault.IO, "write the manual in %s: %w", dir, fault.Cause(err))
	}
	date := time.Unix(0, 0).UTC()
	header := &doc.GenManHeader{Section: "1", Source: "context", Manual: "Context", Date: &date}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return fault.Errorf(fault.IO, "write the manual in %s: %w", dir, fault.Cause(err))
	}
	return nil
}
