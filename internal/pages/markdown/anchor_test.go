package markdown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The expected anchors were recorded from github-slugger 2.0.0, which makes the anchors of a page
// in this order, as GitHub does.
func TestAnchorsAreThoseOfGitHub(t *testing.T) {
	page := anchors{}
	for _, heading := range []struct{ text, want string }{
		{"Setup", "setup"},
		{"Setup", "setup-1"},
		{"Setup-1", "setup-1-1"},
		{"Setup", "setup-2"},
		{"How to install it?", "how-to-install-it"},
		{"heading with a - dash", "heading-with-a---dash"},
		{"heading with an _ underscore", "heading-with-an-_-underscore"},
		{"a period.txt", "a-periodtxt"},
		{"I ♥ unicode", "i--unicode"},
		{"dash–dash", "dashdash"},
		{"😄 emoji", "-emoji"},
		{"⚠️ Warning", "️-warning"},
		{"1️⃣ First", "1️⃣-first"},
		{"Größe & 日本", "größe--日本"},
		{"Профили пользователей", "профили-пользователей"},
		{"ΟΔΟΣ", "οδος"},
		{"İstanbul", "i̇stanbul"},
		{"x² and ½", "x-and-"},
		{"① One", "-one"},
		{"C#", "c"},
		{"c++", "c-1"},
		{"C", "c-2"},
		{" padded ", "-padded-"},
		{"two  spaces", "two--spaces"},
		{"non\u00a0breaking", "nonbreaking"},
		{"tab\tstop", "tabstop"},
		{"`code` & <T>", "code--t"},
		{"!?", ""},
		{"!?", "-1"},
		{"v1.2.3", "v123"},
		{"snake_case-and-kebab", "snake_case-and-kebab"},
		{"100%", "100"},
		{"हिन्दी", "हिन्दी"},
		{"ไทย", "ไทย"},
		{"é é", "é-é"},
	} {
		if got := page.next(heading.text); got != heading.want {
			t.Errorf("%q: got %q, want %q", heading.text, got, heading.want)
		}
	}
}

// A heading may name its anchor, as Hugo, Docusaurus and kramdown have it.
func TestAHeadingMayNameItsAnchor(t *testing.T) {
	page := anchors{}
	for _, heading := range []struct{ text, want string }{
		{"Span processor {#Spans_v1.2:x}", "Spans_v1.2:x"},
		{"Trailing space {#a} ", "a"},
		{"The same again {#a}", "a-1"},
		{"A", "a-2"},
		{"Nothing {#}", "nothing-"},
		{"A tilde {#b~2}", "a-tilde-b2"},
		{"In the {#middle} of it", "in-the-middle-of-it"},
	} {
		if got := page.next(heading.text); got != heading.want {
			t.Errorf("%q: got %q, want %q", heading.text, got, heading.want)
		}
	}
}

// Converted pages keep the anchors of their generator in comments.
func TestACommentNamesTheAnchorOfItsHeading(t *testing.T) {
	const content = "# A <!--#object.__init__-->\n\n## B <!--#sort(int[])-->\n\n## B <!--#sort(int[])-->\n\n## `C` <!--#impl-T%3CU%3E--> \n\n" +
		"## D <!-- #d -->\n\n## E <!--#a b-->\n\n## <!--#f--> F\n\n> ## Q <!--#g-->\n\n## G\n\n## H <!--#a~1-->\n"
	var got []string
	for _, b := range Parse([]byte(content)).Blocks {
		if b.Level > 0 {
			got = append(got, b.Title+": "+b.Anchor)
		}
	}
	want := []string{"A: object.__init__", "B: sort(int[])", "B: sort(int[])-1", "C: impl-T%3CU%3E", "D: d-", "E: e-", "F: -f", "G: g-1", "H: h-"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnchorCommentsAreReadAgain(t *testing.T) {
	for _, name := range []string{"a", "GUC-WORK-MEM", "sort(int[],java.util.List)", "_x_", "a&b", "größe", "-x"} {
		if got, ok := commentedName([]byte("A heading " + AnchorComment(name))); !ok || got != name {
			t.Errorf("%q: got %q and %t", name, got, ok)
		}
	}
	for _, name := range []string{"", "a b", "a--b", "a-", "<a>", "a~1", "a\nb", "😄"} {
		if got := AnchorComment(name); got != "" {
			t.Errorf("%q: got %q, want none", name, got)
		}
	}
}

// The anchor of a heading depends on all headings before it. Headings in lists and quotations also
// count, although they don't begin a block.
func TestAnchorsAreCountedOverTheWholePage(t *testing.T) {
	const content = "# Setup\n\n> ## Setup\n>\n> - text\n>   # *Setup*\n\n1. # Setup\n2. Setup\n   ---\n\n" +
		"## [Setup](x.md)\n\n## <a id=\"s\"></a>Setup ![logo](l.png)\n\nSetup\n=====\n\n##  Two  spaces  \n\n    # Setup\n\n```\n# Setup\n```\n# Setup\n"
	var got []string
	for _, b := range Parse([]byte(content)).Blocks {
		if b.Level > 0 {
			got = append(got, b.Title+": "+b.Anchor)
		}
	}
	want := []string{"Setup: setup", "Setup: setup-5", "Setup logo: setup-", "Setup: setup-6", "Two spaces: two--spaces", "Setup: setup-7"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
