package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Example: "  context version",
		Args:    noArguments,
		RunE: run(func(cmd *cobra.Command) error {
			return print(cmd, []byte(version()+"\n"))
		}),
	}
}

func version() string {
	return fmt.Sprintf("context %s %s %s/%s", moduleVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// moduleVersion returns the version of this module, as the Go command recorded it.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
