package changes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

func TestMain(m *testing.M) { effort.Main(m) }

// lineText draws a text of few distinct lines, which sometimes lacks the last line end.
func lineText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c", "# h", "## i", "```", "long enough to count as the text of a section"}), 0, 30).Draw(t, "lines")
		return strings.Join(lines, "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	})
}

func pageOf(text string) PageParts {
	return NewPageParts([]byte(text), markdown.Parse([]byte(text)).Body.Blocks)
}

func linesOf(text string) (lines []string) {
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}

// apply returns the old text with the edits, and checks their order.
func apply(t *rapid.T, old, new []string, edits []LineEdit) string {
	var b strings.Builder
	at, last := 0, LineEdit{}
	for i, e := range edits {
		if e.Old.Size() < 0 || e.New.Size() < 0 || e.Old.Size()+e.New.Size() == 0 || i > 0 && (e.Old.Start <= last.Old.End || e.New.Start <= last.New.End) {
			t.Fatalf("edit %d is %v after %v", i, e, last)
		}
		b.WriteString(strings.Join(old[at:e.Old.Start], "") + strings.Join(new[e.New.Start:e.New.End], ""))
		at, last = e.Old.End, e
	}
	return b.String() + strings.Join(old[at:], "")
}

func TestEditsTurnTheOldTextIntoTheNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, new := lineText().Draw(t, "old"), lineText().Draw(t, "new")
		edits, isExact := CompareLines([]byte(old), []byte(new))
		if got := apply(t, linesOf(old), linesOf(new), edits); got != new || !isExact {
			t.Errorf("%v: got %q, want %q", edits, got, new)
		}
		if (len(edits) == 0) != (old == new) {
			t.Errorf("got %d edits", len(edits))
		}
		changed := 0
		for _, e := range edits {
			changed += e.Old.Size() + e.New.Size()
		}
		if least := leastEdits(linesOf(old), linesOf(new)); changed != least {
			t.Errorf("got %d changed lines, want %d: %v", changed, least, edits)
		}
	})
}

// leastEdits computes the number of changed lines from the table of all common subsequences.
func leastEdits(a, b []string) int {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			common[i+1][j+1] = max(common[i][j+1], common[i+1][j])
			if a[i] == b[j] {
				common[i+1][j+1] = common[i][j] + 1
			}
		}
	}
	return len(a) + len(b) - 2*common[len(a)][len(b)]
}

// The unchanged and the changed parts together are the new page.
func TestThePartsOfAPageAreFoundAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, new := pageOf(lineText().Draw(t, "old")), pageOf(lineText().Draw(t, "new"))
		changes := ComparePages(old, new)
		if isEqual := string(old.Content) == string(new.Content); isEqual != (len(changes) == 0) {
			t.Fatalf("got %d changes", len(changes))
		}
		if diff := cmp.Diff(changes, ComparePages(old, new)); diff != "" {
			t.Errorf("compared again (-first +second):\n%s", diff)
		}
		olds, news := old.parts, new.parts
		for _, c := range changes {
			if c.Kind == PartRemoved {
				olds = without(t, olds, c.Old)
				continue
			}
			news = without(t, news, c.New)
			if c.Kind == PartAdded {
				continue
			}
			olds = without(t, olds, c.Old)
			a, b := string(old.Content[c.Old.Start:c.Old.End]), string(new.Content[c.New.Start:c.New.End])
			if got := apply(t, linesOf(a), linesOf(b), c.Edits); got != b {
				t.Errorf("%s: got %q, want %q", c.Kind, got, b)
			}
			if (c.Kind == PartMoved) != (a == b) {
				t.Errorf("%q to %q is %s", a, b, c.Kind)
			}
		}
		if len(olds) != len(news) {
			t.Fatalf("%d parts of the old page and %d of the new page are left", len(olds), len(news))
		}
		for i := range olds { // they kept their order
			a, b := old.Content[olds[i].Start:olds[i].End], new.Content[news[i].Start:news[i].End]
			if string(a) != string(b) {
				t.Errorf("%q became %q without a change", a, b)
			}
		}
	})
}

func without(t *rapid.T, parts []PagePart, part PagePart) (rest []PagePart) {
	for _, p := range parts {
		if p.Start != part.Start || p.End != part.End {
			rest = append(rest, p)
		}
	}
	if len(rest) != len(parts)-1 {
		t.Fatalf("%v is not a part, or is listed twice", part)
	}
	return rest
}

func TestPartsAreToldByTheirHeadings(t *testing.T) {
	const intro = "---\ntitle: A\n---\n# A\n\nintro\n"
	example := func(name string) string {
		return "## " + name + "\n\n### Example\n\n" + name + " is an example of some length.\n"
	}
	for _, test := range []struct{ name, old, new, want string }{
		{"a section before others of the same heading", intro + example("b") + example("c"), intro + example("a") + example("b") + example("c"), "added A > a; added A > a > Example"},
		{"another heading", intro + example("b"), intro + strings.Replace(example("b"), "Example", "Sample", 1), "changed A > b > Sample"},
		{"sections swapped", intro + "## b\n\nb\n" + "## c\n\nc\n", intro + "## c\n\nc\n" + "## b\n\nb\n", "moved A > c"},
		{"front matter", intro, strings.Replace(intro, "title: A", "title: B", 1), "changed front matter"},
		{"front matter that was text", "-" + intro, intro, "added front matter; removed ; removed title: A"},
		{"text that was front matter", intro, "-" + intro, "added ; added title: A; removed front matter"},
		{"a rewritten section with another heading", intro + "## b\n\none line of text\n\nanother line of text\n", intro + "## c\n\none line of text\n\nanother line of text\n\nnew\n", "changed A > c"},
		{"a removed section", intro + example("b") + example("c"), intro + example("c"), "removed A > b; removed A > b > Example"},
	} {
		var got []string
		for _, c := range ComparePages(pageOf(test.old), pageOf(test.new)) {
			part := c.New
			if c.Kind == PartRemoved {
				part = c.Old
			}
			name := strings.Join(part.Headings, " > ")
			if part.IsFrontMatter {
				name = "front matter"
			}
			got = append(got, string(c.Kind)+" "+name)
		}
		if diff := cmp.Diff(test.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// Texts that are too large or too different are compared in bounded time, and the result says that
// it isn't exact.
func TestHostileTextsAreBounded(t *testing.T) {
	unique := func(prefix string, n int) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s%d\n", prefix, i)
		}
		return []byte(b.String())
	}
	reversed := func(text []byte) []byte {
		lines := strings.SplitAfter(string(text), "\n")
		var b strings.Builder
		for i := range lines {
			b.WriteString(lines[len(lines)-1-i])
		}
		return []byte(b.String())
	}
	some := unique("a", mostLines-1)
	for _, test := range []struct {
		name     string
		old, new []byte
		isExact  bool
	}{
		{"unique lines", some, unique("b", mostLines-1), true},
		{"reversed lines", some, reversed(some), false},
		{"too many lines", unique("a", 2*mostLines), unique("b", 2*mostLines), false},
		{"blank lines", []byte(strings.Repeat("\n", 4<<20)), []byte(strings.Repeat("\n", 4<<20+1)), true},
		{"one line changed of many", append(unique("a", 2*mostLines), "a\n"...), append(unique("a", 2*mostLines), "b\n"...), true},
	} {
		edits, isExact := CompareLines(test.old, test.new)
		if isExact != test.isExact || len(edits) != 1 {
			t.Errorf("%s: got %d edits and exact %t, want 1 and %t", test.name, len(edits), isExact, test.isExact)
		}
	}
}

func TestSimilarityIsTheShareOfTheLargerText(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"a\n", "a\n", 100},
		{"a\nb\n", " a \n\n\nb", 100},
		{"aaaa\nbbbb\n", "aaaa\ncccc\n", 50},
		{"aa\n", "aa\naa\naa\n", 33},
		{"a\n", "b\n", 0},
	} {
		if got := Similarity([]byte(test.a), []byte(test.b)); got != test.want {
			t.Errorf("%q and %q: got %d%%, want %d%%", test.a, test.b, got, test.want)
		}
		if got := Similarity([]byte(test.b), []byte(test.a)); got != test.want {
			t.Errorf("%q and %q: got %d%%, want %d%%", test.b, test.a, got, test.want)
		}
	}
}

// A page that kept most of its lines is a candidate, regardless of added lines.
func TestMovedPagesAreCandidates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "pages")
		var old, new []LineSketch
		for i := range n {
			text := ""
			for line := range rapid.IntRange(3, 200).Draw(t, "lines") {
				text += fmt.Sprintf("page %d line %d\n", i, line)
			}
			old = append(old, SketchOf([]byte(text)))
			new = append(new, SketchOf([]byte(text+"another line\n")))
		}
		found := map[Move]bool{}
		for _, m := range FindMoves(old, new) {
			found[m] = true
		}
		for i := range n {
			if !found[Move{i, i, 0}] {
				t.Errorf("page %d of %d is no candidate", i, n)
			}
		}
	})
}
