package sections

import (
	"strconv"

	"github.com/contextcompiler/context/internal/markdown"
)

// namer gives the sections of a page their slugs. By the anchor of each section's
// heading, it counts the sections that begin within the section.
type namer map[string]int

// begins returns the slug of a section that begins with a heading: the heading's
// anchor, so that the section's ID is a link to it. A heading without an anchor
// counts for none.
func (n namer) begins(anchor string) string {
	if anchor == "" {
		return n.continues("")
	}
	return anchor
}

// first returns the slug of a section that begins with a block.
func (n namer) first(b markdown.Block) string {
	if b.Level > 0 {
		return n.begins(b.Anchor)
	}
	return n.continues("")
}

// continues returns the slug of a section that begins within the section of a
// heading: "setup~2" for the second part of #setup, and "~1" for the first part of
// a page without headings. No anchor has a tilde, so the slug looks like none.
func (n namer) continues(anchor string) string {
	if n[anchor] == 0 && anchor != "" {
		n[anchor] = 1 // it begins with the heading, perhaps behind another
	}
	n[anchor]++
	return anchor + "~" + strconv.Itoa(n[anchor])
}
