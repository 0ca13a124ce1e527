package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// exitStatuses is the part of help about the exit statuses.
const exitStatuses = `Exit status:
  0    success
  1    usage: missing, unknown, malformed or repeated flags
  2    invalid query: not UTF-8, or over 1 MiB
  3    invalid budget: not an integer of 0 or more
  4    cache missing: no such path, or not a directory
  5    cache invalid, or sources that share an ID
  6    I/O error: sources missing, cache exists, output cannot be written, ...
  7    internal error: a bug
  8    stale: cache or context out of date, context missing, or measure too low
  9    context invalid: a .context.yaml or Contextfile.yml has errors
  130  interrupted`

const rootExample = `  context new && context build  # declare the caches of a project and build them
  context ask how to install
  context client cursor         # connect an agent`

// A commandGroup contains the commands for a purpose.
type commandGroup struct {
	title    string
	commands []func() *cobra.Command
}

// commandGroups returns the table of all commands, apart from completion, which cobra adds.
// A new command is a file and a row.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Build caches", []func() *cobra.Command{
			newCommand,
			buildCommand,
			mergeCommand,
			checkCommand,
			reportCommand,
			trustCommand,
			evalCommand,
			watchCommand,
			demoCommand,
		}},
		{"Share caches", []func() *cobra.Command{
			fetchCommand,
			addCommand,
			storeCommand,
			pushCommand,
			pullCommand,
		}},
		{"Ask caches", []func() *cobra.Command{
			askCommand,
			searchCommand,
			readCommand,
			outlineCommand,
			grepCommand,
			cachesCommand,
			diffCommand,
			explainCommand,
		}},
		{"Serve agents", []func() *cobra.Command{
			serveCommand,
			clientCommand,
			skillCommand,
		}},
		{"For programs", []func() *cobra.Command{
			resolveCommand,
			inspectCommand,
			verifyCommand,
		}},
		{"Describe code", []func() *cobra.Command{
			initCommand,
			statusCommand,
			rehashCommand,
			validateCommand,
			showCommand,
		}},
		{programTitle, []func() *cobra.Command{
			versionCommand,
		}},
	}
}

// programTitle is the group of commands that need no cache, such as help and completion.
const programTitle = "This program"

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:     "context",
		Short:   "Compile Markdown into verifiable caches, and answer questions from them",
		Example: rootExample,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	addVersion(root)
	bindPresentation(root)
	for _, group := range commandGroups() {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, command := range group.commands {
			cmd := command()
			cmd.GroupID = group.title
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommand(helpCommand())
	root.SetHelpCommandGroupID(programTitle)
	root.SetCompletionCommandGroupID(programTitle)
	return root
}

// rootHelp returns the help of the program: its commands by purpose, and the exit
// statuses.
func rootHelp(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(root.Short + ".\n\n" + rootExample + "\n\nUsage: context COMMAND [flags]\n")
	for _, group := range root.Groups() {
		var names []string
		for _, sub := range commandsIn(root, group) {
			names = append(names, sub.Name())
		}
		fmt.Fprintf(&b, "  %-15s%s\n", group.Title, strings.Join(names, ", "))
	}
	b.WriteString("More: `context help commands` lists them; `context help NAME` explains one.\n")
	b.WriteString("Flags: --version, and for every command --help, --no-pager and\n--color WHEN, which is auto, always or never.\n\n")
	return b.String() + exitStatuses + "\n"
}
