package cli

import (
	"cmp"
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A help of this size fits on a terminal without scrolling.
const helpLines, helpColumns = 30, 80

// details holds a page for each command, in Markdown that a terminal can show. --help
// prints as much of it as fits; `context help`, the manual and docs/commands.md print it all.
//
//go:embed help/*.md
var details embed.FS

// detailsOf returns the page of a command, "" if there is none.
func detailsOf(command string) string {
	page, err := details.ReadFile("help/" + command + ".md")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(page), "\n")
}

// exitKey is the annotation of a command for the exit statuses that it uses in a way of its own.
const exitKey = "exit status"

// longOf returns the details about a command.
func longOf(cmd *cobra.Command) string { return cmp.Or(cmd.Long, detailsOf(cmd.Name())) }

// shortHelp returns what --help prints: a synopsis, an example, the flags, and as many
// paragraphs of the details as fit.
func shortHelp(cmd *cobra.Command) string {
	if !cmd.HasParent() && cmd.HasSubCommands() {
		return rootHelp(cmd)
	}
	more := ""
	if cmd.HasParent() {
		more = "More: " + cmd.Root().Name() + " help" + strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())
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

// paragraphsOf returns the paragraphs of a text. What is indented belongs to the paragraph
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

// fullHelp returns what `context help` prints about a command.
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

// helpHead returns the synopsis, the examples and the usage of a command.
func helpHead(cmd *cobra.Command) string {
	head := strings.TrimSuffix(cmd.Short, ".") + ".\n\n"
	if cmd.Example != "" {
		head += cmd.Example + "\n\n"
	}
	return head + "Usage: " + cmd.UseLine() + "\n"
}

// helpTail returns the commands below a command, its flags, the exit statuses that it uses in
// a way of its own, and where to find more.
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
	if rows := flagRows(cmd); len(rows) > 0 {
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

// flagRows returns the flags of a command and what they do. The flags of all commands are
// in the help of the root alone.
func flagRows(cmd *cobra.Command) (rows [][2]string) {
	hasShorthand := false
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		hasShorthand = hasShorthand || flag.Shorthand != "" && flag.Name != "help" && flag.Name != "version"
	})
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden || flag.Name == "help" {
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

// flagLine returns a flag with its value, as one types it, and what it does.
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

// defaultOf returns the default of a flag, "" if it is nothing to mention.
func defaultOf(flag *pflag.Flag) string {
	switch byDefault := strings.Trim(flag.DefValue, "[]"); byDefault {
	case "0", "0s", "false":
		return ""
	default:
		return byDefault
	}
}
