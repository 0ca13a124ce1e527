package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/request"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/mcp"
)

type diffFlags struct {
	asked          agent.DiffRequest
	file           fileFlag
	json, exitCode bool
}

func diffCommand() *cobra.Command {
	var typed diffFlags
	cmd := &cobra.Command{
		Use:         "diff OLD NEW [QUERY...]",
		Short:       "Show what changed from one cache to another",
		Annotations: map[string]string{exitKey: "8: with --exit-code, the caches differ."},
		SuggestFor:  []string{"compare", "changes"},
		Example: `  context diff build/old build/context
  context diff --budget 500 docs-1 docs-2 how do retries work`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("missing %s", []string{"OLD and NEW, the caches to compare", "NEW, the cache to compare with"}[len(args)])
			}
			return nil
		},
		RunE: runOn(typed.run),
	}
	flags := cmd.Flags()
	typed.file.bind(cmd)
	bindParameters(cmd, request.Diff(&typed.asked, new(string), new(string))...)
	bindWord(cmd, &typed.json, "format", "markdown", "print `FORMAT`: markdown or json", flagWord[bool]{"markdown", false}, flagWord[bool]{"json", true})
	flags.BoolVar(&typed.exitCode, "exit-code", false, "fail if the caches differ")
	bindJobs(cmd, &typed.asked.Jobs)
	cmd.ValidArgsFunction = typed.complete
	return cmd
}

func (f *diffFlags) run(cmd *cobra.Command, args []string) error {
	var sides [2]answers.Member
	for i, name := range args[:2] {
		opened, err := f.open(cmd, name)
		if err != nil {
			return err
		}
		defer opened.close()
		sides[i] = answers.Member{Name: name, Cache: opened.members[0].Cache}
	}
	asked := f.asked
	asked.Query = strings.Join(args[2:], " ")
	if f.json && !cmd.Flags().Changed("budget") {
		asked.Budget = 0
	}
	changes, err := agent.Diff(cmd.Context(), sides[0], sides[1], asked)
	if err != nil {
		return err
	}
	if err := f.print(cmd, changes); err != nil {
		return err
	}
	if f.exitCode && !changes.IsEmpty() {
		return fault.Errorf(fault.Stale, "%s and %s differ", args[0], args[1])
	}
	return nil
}

// open opens a cache by the name of its target, or by its directory. Targets are often named like
// the directory of their pages, so only a directory with a cache takes precedence.
func (f *diffFlags) open(cmd *cobra.Command, name string) (*openedCaches, error) {
	if name == "" {
		return nil, usagef("OLD and NEW must not be empty: name two caches")
	}
	if _, err := os.Lstat(filepath.Join(name, cache.ManifestPath)); err != nil && !strings.ContainsAny(name, `/\`) {
		file, err := f.file.read()
		if err != nil && f.file.path != "" { // without --file, the name is probably a directory
			return nil, err
		}
		if err == nil {
			if chosen, err := file.Choose([]string{name}); err == nil {
				return openTargets(cmd, chosen, true)
			}
		}
	}
	return openNamed(cmd, []mcp.NamedCache{{Path: name}}, nil)
}

// print prints the changes. Because JSON can be large, it isn't kept in memory. Instead, it is
// first written to nowhere, so the command can still fail before it prints anything.
func (f *diffFlags) print(cmd *cobra.Command, changes *agent.DiffResult) error {
	if !f.json {
		answer, err := changes.Answer(cmd.Context())
		if err != nil {
			return err
		}
		return present(cmd, commandOutput{answer: answer})
	}
	if err := changes.WriteJSON(cmd.Context(), io.Discard); err != nil {
		return err
	}
	return changes.WriteJSON(cmd.Context(), outputWriter{cmd})
}

// An outputWriter writes to standard output, and fails as print does.
type outputWriter struct{ cmd *cobra.Command }

func (w outputWriter) Write(data []byte) (int, error) { return len(data), print(w.cmd, data) }

// complete completes directories and targets for OLD and NEW.
func (f *diffFlags) complete(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) >= 2 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, _ := f.file.complete(cmd, args, typed)
	return names, cobra.ShellCompDirectiveDefault
}
