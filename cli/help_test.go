package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// The help of every command fits on a terminal. It begins with a sentence and an example.
func TestHelpFitsOnATerminal(t *testing.T) {
	for _, program := range []func() *cobra.Command{completeRoot, contractCommand} {
		eachCommand(program(), func(path []string, cmd *cobra.Command) {
			var stdout, stderr bytes.Buffer
			status := runCommand(t.Context(), program(), append(slices.Clone(path), "--help"), &stdout, &stderr)
			if status != statusOK || stderr.Len() > 0 {
				t.Fatalf("%s: got status %d and %s", cmd.CommandPath(), status, &stderr)
			}
			lines := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
			if len(lines) > helpLines {
				t.Errorf("%s: got %d lines, want at most %d:\n%s", cmd.CommandPath(), len(lines), helpLines, &stdout)
			}
			if strings.Contains(cmd.CommandPath(), "completion") {
				return // written by cobra
			}
			for _, line := range lines {
				if n := utf8.RuneCountInString(line); n > helpColumns {
					t.Errorf("%s: got %d columns, want at most %d: %s", cmd.CommandPath(), n, helpColumns, line)
				}
			}
			if !strings.HasSuffix(lines[0], ".") || lines[1] != "" || !strings.HasPrefix(lines[2], "  "+cmd.Root().Name()) {
				t.Errorf("%s: want a sentence and an example first:\n%s", cmd.CommandPath(), &stdout)
			}
		})
	}
}

// completeRoot returns the root with the commands that cobra adds when it runs.
func completeRoot() *cobra.Command {
	root := rootCommand()
	strictCompletion(root)
	root.InitDefaultHelpCmd()
	return root
}

// Details are shown on terminals, too, and every page belongs to a command.
func TestDetailsBelongToCommands(t *testing.T) {
	entries, err := details.ReadDir("help")
	if err != nil || len(entries) < 20 {
		t.Fatalf("%d pages: %v", len(entries), err)
	}
	var names []string
	for _, cmd := range append(commandsOf(completeRoot()), contractCommand()) {
		names = append(names, cmd.Name())
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".md")
		if !slices.Contains(names, name) {
			t.Errorf("%s: unknown command %q", e.Name(), name)
		}
		for line := range strings.Lines(detailsOf(name)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpColumns {
				t.Errorf("%s: got %d columns, want at most %d: %s", e.Name(), n, helpColumns, line)
			}
		}
	}
}

func commandsOf(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			all = append(all, commandsOf(sub)...)
		}
	}
	return all
}
