package cli

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/agent"
	"github.com/contextcompiler/context/internal/console"
	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/resolve"
)

const outlineHelp = `Outline lists pages with their headings, as far as they fit a budget. The pages near the
root come first, then the headings of the highest level. A directory stands for its
pages that do not fit. With --project, the directories of a code project follow, each with
the summary of its .context.yaml, in a quarter of the budget. They are left out if --path
or --where choose pages.

With --into it writes an index of the pages into FILE, such as AGENTS.md, between two
lines that mark it; a model that always sees the index finds pages without a search.
Only a change of the pages' paths, titles and headings, or of the summaries, changes the
index. --check writes nothing, and exits with 8 if FILE does not have the index.`

func outlineCommand() *cobra.Command {
	var request agent.OutlineRequest
	var into string
	var check, asLLMs bool
	var cmd *cobra.Command
	cmd = onCachesAndProject(&cobra.Command{
		Use:        "outline [--cache DIR]... [--project DIR]",
		Short:      "List pages with their headings",
		SuggestFor: []string{"list", "ls", "toc"},
		Long:       outlineHelp,
		Example: `  context outline --cache build/context --path 'guide/**'
  context outline --cache build/context --into AGENTS.md
  context outline --cache build/context --format llms.txt > llms.txt`,
		Args: noArguments,
	}, &request.Project, console.HighlightList, func(ctx context.Context, set *resolve.Set, _ []string) ([]byte, error) {
		switch isInto := cmd.Flags().Changed("into"); {
		case asLLMs:
			if err := notForLLMs(cmd); err != nil {
				return nil, err
			}
			return agent.LLMsText(ctx, set, request.Filter)
		case check && !isInto:
			return nil, usagef("--check is about a file: give --into FILE, too")
		case !isInto:
			return agent.Outline(ctx, set, request)
		case into == "":
			return nil, usagef("--into is empty: name a file")
		case len(set.Members()) == 0:
			return nil, usagef("--into is for the pages of caches: give --cache DIR or --target NAME, too")
		}
		index, err := agent.PassiveIndex(ctx, set, request, readHint(cmd))
		if err != nil {
			return nil, err
		}
		return nil, putIndex(into, index, check)
	})
	flags := cmd.Flags()
	bindFilter(cmd, &request.Filter)
	flags.IntVar(&request.Depth, "depth", agent.DeepestHeadings, "list headings down to `N` levels below the title; 0 lists pages alone")
	bindTokens(cmd, &request.Budget, "budget", "print at most `N` tokens")
	flags.StringVar(&into, "into", "", "write an index into `FILE`")
	bindWord(cmd, &asLLMs, "format", "markdown", "print `FORMAT`: markdown or llms.txt (all pages, as links below the base URL of the cache)",
		flagWord[bool]{"markdown", false}, flagWord[bool]{"llms.txt", true})
	flags.BoolVar(&check, "check", false, "only check whether the file has the index")
	return cmd
}

// notForLLMs refuses what an llms.txt does not have.
func notForLLMs(cmd *cobra.Command) error {
	for _, flag := range []string{"into", "check", "depth", "budget", "project"} {
		if cmd.Flags().Changed(flag) {
			return usagef("--%s is not for an llms.txt: leave it out, or --format llms.txt", flag)
		}
	}
	return nil
}

// readHint tells how to read a page of the caches of a command line.
func readHint(cmd *cobra.Command) string {
	return "Read a page, or a part such as PAGE#PART, with `" + askLine(cmd, "read", "PAGE") + "`."
}

// putIndex puts an index into a file, or checks that it is there.
func putIndex(path string, index []byte, check bool) error {
	text, mode, err := readOld(path)
	if err != nil {
		return err
	}
	changed, err := agent.PutPassiveIndex(text, index)
	switch {
	case err != nil:
		return fault.Errorf(fault.IO, "%s: %w", path, err)
	case bytes.Equal(changed, text):
		return nil
	case check:
		return fault.Errorf(fault.Stale, "%s does not have the index of this cache: write it with --into alone", path)
	}
	return replaceFile(path, changed, mode)
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
	return words.Printable(console.ShellLine(append(line, args...)))
}
