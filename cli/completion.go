package cli

import "github.com/spf13/cobra"

// isCompletion reports whether a shell asks for completions. For these, cobra parses the
// flags twice, so every value seems to be given twice.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// shellExamples are the commands for loading completions into a shell.
var shellExamples = map[string]string{
	"bash":       "  source <(context completion bash)\n  context completion bash > /etc/bash_completion.d/context",
	"zsh":        "  source <(context completion zsh)\n  context completion zsh > \"${fpath[1]}/_context\"",
	"fish":       "  context completion fish | source\n  context completion fish > ~/.config/fish/completions/context.fish",
	"powershell": "  context completion powershell | Out-String | Invoke-Expression",
}

// strictCompletion adds cobra's completion command, but makes it fail for an unknown
// shell. The output of root must be set before.
func strictCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Args, cmd.Long, cmd.Example = cobra.ArbitraryArgs, "", shellExamples["bash"]
		for _, sub := range cmd.Commands() {
			sub.Long, sub.Example = "", shellExamples[sub.Name()]
		}
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown shell %q: expected bash, zsh, fish or powershell", args[0])
			}
			return cmd.Help()
		}
	}
}
