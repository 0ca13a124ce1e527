package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/internal/words"
)

// A remark is a warning or an error that a command prints on standard error.
type remark struct {
	kind    string // warning or error
	file    string // that it is about, as a user may give it; "" for none
	line    int    // of the file, from 1; 0 for none
	message string
}

// bindAnnotations binds the flag that makes annotations of the remarks of cmd. usual names
// what its report is.
func bindAnnotations(cmd *cobra.Command, usual string) {
	bindWord(cmd, new(bool), "format", usual,
		"print `FORMAT`: "+usual+", or github, which makes annotations of warnings and errors",
		word[bool]{usual, false}, word[bool]{"github", true})
}

// annotates reports whether the remarks of cmd are annotations.
func annotates(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup("format")
	return flag != nil && flag.Value.String() == "github"
}

// say prints a remark in a line.
func say(cmd *cobra.Command, r remark) {
	line := label(cmd, r.kind) + " " + words.Printable(r.message)
	if annotates(cmd) {
		line = r.annotation()
	}
	fmt.Fprintln(cmd.ErrOrStderr(), line)
}

// warn says warnings that are about no file.
func warn(cmd *cobra.Command, warnings []string) {
	for _, warning := range warnings {
		say(cmd, remark{kind: "warning", message: warning})
	}
}

// Texts in a command of a workflow. Without them, the name of a file could hold a command.
var (
	annotated = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotation returns the remark as a command of a workflow:
// https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
func (r remark) annotation() string {
	var place string
	if r.file != "" {
		place = " file=" + property.Replace(words.Printable(inRepository(r.file)))
	}
	if r.line > 0 {
		place += fmt.Sprintf(",line=%d", r.line)
	}
	return "::" + r.kind + place + "::" + annotated.Replace(words.Printable(r.message))
}

// inRepository returns the path of a file as annotations have it: with slashes, and relative
// to the repository, or to the working directory outside of GitHub Actions. It is absolute
// if the file lies elsewhere.
func inRepository(file string) string {
	full, err := files.Absolute(file)
	if err != nil {
		return file
	}
	root, err := filepath.Abs(os.Getenv("GITHUB_WORKSPACE"))
	if err != nil {
		return full
	}
	if below, err := filepath.Rel(root, full); err == nil && filepath.IsLocal(below) {
		full = below
	}
	return filepath.ToSlash(full)
}
