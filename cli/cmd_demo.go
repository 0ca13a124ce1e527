package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/docs"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/project/targets"
)

// demoSteps are the commands of the demo, which also work in a clone of this repository.
// The budgets allow for a section or two, so a person can read the whole answer.
var demoSteps = [][]string{
	{"build"},
	{"ask", "which exit status means that a cache is out of date", "--budget", "400"},
	{"explain", "--cache", "build/context/docs", "--query", "exit status", "--budget", "400", "--others", "2"},
	{"check"},
}

func demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		Short:   "Build, ask and check this program's own documentation",
		Example: "  context demo",
		Args:    noArguments,
		RunE:    run(demo),
	}
}

func demo(cmd *cobra.Command) error {
	dir, err := os.MkdirTemp("", "context-demo-")
	if err != nil {
		return fault.Errorf(fault.IO, "make a temporary directory in %s: %w", os.TempDir(), fault.Cause(err))
	}
	defer os.RemoveAll(dir)
	before, err := os.Getwd()
	err = cmp.Or(
		err,
		os.CopyFS(filepath.Join(dir, "docs"), docs.Files),
		os.WriteFile(filepath.Join(dir, targets.Name), []byte(docs.Contextfile), 0o666),
		os.Chdir(dir), // so the commands and their output can be pasted
	)
	if err != nil {
		return fault.Errorf(fault.IO, "write the documentation into %s: %w", dir, fault.Cause(err))
	}
	defer os.Chdir(before) // or Windows removes no directory
	shown := printout{on: cmd.OutOrStdout()}
	for _, step := range demoSteps {
		command := "$ context " + console.ShellLine(step)
		if isColoured(cmd, shown.on) {
			command = console.Bold.Paint(command)
		}
		fmt.Fprintln(&shown, command)
		nested := rootCommand()
		nested.SetArgs(append(slices.Clone(step), "--no-pager", "--color", cmd.Flag("color").Value.String()))
		nested.SetOut(&shown)
		nested.SetErr(cmd.ErrOrStderr())
		if err := nested.ExecuteContext(cmd.Context()); err != nil {
			return err
		}
		shown.WriteByte('\n')
	}
	shown.WriteString(afterDemo)
	return print(cmd, shown.Bytes())
}

// afterDemo contains commands for after the demo, when its directory is gone.
const afterDemo = `The directory of this demo is removed. For your own pages, run these in your project:
  context new
  context build
  context ask "how do I install it"
  context serve --http 127.0.0.1:8787 --open
The last one opens a page on which you can look at the answers.
To repeat the demo, run its commands in a clone of
https://github.com/contextcompiler/context.
`

// A printout buffers what commands print. If its writer is a terminal, they behave as on a
// terminal.
type printout struct {
	bytes.Buffer
	on io.Writer
}

func (p *printout) Unwrap() io.Writer { return p.on }
