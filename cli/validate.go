package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/dotcontext"
	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/internal/yaml12"
)

const validateHelp = `Validate reads every .context.yaml of a project, and .context.config.yaml. It
prints one line per problem: file, line, field, and how to mend it. --strict also
compares a context with its directory. It finds names that do not exist in scope,
files, subdirectories, structure and derived_fields, files that the context should
list, interfaces that no file mentions, and dependencies.internal that lead nowhere.
It also checks the forms of fingerprint and last_updated.

The last line has the numbers of valid, invalid and missing files. A file is
missing if its directory needs a context. The exit status is 6 if validate cannot
read a file, and otherwise 9 if a file is invalid. With --format github, each problem
is also an annotation of GitHub Actions, at its line.`

func validateCommand() *cobra.Command {
	var strict bool
	cmd := onProject(&cobra.Command{
		Use:     "validate",
		Short:   "Say what is wrong with the contexts of a project",
		Long:    validateHelp,
		Example: "  context validate --strict",
		Args:    noArguments,
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
	if annotates(cmd) {
		sayProblems(cmd, p.Path, v)
	}
	if err := print(cmd, []byte(describeValidation(v))); err != nil {
		return err
	}
	if err := v.Err(); err != nil {
		return err
	}
	if n := v.Invalid(); n > 0 {
		return fault.Errorf(fault.ContextInvalid, "%s: correct what standard output names", counted(n, "invalid file"))
	}
	return nil
}

// describeValidation returns one line per problem, as compilers print them, and a
// line of counts.
func describeValidation(v *dotcontext.Validation) string {
	var b strings.Builder
	for _, file := range v.Files {
		for _, problem := range file.Problems {
			fmt.Fprintln(&b, words.Printable(describeProblem(file.Path, problem)))
		}
	}
	fmt.Fprintf(&b, "%d valid, %d invalid, %d missing.\n", v.Valid(), v.Invalid(), v.Missing)
	return b.String()
}

// describeProblem returns a problem of the file at a path, with the line that it is in.
func describeProblem(path string, problem yaml12.Problem) string {
	line := cmp.Or(problem.Line, 1)
	problem.Line = 0 // the text begins with it
	return fmt.Sprintf("%s:%d: %s", path, line, problem)
}

// sayProblems says the problems of the project at root.
func sayProblems(cmd *cobra.Command, root string, v *dotcontext.Validation) {
	for _, file := range v.Files {
		for _, problem := range file.Problems {
			say(cmd, remark{"error", filepath.Join(root, filepath.FromSlash(file.Path)), cmp.Or(problem.Line, 1), describeProblem(file.Path, problem)})
		}
	}
}

// counted returns a number of things in words.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
