package agent

import (
	"strings"
	"testing"
)

// sharpPages are pages whose names contain "#", and pages named by references to them, cut at the
// wrong "#".
var sharpPages = map[string]string{
	"c#.md": "# C sharp\n\nNotes.\n\n## Get it\n\nSharp.\n", "c.md": "# C\n\n## Get it\n\nPlain.\n",
	"lib/x#y#z.md": "# Both\n\n## Get it\n\nTwice.\n", "lib/x.md": "# X\n\n## y\n\nOnce.\n",
}

func TestAReferenceNamesThePageWithTheLongestPath(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{"docs": sharpPages})
	for reference, want := range map[string]string{
		"docs:c#.md": "c#.md:1-7", "docs:c#.md#get-it": "c#.md:5-7", "docs:c#.md:3": "c#.md:3", "docs:c#.md#L3": "c#.md:3",
		"docs:c#.md#get-it:3-5": "c#.md:3-5", "c#": "c#.md:1-7", "c#get-it": "c.md:3-5", "c.md#get-it": "c.md:3-5",
		"docs:lib/x#y#z.md": "lib/x#y#z.md:1-5", "x#y#z.md#get-it": "lib/x#y#z.md:3-5", "x#y#z#get-it": "lib/x#y#z.md:3-5",
		"x#y#z:3": "lib/x#y#z.md:3", "lib/x.md#y": "lib/x.md:3-5", "lib/x#y": "lib/x#y#z.md:1-5",
	} {
		found, err := find(t.Context(), set.Members(), reference)
		if err != nil {
			t.Errorf("%s: %v", reference, err)
			continue
		}
		got := string(found.doc.ID) + ":" + found.lines(found.start, found.end).String()
		if got != want {
			t.Errorf("%s: got %s, want %s", reference, got, want)
		}
	}
	for _, reference := range []string{"docs:q#.md#get-it", strings.Repeat("#", 1<<20)} {
		if _, err := find(t.Context(), set.Members(), reference); err == nil || !strings.HasPrefix(err.Error(), "no page ") {
			t.Errorf("%.40s: got %v, want that there is no page", reference, err)
		}
	}
}

func TestAnchorsOfPagesWithASharpAreListed(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{"docs": sharpPages})
	index, err := PassiveIndex(t.Context(), set, OutlineRequest{Depth: DeepestHeadings}, "")
	if want := "docs:c#.md C sharp\n  #get-it Get it\n"; err != nil || !strings.Contains(string(index), want) {
		t.Errorf("got %s and error %v, want %s", index, err, want)
	}
}
