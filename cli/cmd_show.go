package cli

import (
	"path"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
	"github.com/contextcompiler/context/internal/contexts/dotcontext"
)

// oneScope accepts no arguments or a single scope.
func oneScope(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("unexpected argument %q: give a single SCOPE", args[1])
	}
	return noScopeEmpty(cmd, args)
}

// withoutContext rewords the error for a missing context, because the original names a
// tool for agents.
func withoutContext(scope string, err error) error {
	if reason := dotcontext.Reason(err); reason != nil {
		return fault.Errorf(fault.CodeOf(err), "%w: %w", err, reason)
	}
	if fault.CodeOf(err) != fault.Stale {
		return err
	}
	return advise(scope, fault.Errorf(fault.Stale, "there is no %s", path.Join(scope, contextfile.Name)))
}

func showCommand() *cobra.Command {
	var project string
	var filter []string
	cmd := &cobra.Command{
		Use:         "show [SCOPE]",
		Short:       "Print the context of a directory as JSON",
		Annotations: map[string]string{exitKey: "8: the context is missing; 9: it is invalid."},
		Example:     "  context show src/core --filter summary,files",
		Args:        oneScope,
		RunE: runOn(func(cmd *cobra.Command, args []string) error {
			p, err := dotcontext.Open(project) // or a missing project would be a missing context
			if err != nil {
				return err
			}
			p.Close()
			scope := "."
			if len(args) > 0 {
				scope = args[0]
			}
			answer := dotcontext.Query(project, scope, filter)
			if answer.Err != nil {
				return withoutContext(scope, answer.Err)
			}
			return print(cmd, []byte(answer.JSON+"\n"))
		}),
	}
	bindPath(cmd, &project)
	cmd.Flags().StringSliceVar(&filter, "filter", nil, "print only these `FIELDS`, and the metadata")
	return cmd
}
