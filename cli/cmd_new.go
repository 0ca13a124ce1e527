package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/internal/project/targets"
)

func newCommand() *cobra.Command {
	var dir string
	var withPackages bool
	cmd := &cobra.Command{
		Use:   "new [--path DIR] [--packages]",
		Short: "Write a Contextfile.yml from the documentation of a project",
		Example: `  context new && context build
  context new --packages`,
		Args: noArguments,
		RunE: run(func(cmd *cobra.Command) error { return writeNew(cmd, dir, withPackages) }),
	}
	bindPath(cmd, &dir)
	cmd.Flags().BoolVar(&withPackages, "packages", false, "add a target for the installed packages that ship documentation")
	return cmd
}

func writeNew(cmd *cobra.Command, dir string, withPackages bool) error {
	path := filepath.Join(dir, targets.Name)
	if _, err := os.Lstat(path); err == nil {
		return existing(path)
	}
	if wrong := targets.Misspelled(dir); wrong != "" {
		return usagef("%v", targets.MisspelledError(wrong))
	}
	proposal, err := targets.Propose(cmd.Context(), dir)
	if errors.Is(err, sources.ErrUnreadable) || errors.Is(err, sources.ErrTooDeep) {
		return fault.Errorf(fault.IO, "%v; leave it out with %s", err, filepath.Join(dir, ".contextignore")) // new has no --exclude
	}
	if errors.Is(err, targets.ErrNoPages) && withPackages {
		err = nil // the packages suffice
	}
	if err != nil {
		return err
	}
	if withPackages {
		problems, err := proposal.AddPackages(cmd.Context(), dir, environment())
		warn(cmd, problems)
		if err != nil {
			return err
		}
	}
	if err := createFile(path, proposal.Text(moduleVersion())); err != nil {
		return err
	}
	if n := len(proposal.Elsewhere); n > 0 {
		warn(cmd, []string{fmt.Sprintf("pages outside all targets: %d, the first is %s: add them to the file if agents need them", n, proposal.Elsewhere[0])})
	}
	if proposal.IsTracked {
		warn(cmd, []string{"git does not ignore the caches: add the line /build/context/ to .gitignore"})
	}
	return printNew(cmd, path, proposal)
}

// A newReport is the output of new.
type newReport struct {
	File      string      `json:"file"`
	Targets   []newTarget `json:"targets"`
	Elsewhere int         `json:"elsewhere"`
}

type newTarget struct {
	Target  string   `json:"target"`
	Sources []string `json:"sources"`
	Pages   int      `json:"pages"`
}

// printNew prints a proposal, and on a terminal also what to do next.
func printNew(cmd *cobra.Command, path string, proposal targets.Proposal) error {
	r := newReport{File: path, Elsewhere: len(proposal.Elsewhere)}
	overview := console.Sheet{Heading: []string{"Target", "Pages", "Sources"}}
	for _, t := range proposal.Targets {
		var dirs []string
		for _, s := range t.Sources {
			dirs = append(dirs, cmp.Or(s.Dir, s.Package))
		}
		r.Targets = append(r.Targets, newTarget{t.Name, dirs, t.Pages()})
		overview.Add(t.Name, strconv.Itoa(t.Pages()), strings.Join(dirs, " "))
	}
	if !console.IsTerminal(cmd.OutOrStdout()) {
		return printJSON(cmd, r)
	}
	next := ""
	if filepath.Dir(path) != "." {
		next = " " + console.ShellLine([]string{"--file", path})
	}
	return print(cmd, []byte(drawn(cmd, overview)+fmt.Sprintf(`
%[1]s is written: edit it as you like. Then
  context build%[2]s   makes the caches
  context client%[2]s  tells how to connect an agent
`, path, next)))
}
