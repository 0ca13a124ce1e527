package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/dotcontext"
)

const showHelp = `Show prints what the .context.yaml of a directory says, as JSON: the very answer
of the tool query_context. SCOPE is the directory below the project's root; the
root itself if it is left out.

The exit status is 8 if there is no context, and 9 if it is invalid.`

// oneScope is the Args of a command that takes at most one scope.
func oneScope(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("unexpected argument %q: give one SCOPE", args[1])
	}
	return noScopeEmpty(cmd, args)
}

func showCommand() *cobra.Command {
	var path string
	var filter []string
	cmd := &cobra.Command{
		Use:     "show [SCOPE]",
		Short:   "Print the context of a directory as JSON",
		Long:    showHelp,
		Example: "  context show src/core --filter summary,files",
		GroupID: contextGroup,
		Args:    oneScope,
		RunE: runOn(func(cmd *cobra.Command, args []string) error {
			p, err := openProject(path) // or a missing project would be a missing context
			if err != nil {
				return err
			}
			p.Close()
			scope := "."
			if len(args) > 0 {
				scope = args[0]
			}
			answer := dotcontext.Query(path, scope, filter)
			if answer.Err != nil {
				return answer.Err
			}
			return print(cmd, []byte(answer.JSON+"\n"))
		}),
	}
	bindPath(cmd, &path)
	cmd.Flags().StringSliceVar(&filter, "filter", nil, "print only the `FIELDS` of these names, besides the metadata")
	return cmd
}
