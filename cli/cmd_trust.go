package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/actions"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/project/targets"
)

func trustCommand() *cobra.Command {
	var list, revoke bool
	cmd := &cobra.Command{
		Use:         "trust [FILE]",
		Short:       "Let builds run the convert commands of a Contextfile.yml",
		Annotations: map[string]string{exitKey: "6: a script is unreadable; 9: invalid file."},
		SuggestFor:  []string{"allow"},
		Example: `  context trust
  context trust --list
  context trust --revoke`,
		Args: cobra.MaximumNArgs(1),
		RunE: runOn(func(cmd *cobra.Command, args []string) error {
			if list && len(args) > 0 {
				return usagef("--list lists all files, so leave out %s", args[0])
			}
			if list {
				return listTrust(cmd)
			}
			path, err := contextfileOf(args)
			if err != nil {
				return err
			}
			if revoke {
				return revokeTrust(cmd, path)
			}
			return trust(cmd, path)
		}),
	}
	cmd.Flags().BoolVar(&list, "list", false, "list the files that you trust")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "trust the file no longer")
	exclude(cmd, "list", "revoke")
	return cmd
}

// contextfileOf returns the file that the arguments name, or the nearest Contextfile.
func contextfileOf(args []string) (path string, err error) {
	if len(args) > 0 {
		if path = args[0]; path == "" {
			err = usagef("FILE is empty: name a %s", targets.Name)
		}
		return path, err
	}
	if path, err = findContextfile(); err == nil && path == "" {
		err = usagef("%v: name a file", errNoFile)
	}
	return path, err
}

// A trustedFile is a line of the output of trust.
type trustedFile struct {
	File     string   `json:"file"`
	Result   string   `json:"result"`   // trusted, changed, missing, invalid or revoked
	Commands []string `json:"commands"` // of the current file
	Scripts  []string `json:"scripts"`  // whose contents were trusted
}

func printTrusted(cmd *cobra.Command, all ...trustedFile) error {
	table := tableOn(cmd, "File", "Result", "Commands", "Scripts")
	for _, f := range all {
		if err := table.row(f, f.File, f.Result, strings.Join(f.Commands, "; "), strings.Join(f.Scripts, " ")); err != nil {
			return err
		}
	}
	return table.print()
}

var errNoTrustPlace = fault.Errorf(fault.IO, "there is no place to remember what you trust: set HOME or XDG_STATE_HOME")

func trust(cmd *cobra.Command, path string) error {
	now, commands, err := trustOf(cmd.Context(), path)
	if err != nil {
		return err
	}
	if len(commands) == 0 {
		return usagef("%s contains no convert commands, so there is nothing to trust", path)
	}
	all := userTrust()
	if all.Dir == "" {
		return errNoTrustPlace
	}
	if err := os.MkdirAll(all.Dir, 0o700); err != nil {
		return fault.Errorf(fault.IO, "make %s: %w", all.Dir, fault.Cause(err))
	}
	if err := replaceFile(all.Path(now.File), now.Encode(), 0o600); err != nil {
		return err
	}
	return printTrusted(cmd, trustedFile{now.File, "trusted", commands, now.Paths()})
}

// trustOf returns the hashes that the user would trust now, and the commands of a Contextfile.
func trustOf(ctx context.Context, path string) (t actions.Trust, commands []string, err error) {
	file, err := targets.Read(path, environment())
	if err != nil {
		return t, nil, err
	}
	all := file.Commands()
	if len(all) == 0 {
		return t, nil, nil
	}
	for _, a := range all {
		commands = append(commands, a.String())
	}
	t, err = actions.TrustOf(ctx, all, os.Getenv("PATH"))
	return t, commands, err
}

func revokeTrust(cmd *cobra.Command, path string) error {
	file, err := replace.Locate(path)
	if err != nil {
		return err
	}
	all := userTrust()
	if all.Dir == "" {
		return errNoTrustPlace
	}
	existed, err := all.Remove(file)
	if err != nil {
		return err
	}
	if !existed {
		return usagef("%s is not trusted; `context trust --list` lists the files that are", path)
	}
	return printTrusted(cmd, trustedFile{File: file, Result: "revoked"})
}

func listTrust(cmd *cobra.Command) error {
	all, err := userTrust().All()
	if err != nil {
		return err
	}
	var lines []trustedFile
	for _, t := range all {
		line := trustedFile{File: t.File, Result: "trusted", Scripts: t.Paths()}
		now, commands, err := trustOf(cmd.Context(), t.File)
		line.Commands = commands
		switch _, absent := os.Lstat(t.File); {
		case cmd.Context().Err() != nil:
			return context.Cause(cmd.Context())
		case errors.Is(absent, fs.ErrNotExist):
			line.Result = "missing"
		case err != nil:
			line.Result = "invalid"
		case now.Sum != t.Sum || !slices.Equal(now.Scripts, t.Scripts):
			line.Result = "changed"
		}
		lines = append(lines, line)
	}
	return printTrusted(cmd, lines...)
}

// userTrust returns the records of what the user trusts. They are machine-local state: they
// belong neither to a project, which could come with its own, nor to a cache that may be emptied.
func userTrust() actions.TrustList {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return actions.TrustList{}
		}
		switch runtime.GOOS {
		case "windows":
			dir = filepath.Join(home, "AppData", "Local")
		case "darwin":
			dir = filepath.Join(home, "Library", "Application Support")
		default:
			dir = filepath.Join(home, ".local", "state")
		}
	}
	return actions.TrustList{Dir: filepath.Join(dir, "context", "trust")}
}
