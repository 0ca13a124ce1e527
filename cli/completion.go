package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
)

// A completer returns the completions of a typed word.
type completer func(ctx context.Context, caches []answers.Member, typed string) []agent.Completion

// fromCaches turns a completer into a completion function of cobra. If the caches cannot
// be opened, it completes nothing.
func fromCaches(complete completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) (found []string, _ cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		asked, err := openTyped(cmd)
		if err != nil {
			return nil, directive
		}
		defer asked.close()
		for _, c := range complete(cmd.Context(), asked.members, typed) {
			found = append(found, cobra.CompletionWithDesc(c.Text, c.About))
		}
		return found, directive
	}
}

// openTyped opens the caches of an incomplete command line. Commands accept --cache either
// once or several times.
func openTyped(cmd *cobra.Command) (*openedCaches, error) {
	var flags askedFlags
	if paths, err := cmd.Flags().GetStringArray("cache"); err == nil {
		flags.caches = eachOnce(paths)
	} else if path := cmd.Flag("cache").Value.String(); path != "" {
		flags.caches = []string{path}
	}
	names, _ := cmd.Flags().GetStringArray("target")
	flags.names = eachOnce(names)
	flags.file.path = cmd.Flag("file").Value.String()
	return flags.open(cmd, false)
}

// isCompletion reports whether a shell asks for completions. For these, cobra parses the
// flags twice, so every value seems to be given twice.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

func eachOnce(values []string) (unique []string) {
	for _, v := range values {
		if !slices.Contains(unique, v) {
			unique = append(unique, v)
		}
	}
	return unique
}

func completePath(_ context.Context, caches []answers.Member, typed string) []agent.Completion {
	return agent.CompletePath(caches, typed)
}

func completeProduct(_ context.Context, caches []answers.Member, typed string) []agent.Completion {
	return agent.CompleteProduct(caches, typed)
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
