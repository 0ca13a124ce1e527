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

// The groups of commands in help, by purpose.
const (
	buildGroup   = "build"
	shareGroup   = "share"
	askGroup     = "ask"
	serveGroup   = "serve"
	fixedGroup   = "fixed"
	contextGroup = "contexts"
	programGroup = "program"
)

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
	root.SetHelpCommand(helpCommand())
	root.AddGroup(
		&cobra.Group{ID: buildGroup, Title: "Build caches"},
		&cobra.Group{ID: shareGroup, Title: "Share caches"},
		&cobra.Group{ID: askGroup, Title: "Ask caches"},
		&cobra.Group{ID: serveGroup, Title: "Serve agents"},
		&cobra.Group{ID: fixedGroup, Title: "For programs"},
		&cobra.Group{ID: contextGroup, Title: "Describe code"},
		&cobra.Group{ID: programGroup, Title: "This program"},
	)
	root.SetHelpCommandGroupID(programGroup)
	root.SetCompletionCommandGroupID(programGroup)
	root.AddCommand(
		newCommand(),
		buildCommand(),
		mergeCommand(),
		checkCommand(),
		reportCommand(),
		fetchCommand(),
		addCommand(),
		storeCommand(),
		pushCommand(),
		pullCommand(),
		trustCommand(),
		askCommand(),
		searchCommand(),
		readCommand(),
		outlineCommand(),
		grepCommand(),
		cachesCommand(),
		diffCommand(),
		resolveCommand(),
		explainCommand(),
		evalCommand(),
		inspectCommand(),
		verifyCommand(),
		watchCommand(),
		demoCommand(),
		initCommand(),
		statusCommand(),
		rehashCommand(),
		validateCommand(),
		showCommand(),
		serveCommand(),
		clientCommand(),
		skillCommand(),
		versionCommand(),
	)
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
