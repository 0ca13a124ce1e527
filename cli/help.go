package cli

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A help of this size fits on a terminal without scrolling.
const helpLines, helpColumns = 30, 80

// details contains a page for each command, in Markdown that terminals can show. --help
// prints as many paragraphs as fit, while `context help`, the manual and docs/commands.md
// print everything.
//
//go:embed help/*.md
var details embed.FS

func detailsOf(command string) string {
	page, err := details.ReadFile("help/" + command + ".md")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(page), "\n")
}

// exitKey annotates a command with exit statuses whose meaning is special to it.
const exitKey = "exit status"

// rareKey annotates flags that few people need. Only the full help lists them.
const rareKey = "rare"

func markRare(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		if err := cmd.Flags().SetAnnotation(flag, rareKey, nil); err != nil {
			panic("cli: " + err.Error())
		}
	}
}

func isRare(flag *pflag.Flag) bool {
	_, is := flag.Annotations[rareKey]
	return is
}

func longOf(cmd *cobra.Command) string { return cmp.Or(cmd.Long, detailsOf(cmd.Name())) }

// shortHelp returns the output of --help: a synopsis, examples, the flags, and the first
// paragraphs of the details if they fit.
func shortHelp(cmd *cobra.Command) string {
	if !cmd.HasParent() && cmd.HasSubCommands() {
		return rootHelp(cmd)
	}
	more := ""
	if cmd.HasParent() {
		more = "More: "
		cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			if isRare(flag) {
				more = "More flags: "
			}
		})
		more += cmd.Root().Name() + " help" + strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())
	}
	head, tail := helpHead(cmd), helpTail(cmd, more)
	room := helpLines - strings.Count(head+tail, "\n")
	shown := ""
	paragraphs := paragraphsOf(longOf(cmd))
	for _, p := range paragraphs {
		p = "\n" + strings.TrimRight(p, "\n") + "\n"
		if strings.Count(p, "\n") > room {
			break
		}
		room -= strings.Count(p, "\n")
		shown += p
	}
	return head + shown + tail
}

// paragraphsOf splits a text into paragraphs. An indented block belongs to the paragraph
// before it.
func paragraphsOf(text string) (paragraphs []string) {
	if text == "" {
		return nil
	}
	for p := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(p, "  ") && len(paragraphs) > 0 {
			paragraphs[len(paragraphs)-1] += "\n\n" + p
		} else {
			paragraphs = append(paragraphs, p)
		}
	}
	return paragraphs
}

// fullHelp returns the output of `context help`.
func fullHelp(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return rootHelp(cmd)
	}
	long := longOf(cmd)
	if long != "" {
		long = "\n" + strings.TrimRight(long, "\n") + "\n"
	}
	return helpHead(cmd) + long + helpTail(cmd, "")
}

func helpHead(cmd *cobra.Command) string {
	head := strings.TrimSuffix(cmd.Short, ".") + ".\n\n"
	if cmd.Example != "" {
		head += cmd.Example + "\n\n"
	}
	return head + "Usage: " + cmd.UseLine() + "\n"
}

// helpTail returns the subcommands, the flags, the special exit statuses, and where to
// find more.
func helpTail(cmd *cobra.Command, more string) string {
	var b strings.Builder
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-12s%s\n", sub.Name(), sub.Short)
			}
		}
	}
	if rows := flagRows(cmd, more == ""); len(rows) > 0 {
		b.WriteString("\nFlags:\n")
		width := 0
		for _, row := range rows {
			width = max(width, len(row[0]))
		}
		for _, row := range rows {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, row[0], row[1])
		}
	}
	end := more
	if statuses := cmd.Annotations[exitKey]; statuses != "" {
		end = "Exit status " + statuses
		if separator := " "; more != "" {
			if len(end+separator+more) > helpColumns {
				separator = "\n"
			}
			end += separator + more
		}
	}
	if end != "" {
		b.WriteString("\n" + end + "\n")
	}
	return b.String()
}

// flagRows returns the flags of a command with their descriptions, with or without the rare
// flags. Only the help of the root lists the flags of all commands.
func flagRows(cmd *cobra.Command, withRare bool) (rows [][2]string) {
	hasShorthand := false
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		hasShorthand = hasShorthand || flag.Shorthand != "" && flag.Name != "help" && flag.Name != "version"
	})
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden || flag.Name == "help" || isRare(flag) && !withRare {
			return
		}
		name, usage := flagLine(flag)
		if hasShorthand && flag.Shorthand == "" {
			name = "    " + name
		}
		if byDefault := defaultOf(flag); byDefault != "" {
			usage += " (default " + byDefault + ")"
		}
		rows = append(rows, [2]string{name, usage})
	})
	return rows
}

// flagLine returns a flag with its value, as users type it, and its description.
func flagLine(flag *pflag.Flag) (name, usage string) {
	value, usage := pflag.UnquoteUsage(flag)
	name = "--" + flag.Name
	if flag.Shorthand != "" {
		name = "-" + flag.Shorthand + ", " + name
	}
	switch isOptional := flag.NoOptDefVal != "" && flag.Value.Type() != "bool"; {
	case isOptional:
		name += "[=" + value + "]"
	case value != "":
		name += " " + value
	}
	return name, usage
}

// defaultOf returns the default of a flag, or "" if it isn't worth mentioning.
func defaultOf(flag *pflag.Flag) string {
	switch byDefault := strings.Trim(flag.DefValue, "[]"); byDefault {
	case "0", "0s", "false":
		return ""
	default:
		return byDefault
	}
}

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
