package cli

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/request"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/words"
)

func outlineCommand() *cobra.Command {
	var asked agent.OutlineRequest
	var into string
	var check, asLLMs bool
	var cmd *cobra.Command
	cmd = onCachesAndProject(&cobra.Command{
		Use:         "outline [--cache DIR]... [--project DIR]",
		Short:       "List pages with their headings",
		Annotations: map[string]string{exitKey: "8: with --check, the file doesn't contain the index."},
		SuggestFor:  []string{"list", "ls", "toc"},
		Example: `  context outline --cache build/context --path 'guide/**'
  context outline --cache build/context --into AGENTS.md
  context outline --cache build/context --format llms.txt > llms.txt`,
		Args: noArguments,
	}, &asked.Project, func(ctx context.Context, set *answers.Set, _ []string) (commandOutput, error) {
		switch isInto := cmd.Flags().Changed("into"); {
		case asLLMs:
			if err := notForLLMs(cmd); err != nil {
				return commandOutput{}, err
			}
			text, err := agent.LLMsText(ctx, set, asked.Filter)
			return commandOutput{text: text}, err
		case check && !isInto:
			return commandOutput{}, usagef("--check needs --into FILE")
		case !isInto:
			return answered(agent.Outline(ctx, set, asked))
		case len(set.Members()) == 0:
			return commandOutput{}, usagef("--into needs pages: pass --cache DIR or --target NAME, too")
		}
		index, err := agent.PassiveIndex(ctx, set, asked, readHint(cmd))
		if err != nil {
			return commandOutput{}, err
		}
		return commandOutput{}, putIndex(into, index, check)
	})
	flags := cmd.Flags()
	bindParameters(cmd, request.Outline(&asked, new(request.CacheScope))...)
	flags.StringVar(&into, "into", "", "write an index into `FILE`")
	bindWord(cmd, &asLLMs, "format", "markdown", "print `FORMAT`: markdown or llms.txt",
		flagWord[bool]{"markdown", false}, flagWord[bool]{"llms.txt", true})
	flags.BoolVar(&check, "check", false, "only check whether the file contains the index")
	return cmd
}

// notForLLMs refuses flags without a meaning for an llms.txt.
func notForLLMs(cmd *cobra.Command) error {
	for _, flag := range []string{"into", "check", "depth", "budget", "project"} {
		if cmd.Flags().Changed(flag) {
			return usagef("--%s doesn't work with --format llms.txt: leave out either", flag)
		}
	}
	return nil
}

// readHint tells a model how to read a page of these caches.
func readHint(cmd *cobra.Command) string {
	return "Read a page, or a part such as PAGE#PART, with `" + askLine(cmd, "read", "PAGE") + "`."
}

// putIndex writes an index into a file, or checks whether the file contains it.
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
		return fault.Errorf(fault.Stale, "%s does not contain the index of this cache: write it without --check", path)
	}
	return replaceFile(path, changed, mode)
}

func valuesOf(cmd *cobra.Command, flag string) []string {
	values, _ := cmd.Flags().GetStringArray(flag)
	return values
}

// askLine returns the command line of another command for the same caches.
func askLine(cmd *cobra.Command, verb string, args ...string) string {
	line := []string{"context", verb}
	for _, flag := range []string{"cache", "target"} {
		for _, value := range valuesOf(cmd, flag) {
			line = append(line, "--"+flag, value)
		}
	}
	for _, name := range []string{"file", "product", "project"} {
		if flag := cmd.Flag(name); flag != nil && flag.Value.String() != "" {
			line = append(line, "--"+name, flag.Value.String())
		}
	}
	return words.Printable(console.ShellLine(append(line, args...)))
}
