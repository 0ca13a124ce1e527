package agent

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
)

// twoVersions draws a corpus and a later version of it: pages are kept, changed, removed, renamed,
// and added.
func twoVersions() *rapid.Generator[[2]map[string]string] {
	return rapid.Custom(func(t *rapid.T) [2]map[string]string {
		old := corpusOf().Draw(t, "corpus")
		new := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(old)) {
			switch rapid.IntRange(0, 4).Draw(t, "fate of "+name) {
			case 0:
			case 1:
				new["moved/"+name] = old[name]
			case 2:
				new[name] = old[name] + "\n\n## Added\n\n" + blockText().Draw(t, "added") + "\n"
			case 3:
				new[name] = pageText().Draw(t, "rewritten")
			default:
				new[name] = old[name]
			}
		}
		if len(new) == 0 || rapid.Bool().Draw(t, "with another page") {
			new["new/page.md"] = pageText().Draw(t, "new page")
		}
		return [2]map[string]string{old, new}
	})
}

// versionsOf builds a cache of each version.
func versionsOf(t cleaner, dir string, versions [2]map[string]string) (old, new answers.Member) {
	t.Helper()
	members := setOf(t, dir, map[string]map[string]string{"a": versions[0], "b": versions[1]}).Members()
	return members[0], members[1]
}

func diffOf(t rapid.TB, old, new answers.Member, request DiffRequest) (*DiffResult, string, string) {
	t.Helper()
	d, err := Diff(context.Background(), old, new, request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := Markdown(d.Answer(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	var json bytes.Buffer
	if err := d.WriteJSON(context.Background(), &json); err != nil {
		t.Fatal(err)
	}
	return d, string(text), json.String()
}

func versionsByID(t rapid.TB, of answers.Member) map[document.ID]document.Version {
	t.Helper()
	found := map[document.ID]document.Version{}
	ids, err := of.Documents()
	for n, id := range ids {
		doc, wrong := of.ReadAt(n)
		if err = wrong; err != nil {
			break
		}
		found[id] = doc.Version
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The changed pages, applied to the old list of pages, give the new list. Seen from the other side,
// added pages are removed.
func TestTheChangesLeadFromOneListOfPagesToTheOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		old, new := versionsOf(t, dir, twoVersions().Draw(t, "versions"))
		d, _, _ := diffOf(t, old, new, DiffRequest{})
		pages := versionsByID(t, old)
		for _, p := range d.pages {
			if !p.IsAdded() {
				if pages[p.Old.ID] != p.Old.Version {
					t.Errorf("%s is %s, want %s", p.Old.ID, p.Old.Version, pages[p.Old.ID])
				}
				delete(pages, p.Old.ID)
			}
		}
		if len(pages) != d.equal {
			t.Errorf("got %d pages without a change, want %d", d.equal, len(pages))
		}
		for _, p := range d.pages {
			if !p.IsRemoved() {
				pages[p.New.ID] = p.New.Version
			}
		}
		if diff := cmp.Diff(versionsByID(t, new), pages); diff != "" {
			t.Errorf("(-new +old with the changes):\n%s", diff)
		}
		back, _, _ := diffOf(t, new, old, DiffRequest{})
		n, m := d.counters(), back.counters()
		n.Added, n.Removed = n.Removed, n.Added
		if n != m {
			t.Errorf("got %+v, and from the other side %+v", n, m)
		}
	})
}

func TestACacheDoesNotDifferFromItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		corpus := corpusOf().Draw(t, "corpus")
		old, new := versionsOf(t, dir, [2]map[string]string{corpus, corpus})
		d, text, json := diffOf(t, old, new, DiffRequest{Query: rapid.SampledFrom([]string{"", "cache"}).Draw(t, "query")})
		if !d.IsEmpty() || !strings.HasSuffix(text, ": no page changed\n") || !strings.Contains(json, `"changes":[]`) {
			t.Errorf("got %s%s", text, json)
		}
	})
}

// An answer keeps to its budget, stays in its frame, and comes again byte for byte. Its first line
// comes in any case.
func TestADiffIsBoundedAndComesAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		old, new := versionsOf(t, dir, twoVersions().Draw(t, "versions"))
		request := DiffRequest{
			Query:  rapid.SampledFrom([]string{"", "", "run item", "xyzzy"}).Draw(t, "query"),
			Budget: rapid.IntRange(1, 3000).Draw(t, "budget"),
			Jobs:   rapid.IntRange(0, 3).Draw(t, "jobs"),
		}
		_, text, json := diffOf(t, old, new, request)
		head, _, _ := strings.Cut(text, "\n")
		if most := max(4*request.Budget, len(head)+len("\nno change is about the words of the question\n")); len(text) > most {
			t.Errorf("got %d bytes, want at most %d:\n%s", len(text), most, text)
		}
		if at := strings.Index(text, "\n"+markPrefix+" "); at >= 0 {
			splitAnswer(t, text[at+1:])
		}
		if most := max(4*request.Budget, 400); len(json) > most {
			t.Errorf("got %d bytes of JSON, want at most %d:\n%s", len(json), most, json)
		}
		request.Jobs = 1
		_, text2, json2 := diffOf(t, old, new, request)
		if text2 != text || json2 != json {
			t.Errorf("asked again (-first +second):\n%s%s", cmp.Diff(text, text2), cmp.Diff(json, json2))
		}
	})
}

func TestARenamedPageIsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		old := map[string]string{}
		for i := range rapid.IntRange(2, 8).Draw(t, "pages") {
			text := ""
			for line := range rapid.IntRange(3, 30).Draw(t, "lines") {
				text += fmt.Sprintf("Line %d of page %d.\n\n", line, i)
			}
			old[fmt.Sprintf("guide/page-%d.md", i)] = text
		}
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(old))).Draw(t, "renamed")
		new := maps.Clone(old)
		delete(new, name)
		new["other/name.md"] = old[name]
		want := "renamed"
		if rapid.Bool().Draw(t, "and changed") {
			new["other/name.md"] = old[name] + "Added.\n"
		}
		a, b := versionsOf(t, dir, [2]map[string]string{old, new})
		d, text, _ := diffOf(t, a, b, DiffRequest{})
		if len(d.pages) != 1 || d.pages[0].kind() != want || d.equal != len(old)-1 || !strings.Contains(text, "  "+name+" -> other/name.md") {
			t.Errorf("got %s", text)
		}
	})
}

func TestTheChangesForAQuestionComeFirst(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("This line says nothing in particular.\n", 3)
	old := map[string]string{"a.md": "# A\n\n" + filler, "z.md": "# Retries\n\nA client retries 3 times.\n"}
	new := map[string]string{"a.md": "# A\n\n" + filler + "One more line.\n", "z.md": "# Retries\n\nA client retries 5 times.\n"}
	a, b := versionsOf(t, t.TempDir(), [2]map[string]string{old, new})
	_, text, json := diffOf(t, a, b, DiffRequest{Query: "how many retries"})
	const want = "-A client retries 3 times.\n+A client retries 5 times.\n"
	if !strings.Contains(text, want) || strings.Contains(text, "+One more line.") || strings.Index(json, `"z.md"`) > strings.Index(json, `"a.md"`) {
		t.Errorf("got %s%s", text, json)
	}
	if _, text, _ = diffOf(t, a, b, DiffRequest{Query: "xyzzy"}); !strings.Contains(text, "\nno change is about the words of the question\n") || !strings.Contains(text, "+One more line.") {
		t.Errorf("got %s", text)
	}
	if _, text, _ = diffOf(t, a, b, DiffRequest{Paths: []string{"a.md"}}); strings.Contains(text, "z.md") {
		t.Errorf("got %s", text)
	}
}
