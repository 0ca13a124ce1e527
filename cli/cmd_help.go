package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// commandsTopic is the help topic for the list of all commands.
const commandsTopic = "commands"

// helpCommand replaces the help command of cobra: it prints the details of a command, and
// fails for an unknown topic.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND | commands]",
		Short:   "Explain a command in full, or list all commands",
		Example: "  context help build\n  context help commands",
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Equal(args, []string{commandsTopic}) {
				return print(cmd, []byte(commandList(cmd.Root())))
			}
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("unknown command %q", strings.Join(args, " "))
			}
			topic.InitDefaultHelpFlag()
			topic.InitDefaultVersionFlag()
			return print(cmd, []byte(fullHelp(topic)))
		},
	}
}

// commandList returns a line for each command, grouped by purpose.
func commandList(root *cobra.Command) string {
	var b strings.Builder
	for i, group := range root.Groups() {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(group.Title + ":\n")
		for _, sub := range commandsIn(root, group) {
			fmt.Fprintf(&b, "  %-12s%s\n", sub.Name(), sub.Short)
		}
	}
	return b.String()
}

func commandsIn(root *cobra.Command, group *cobra.Group) (in []*cobra.Command) {
	for _, sub := range root.Commands() {
		if sub.GroupID == group.ID { // help itself is not "available"
			in = append(in, sub)
		}
	}
	return in
}
