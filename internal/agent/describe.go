package agent

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/contextcompiler/context/resolve"
)

// Describe prints a line on a cache: its name, pages, sections, selection, version and
// description.
func Describe(out *bytes.Buffer, of resolve.Member) error {
	pages, sections, err := of.Size()
	if err != nil {
		return err
	}
	line := fmt.Sprintf("- %s: %s", cmp.Or(of.Name, "cache"), count(pages, "page"))
	if sections > 0 {
		line += ", " + count(sections, "section")
	}
	line += fmt.Sprintf(", selection %s, %s", of.Selection(), of.Version())
	if about := of.About(); about.Description != "" {
		line += ": " + about.Description
	}
	out.WriteString(oneLine(line) + "\n")
	return nil
}
