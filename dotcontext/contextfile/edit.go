package contextfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// An edit replaces a part of a text.
type edit struct {
	start, end int // bytes
	text       string
}

// apply returns text with edits made, which must not overlap.
func apply(text []byte, edits []edit) []byte {
	edits = slices.Clone(edits)
	// What is inserted before a part comes before what replaces it.
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(a.start-b.start, a.end-b.end)
	})
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, text[at:e.start]...)
		out = append(out, e.text...)
		at = e.end
	}
	return append(out, text[at:]...)
}

// verify reports if an edited text does not say what it is to say. Then an
// anchor or a tag is at play that an edit of one place cannot do justice to.
func verify(after []byte, want *Context) error {
	got, err := Parse(after)
	if err != nil {
		return fmt.Errorf("the edited text would not be valid: %w", err)
	}
	if name := firstDifference(got, want); name != "" {
		return fmt.Errorf("the edit would not leave %s as it is to be; remove anchors and aliases", name)
	}
	return nil
}

// verifyLines reports if any line differs but those of the edits.
func verifyLines(before, after []byte, edits []edit) error {
	var touched []int
	for _, e := range edits {
		touched = append(touched, bytes.Count(before[:e.start], []byte("\n")))
	}
	was, is := bytes.Split(before, []byte("\n")), bytes.Split(after, []byte("\n"))
	if len(was) != len(is) {
		return errors.New("the edit would change the number of lines")
	}
	for i := range was {
		if !bytes.Equal(was[i], is[i]) && !slices.Contains(touched, i) {
			return fmt.Errorf("the edit would change line %d", i+1)
		}
	}
	return nil
}
