package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/request"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/lazy"
)

func skillCommand() *cobra.Command {
	var into string
	var check, force bool
	var outline agent.OutlineRequest
	var cmd *cobra.Command
	cmd = onCaches(&cobra.Command{
		Use:         "skill --into DIR [--check] [--cache DIR]...",
		Short:       "Write an Agent Skill for the documentation",
		Annotations: map[string]string{exitKey: "8: with --check, the file is out of date."},
		Example: `  context skill --into .claude/skills/product-docs
  context skill --cache build/context --into .agents/skills/product-docs --check`,
		Args: noArguments,
	}, func(ctx context.Context, set *answers.Set, _ []string) (commandOutput, error) {
		name, err := skillName(into)
		if err != nil {
			return commandOutput{}, err
		}
		for _, path := range slices.Concat(valuesOf(cmd, "cache"), []string{into}) {
			if !isText(path) {
				return commandOutput{}, usagef("the path %q contains control characters or is not UTF-8, so a skill cannot name it: choose another directory", path)
			}
		}
		if check && force {
			return commandOutput{}, usagef("--check writes nothing, so leave out --force")
		}
		skill, err := agent.Skill(ctx, set, agent.SkillRequest{
			Name: name, Outline: outline, ReadHint: readHint(cmd),
			Commands: []agent.Command{
				{Line: askLine(cmd, "search") + ` "QUESTION"`, Purpose: "finds sections, each with the sentence that answers best"},
				{Line: askLine(cmd, "read", "HANDLE"), Purpose: "prints a section or page that search found"},
				{Line: askLine(cmd, "ask") + ` "QUESTION"`, Purpose: "does both, for an answer that is spread over sections"},
				{Line: askLine(cmd, "grep") + ` 'TEXT'`, Purpose: "finds exact text, such as a flag or an error code"},
			},
		})
		if err != nil {
			return commandOutput{}, err
		}
		return commandOutput{}, putSkill(into, skill, check, force)
	})
	flags := cmd.Flags()
	flags.StringVar(&into, "into", "", "write SKILL.md into `DIR`, which is created if missing")
	flags.BoolVar(&check, "check", false, "only check whether the file is up to date")
	flags.BoolVar(&force, "force", false, "replace a SKILL.md that this command did not write")
	bindParameters(cmd, request.Depth.To(&outline.Depth), request.Tokens("budget", "list pages in at most `N` tokens").To(&outline.Budget))
	require(cmd, "into")
	completeDirectories(cmd, "into")
	return cmd
}

// skillNames are the names allowed by the specification of Agent Skills. A skill must
// also have the name of its directory.
var skillNames = lazy.Regexp(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func skillName(dir string) (string, error) {
	absolute, err := files.Absolute(dir)
	if err != nil {
		return "", fault.Errorf(fault.IO, "find %s: %w", dir, fault.Cause(err))
	}
	const longest = 64
	name := filepath.Base(absolute)
	if len(name) > longest || !skillNames().MatchString(name) {
		return "", usagef("--into %s: the directory names the skill, and %q is not a valid name: use up to %d lower-case letters, digits and single hyphens, such as product-docs", dir, name, longest)
	}
	return name, nil
}

// putSkill writes a skill into a directory, or checks whether it is there.
func putSkill(dir string, skill []byte, check, force bool) error {
	path := filepath.Join(dir, "SKILL.md")
	text, mode, err := readOld(path)
	unix := bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) // git may change the line ends
	switch {
	case err != nil:
		return err
	case bytes.Equal(unix, skill):
		return nil
	case check:
		return fault.Errorf(fault.Stale, "%s is out of date: write it without --check", path)
	case len(text) > 0 && !agent.IsSkill(text) && !force:
		return fault.Errorf(fault.IO, "%s was not written by `context skill`: choose another directory, or replace it with --force", path)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fault.Errorf(fault.IO, "make %s: %w", dir, fault.Cause(err))
	}
	return replaceFile(path, skill, mode)
}
