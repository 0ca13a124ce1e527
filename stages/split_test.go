package stages

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
)

// largeDocument returns a document of the size from which on pages take turns.
func largeDocument(id document.ID, line string) document.Document {
	content := bytes.Repeat([]byte(line), largePage/len(line)+1)
	return document.Document{ID: id, Version: document.VersionOf(content), Content: content}
}

// A large page waits until the one before it is split, as long as its call has time. Small
// pages do not wait, and neither do pages that were split before.
func TestLargePagesTakeTurns(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	large, known := largeDocument("a.md", "# a\n"), largeDocument("b.md", "# b\n")
	first, err := SplitOf(t.Context(), known)
	if err != nil {
		t.Fatal(err)
	}
	leave, err := largeTurn.Enter(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := SplitOf(ended, large); !errors.Is(err, context.Canceled) {
		t.Errorf("a large page out of turn: got error %v, want %v", err, context.Canceled)
	}
	if small, err := SplitOf(ended, document.Document{ID: "a.md", Content: []byte("# a\n")}); err != nil || len(small.Blocks) != 1 {
		t.Errorf("a small page: got %+v and error %v", small, err)
	}
	if again, err := SplitOf(ended, known); err != nil || &again.Blocks[0] != &first.Blocks[0] {
		t.Errorf("a page that was split before: got error %v, or another split", err)
	}
	leave()
	if split, err := SplitOf(t.Context(), large); err != nil || split.Blocks[0].Title != "a" {
		t.Errorf("a large page in its turn: got error %v", err)
	}
}

// A reader of a cache uses the memory of a page for its next page. The split of the first page is
// kept, so it must not change: its text, its titles, and the fences of code that was cut.
func TestASplitOutlivesTheMemoryOfItsPage(t *testing.T) {
	for _, line := range []string{"a line of code\n", "- [a](b) `c` <b>d</b>\n", "## A title {#a}\n\nText.\n\n"} {
		content := []byte("---\ntitle: T\n---\n# A\n\n~~~~ go\n" + strings.Repeat(line, 1000) + "~~~~\n\n" + strings.Repeat(line, 1000))
		doc := document.Document{ID: "a.md", Version: document.VersionOf(content), Content: bytes.Clone(content)}
		kept, err := SplitOf(t.Context(), doc)
		if err != nil {
			t.Fatal(err)
		}
		copy(doc.Content, bytes.Repeat([]byte("`"), len(content)))
		doc.Content, doc.Version = content, document.Version{} // which is never kept
		if want, err := SplitOf(t.Context(), doc); err != nil || !reflect.DeepEqual(kept, want) {
			t.Errorf("%q: the split changed with the memory of its page (error %v)", line, err)
		}
	}
}

// Only a version tells what a page contains, so a page without one is split each time.
func TestPagesWithoutAVersionAreSplitEachTime(t *testing.T) {
	for _, doc := range []document.Document{{ID: "a.md", Content: []byte("# a\n")}, largeDocument("a.md", "# a\n")} {
		doc.Version = document.Version{}
		if _, err := SplitOf(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
		doc.Content = bytes.ToUpper(doc.Content)
		if split, err := SplitOf(t.Context(), doc); err != nil || split.Blocks[0].Title != "A" {
			t.Errorf("%d bytes: got the split of another page, or error %v", len(doc.Content), err)
		}
	}
}

// The same text is something else in MDX.
func TestTheSplitOfALargePageDependsOnItsKind(t *testing.T) {
	const line = "export const a = 1\n\n"
	for _, id := range []document.ID{"a.md", "a.mdx", "b.md"} {
		split, err := SplitOf(t.Context(), largeDocument(id, line))
		if err != nil || split.IsMDX != isMDX(id, nil) {
			t.Errorf("%s: got IsMDX %t and error %v", id, split.IsMDX, err)
		}
	}
}

// The estimated size of a kept split is about right, so the bound holds.
func TestTheLargestSplitIsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("-short asks for less than a page of 16 MiB, which takes seconds")
	}
	content := bytes.Repeat([]byte("# a\n"), document.MaxSize/4)
	split, err := SplitOf(t.Context(), document.Document{ID: "a.md", Version: document.VersionOf(content), Content: content})
	if size := split.size(); err != nil || size > heldSplits || size < len(content) {
		t.Errorf("got error %v and %d bytes, want at most %d", err, size, heldSplits)
	}
}
