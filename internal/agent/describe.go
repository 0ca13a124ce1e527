package agent

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/resolve"
)

// Describe prints a line on a cache: its name, pages, sections, selection, version and
// description.
func Describe(out *bytes.Buffer, of resolve.Member) error {
	pages, sections, err := of.Size()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "- %s: %s", cmp.Or(of.Name, "cache"), count(pages, "page"))
	if sections > 0 {
		fmt.Fprintf(out, ", %s", count(sections, "section"))
	}
	fmt.Fprintf(out, ", selection %s, %s", of.Selection(), of.Version())
	if about := of.About(); about.Description != "" {
		out.WriteString(": " + words.Printable(about.Description))
	}
	out.WriteString("\n")
	return nil
}
