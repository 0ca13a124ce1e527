package cli

import (
	"cmp"
	"strings"

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

// helpCommand is the help command of cobra, but an unknown topic is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("there is no command %q", strings.Join(args, " "))
			}
			topic.InitDefaultHelpFlag()
			topic.InitDefaultVersionFlag()
			return topic.Help()
		},
	}
}

// strictCompletion adds cobra's completion command, but an unknown shell is an
// error. Set the output of root before.
func strictCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("no completion for %q: there is one for bash, zsh, fish and powershell", args[0])
			}
			return cmd.Help()
		}
	}
}

const eachTargetHelp = `Without --cache, the caches are those of the targets in the nearest Contextfile.yml, or of
each --target. The output then contains an object for each, which begins with target and cache.`

// onCache makes cmd a command that works on a whole cache, or on those of targets.
func onCache(cmd *cobra.Command, call func(cmd *cobra.Command, flags *cacheFlags, jobs int) error) *cobra.Command {
	var flags cacheFlags
	var jobs int
	cmd.GroupID, cmd.Args = cacheGroup, noArguments
	cmd.RunE = run(func(cmd *cobra.Command) error {
		if err := cmp.Or(flags.choose(cmd), checkJobs(jobs)); err != nil {
			return err
		}
		return call(cmd, &flags, jobs)
	})
	flags.bind(cmd)
	bindJobs(cmd, &jobs)
	return cmd
}

// bindJobs binds the flag that limits the parallelism of a command.
func bindJobs(cmd *cobra.Command, jobs *int) {
	cmd.Flags().IntVar(jobs, "jobs", 0, "work on up to `N` documents at once; 0 is one a processor")
}

// require marks flags that a command needs.
func require(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		if err := cmd.MarkFlagRequired(flag); err != nil {
			panic("cli: " + err.Error())
		}
	}
}

// completeDirectories lets shells complete the values of flags with the names
// of directories.
func completeDirectories(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		if err := cmd.MarkFlagDirname(flag); err != nil {
			panic("cli: " + err.Error())
		}
	}
}

// checkPath refuses an empty path. It probably comes from a variable without a
// value, and does not mean the working directory.
func checkPath(flag, path string) error {
	if path == "" {
		return usagef("--%s is empty: name a directory", flag)
	}
	return nil
}

func checkJobs(jobs int) error {
	if jobs < 0 {
		return usagef("--jobs is %d: want 0 or more", jobs)
	}
	return nil
}
