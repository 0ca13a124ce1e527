package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/words"
)

// shellLine returns args as a person types them in a shell of POSIX.
func shellLine(args []string) string {
	special := "\"$`!*?[]{}()<>|&;#~"
	if filepath.Separator == '/' {
		special += `\`
	}
	var typed []string
	for _, arg := range args {
		switch {
		case strings.ContainsAny(arg, special):
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		case strings.ContainsAny(arg, " \t\n'") || arg == "":
			arg = `"` + arg + `"`
		}
		typed = append(typed, arg)
	}
	return strings.Join(typed, " ")
}

// valuesOf returns the values of a flag that may be repeated.
func valuesOf(cmd *cobra.Command, flag string) []string {
	values, _ := cmd.Flags().GetStringArray(flag)
	return values
}

// askLine returns another command on the caches of a command line.
func askLine(cmd *cobra.Command, verb string, args ...string) string {
	line := []string{"context", verb}
	for _, flag := range []string{"cache", "target"} {
		for _, value := range valuesOf(cmd, flag) {
			line = append(line, "--"+flag, value)
		}
	}
	for _, name := range []string{"file", "project"} {
		if flag := cmd.Flag(name); flag != nil && flag.Value.String() != "" {
			line = append(line, "--"+name, flag.Value.String())
		}
	}
	return words.Printable(shellLine(append(line, args...)))
}
