package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// unquoteUsages removes the backquotes around the name of a flag's value, because cobra
// prints the usage of a flag unchanged as the description of a completion.
func unquoteUsages(cmd *cobra.Command) {
	unquote := func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) }
	cmd.LocalFlags().VisitAll(unquote)
	for _, child := range cmd.Commands() {
		unquoteUsages(child)
	}
}
