package cli

import (
	"github.com/spf13/cobra"
)

const rootHelp = `Context compiles directories of Markdown into immutable, verifiable caches, and
selects sections from them that answer a query within a token budget. The same
files give the same bytes on every machine. A Contextfile.yml declares the caches
of a project. Context also keeps the .context.yaml files that describe the
directories of a code project.

` + exitStatusHelp

const exitStatusHelp = `Exit status:
  0    success
  1    usage: missing, unknown, malformed or repeated flags
  2    invalid query: not UTF-8, or over 1 MiB
  3    invalid budget: not an integer of 0 or more
  4    cache missing: no such path, or not a directory
  5    cache invalid; or sources that share an ID
  6    I/O error: sources missing, cache exists, output cannot be written, ...
  7    internal error: a bug
  8    stale: cache or context out of date, context missing, or measure too low
  9    context invalid: a .context.yaml or Contextfile.yml has errors
  130  interrupted`

const rootExample = `  context new && context build
  context ask how to install
  context serve
  context build --sources docs --cache build/context
  context verify --cache build/context
  context init`

// The groups of commands in help.
const (
	askGroup     = "ask"
	cacheGroup   = "caches"
	contextGroup = "contexts"
)

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:     "context",
		Short:   "Compile Markdown into verifiable caches and select from them",
		Long:    rootHelp,
		Example: rootExample,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
		DisableAutoGenTag: true,
	}
	addVersion(root)
	bindPresentation(root)
	root.SetHelpCommand(helpCommand())
	root.AddGroup(
		&cobra.Group{ID: askGroup, Title: "Answers:"},
		&cobra.Group{ID: cacheGroup, Title: "Caches:"},
		&cobra.Group{ID: contextGroup, Title: "Directory contexts:"},
	)
	root.AddCommand(
		newCommand(),
		buildCommand(),
		checkCommand(),
		askCommand(),
		searchCommand(),
		readCommand(),
		outlineCommand(),
		grepCommand(),
		cachesCommand(),
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
		manCommand(),
	)
	return root
}
