package console

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/words"
)

// A Remark is a warning or an error on standard error.
type Remark struct {
	Kind    string // warning or error
	File    string // "" if it isn't about a file
	Line    int    // of the file, from 1; 0 for none
	Message string
}

// Text returns the remark as a line for people, which starts with its kind.
func (r Remark) Text(isColoured bool) string {
	style := Bad
	switch {
	case !isColoured:
		style = ""
	case r.Kind == "warning":
		style = Warning
	}
	return style.Paint(r.Kind+":") + " " + words.Printable(r.Message)
}

// Without these escapes, the name of a file could contain a workflow command.
var (
	escapedMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapedProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Annotation returns the remark as a workflow command of GitHub:
// https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
func (r Remark) Annotation() string {
	var place string
	if r.File != "" {
		place = " file=" + escapedProperty.Replace(words.Printable(inRepository(r.File)))
	}
	if r.Line > 0 {
		place += fmt.Sprintf(",line=%d", r.Line)
	}
	return "::" + r.Kind + place + "::" + escapedMessage.Replace(words.Printable(r.Message))
}

// inRepository returns the path of a file for annotations: with slashes, and relative to
// the repository, or to the working directory outside of GitHub Actions. Files elsewhere
// keep their absolute paths.
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
