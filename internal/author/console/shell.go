package console

import (
	"path/filepath"
	"strings"
)

// ShellLine quotes args, so users can paste them into a POSIX shell.
func ShellLine(args []string) string {
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
