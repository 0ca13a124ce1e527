package cli

import "github.com/spf13/cobra"

// isCompletion reports whether a shell asks for completions. For these, cobra parses the
// flags twice, so every value seems to be given twice.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// strictCompletion adds cobra's completion command, but makes it fail for an unknown
// shell. The output of root must be set before.
func strictCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown shell %q: expected bash, zsh, fish or powershell", args[0])
			}
			return cmd.Help()
		}
	}
}
