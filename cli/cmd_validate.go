package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/contexts/dotcontext"
)

func validateCommand() *cobra.Command {
	var strict bool
	cmd := onProject(&cobra.Command{
		Use:         "validate",
		Short:       "Check the contexts of a project for errors",
		Annotations: map[string]string{exitKey: "6: a file is unreadable; 9: a file is invalid."},
		Example:     "  context validate --strict",
		Args:        noArguments,
	}, func(cmd *cobra.Command, p *dotcontext.Project, _ []string) error { return validate(cmd, p, strict) })
	bindAnnotations(cmd, "text")
	cmd.Flags().BoolVar(&strict, "strict", false, "also compare contexts with their directories")
	return cmd
}

func validate(cmd *cobra.Command, p *dotcontext.Project, strict bool) error {
	v, err := p.Validate(cmd.Context(), strict)
	if err != nil {
		return err
	}
	warn(cmd, v.Warnings)
	if err := print(cmd, []byte(describeValidation(cmd, p.Path, v))); err != nil {
		return err
	}
	if err := v.Err(); err != nil {
		return err
	}
	if n := v.Invalid(); n > 0 {
		return fault.Errorf(fault.ContextInvalid, "%s: fix the problems listed on standard output", counted(n, "invalid file"))
	}
	return nil
}

// describeValidation returns a line for each problem, in the form of compilers, and then
// the counts. It also annotates problems if asked for.
func describeValidation(cmd *cobra.Command, root string, v *dotcontext.Validation) string {
	var b strings.Builder
	for _, file := range v.Files {
		for _, problem := range file.Problems {
			line := cmp.Or(problem.Line, 1)
			problem.Line = 0 // the text begins with it
			text := fmt.Sprintf("%s:%d: %s", file.Path, line, problem)
			fmt.Fprintln(&b, words.Printable(text))
			if annotates(cmd) {
				say(cmd, console.Remark{Kind: "error", File: filepath.Join(root, filepath.FromSlash(file.Path)), Line: line, Message: text})
			}
		}
	}
	fmt.Fprintf(&b, "%d valid, %d invalid, %d missing.\n", v.Valid(), v.Invalid(), v.Missing)
	return b.String()
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
