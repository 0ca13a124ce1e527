package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/docs"
	"github.com/contextcompiler/context/fault"
)

// demoDocs and demoCache stand for directories in a temporary one. The commands
// also work in a clone of this program's repository.
const (
	demoDocs  = "docs"
	demoCache = "build/demo"
)

// demoSteps are the commands of the demo. The budget has room for a section or two:
// a person can read the whole answer.
var demoSteps = [][]string{
	{"build", "--sources", demoDocs, "--cache", demoCache},
	{"explain", "--cache", demoCache, "--query", "exit status", "--budget", "300", "--others", "2"},
	{"resolve", "--cache", demoCache, "--query", "exit status", "--budget", "300", "--format", "pretty"},
	{"verify", "--cache", demoCache},
}

func demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		Short:   "Build, ask and verify this program's own documentation",
		GroupID: cacheGroup,
		Long: `Demo compiles this program's own documentation in a temporary directory, asks it a
question and checks it. It shows each command with its output, and leaves nothing
behind. You can paste the commands in a clone of this program's repository.`,
		Args: noArguments,
		RunE: run(demo),
	}
}

func demo(cmd *cobra.Command) error {
	dir, err := os.MkdirTemp("", "context-demo-")
	if err != nil {
		return fault.Errorf(fault.IO, "make a temporary directory in %s: %w", os.TempDir(), fault.Cause(err))
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(filepath.Join(dir, "docs"), docs.Files); err != nil {
		return fault.Errorf(fault.IO, "write the documentation: %w", fault.Cause(err))
	}
	var shown bytes.Buffer
	for _, step := range demoSteps {
		fmt.Fprintf(&shown, "$ context %s\n", shellLine(step))
		nested := rootCommand()
		nested.SetArgs(placed(step, dir))
		nested.SetOut(&shown)
		nested.SetErr(cmd.ErrOrStderr())
		if err := nested.ExecuteContext(cmd.Context()); err != nil {
			return err
		}
		shown.WriteByte('\n')
	}
	return print(cmd, shown.Bytes())
}

// placed returns args with the directories of the demo moved into dir.
func placed(args []string, dir string) []string {
	var out []string
	for _, arg := range args {
		if arg == demoDocs || arg == demoCache {
			arg = filepath.Join(dir, arg)
		}
		out = append(out, arg)
	}
	return out
}

// shellLine returns args as a person types them.
func shellLine(args []string) string {
	var typed []string
	for _, arg := range args {
		if strings.Contains(arg, " ") {
			arg = `"` + arg + `"`
		}
		typed = append(typed, arg)
	}
	return strings.Join(typed, " ")
}
