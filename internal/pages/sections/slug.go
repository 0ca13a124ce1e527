package sections

import (
	"strconv"
)

// namer gives the sections of a page their slugs. For each anchor, it counts the sections
// below the heading with this anchor.
type namer map[string]int

// begins returns the slug of a section beginning with a heading. It is the heading's anchor, so
// that the section's ID also works as a link. A heading without an anchor counts as text.
func (n namer) begins(anchor string) string {
	if anchor == "" {
		return n.continues("")
	}
	return anchor
}

// continues returns the slug of a section beginning in the middle of the text under a heading:
// "setup~2" for the second part of #setup, and "~1" for the first part of a page without headings.
// Since anchors never contain a tilde, these slugs can't be mistaken for anchors.
func (n namer) continues(anchor string) string {
	if n[anchor] == 0 && anchor != "" {
		n[anchor] = 1 // the first part begins with the heading, perhaps after another
	}
	n[anchor]++
	return anchor + "~" + strconv.Itoa(n[anchor])
}
