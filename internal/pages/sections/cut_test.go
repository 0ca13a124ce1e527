package sections_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/internal/pages/sections"
)

// Sizes of selection 1, as docs/selection.md has them.
const (
	wholeSize   = 2000
	mergeSize   = 600
	largestSize = 4000
	tinySize    = 100
)

func cut(content []byte) []sections.Section {
	return sections.Cut(markdown.Parse(content).Body)
}

// drawPage draws a page, most often large enough to be cut.
func drawPage() *rapid.Generator[[]byte] {
	line := rapid.Custom(func(t *rapid.T) string {
		kind := rapid.SampledFrom([]string{"", "", "", "- ", "> ", "1. ", "    ", "# ", "## ", "### ", "```", "~~~", "<p>", "===", "---", "| ", "|-|\n| "}).Draw(t, "kind")
		word := rapid.SampledFrom([]string{"a", "word ", "日本語", "Größe", "[x](y) ", "part", "\t", "\xff", "-"}).Draw(t, "word")
		times := rapid.SampledFrom([]int{0, 1, 1, 5, 40, 150, 300}).Draw(t, "times")
		return kind + strings.Repeat(word, times) + rapid.SampledFrom([]string{"\n", "\n", "\n\n", "\r\n", ""}).Draw(t, "end")
	})
	return rapid.Custom(func(t *rapid.T) []byte {
		var page bytes.Buffer
		page.WriteString(rapid.SampledFrom([]string{"", "", "\ufeff", "---\na: 1\n---\n", "---\na: " + strings.Repeat("x", 3000) + "\n---\n", "---\na: 1\n---\n" + strings.Repeat("\n", 2500)}).Draw(t, "beginning"))
		for range rapid.IntRange(0, 12).Draw(t, "parts") {
			page.WriteString(strings.Repeat(line.Draw(t, "line"), rapid.SampledFrom([]int{1, 1, 1, 2, 30, 60}).Draw(t, "repeated")))
		}
		return page.Bytes()
	})
}

// check fails the test unless sections are valid sections of a page.
func check(t rapid.TB, content []byte, parts []sections.Section) {
	t.Helper()
	if len(parts) == 0 {
		t.Fatal("got no sections")
	}
	page := markdown.Parse(content)
	front := page.Blocks[0].Start
	start := 0
	if body := bytes.TrimLeft(content[front:], " \t\r\n"); page.FrontMatter != nil && len(body) > 0 {
		start = bytes.LastIndexByte(content[:len(content)-len(body)], '\n') + 1
	}
	end := start
	slugs := map[string]bool{}
	for i, p := range parts {
		if p.Start != end || p.End <= p.Start && len(content) > 0 {
			t.Fatalf("section %d is from %d to %d, the previous section ends at %d", i, p.Start, p.End, end)
		}
		if p.Start > 0 && content[p.Start-1] != '\n' {
			t.Fatalf("section %d begins at %d, within a line", i, p.Start)
		}
		if isPart := len(content)-start > wholeSize || start > 0; slugs[p.Slug] || isPart == (p.Slug == "") {
			t.Fatalf("unexpected slug of section %d of %d: %q", i, len(parts), p.Slug)
		}
		slugs[p.Slug] = true
		body := content[max(p.Start, front):max(p.End, front)]
		large := bytes.TrimSuffix(body[min(tinySize, len(body)):], []byte("\n")) // tiny parts are not cut off
		if last := large[bytes.LastIndexByte(large, '\n')+1:]; len(last) > 0 && len(bytes.Trim(last, "`~> \t\r")) == 0 {
			large = bytes.TrimSuffix(large[:len(large)-len(last)], []byte("\n")) // nor is a closing fence
		}
		if lines := bytes.Count(large, []byte("\n")); len(large) > largestSize && lines > 0 {
			t.Fatalf("section %d contains %d bytes, with line feeds at %d places", i, len(body), lines)
		}
		if (p.Traits == sections.First) != (i == 0) {
			t.Fatalf("unexpected traits of section %d: %b", i, p.Traits)
		}
		if slices.Contains(p.Headings, "") {
			t.Fatalf("unexpected headings of section %d: %q", i, p.Headings)
		}
		checkFrame(t, content, p)
		end = p.End
	}
	if end != len(content) {
		t.Fatalf("the last section ends at %d of %d", end, len(content))
	}
}

func TestSectionsAreAllOfAPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := drawPage().Draw(t, "page")
		before := bytes.Clone(content)
		sections := cut(content)
		check(t, content, sections)
		if diff := cmp.Diff(sections, cut(before)); diff != "" || !bytes.Equal(content, before) {
			t.Errorf("the second time (-first +second):\n%s", diff)
		}
	})
}

func FuzzCut(f *testing.F) {
	for _, line := range []string{"# a\n", "a\n===\n", "- b\n\n", "> c\n", "\xff\x00\r\n", "```\n", "word ", "---\n"} {
		f.Add([]byte(line), uint16(3000/len(line)), []byte("# a\n"))
	}
	for _, frame := range []string{"```go\n%s```\n", "> ~~~\n> %s> ~~~\n", "| a |\n|---|\n%s", "- | a |\n  |---|\n  %s"} {
		lead, tail, _ := strings.Cut(frame, "%s")
		f.Add([]byte(lead[strings.LastIndexByte(lead, '\n')+1:]+"| 1 |\n"), uint16(400), []byte(tail))
		f.Add([]byte(lead+strings.Repeat("| 1 |\n", 900)+tail), uint16(1), []byte("\n# a\n"))
	}
	f.Fuzz(func(t *testing.T, part []byte, times uint16, rest []byte) {
		content := slices.Concat(bytes.Repeat(part, min(int(times), 10_000/max(1, len(part)))), rest)
		check(t, content, cut(content))
	})
}

// Every heading begins a section. Only sections below the least size are merged, and only sections
// above the largest size are cut.
func TestSectionsStayWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(tinySize, 2*largestSize), 4, 30).Draw(t, "sizes")
		var page strings.Builder
		for i, size := range sizes {
			fmt.Fprintf(&page, "# a%d\n%s\n", i, strings.Repeat("b\n", size/2))
		}
		content := []byte(page.String())
		if len(content) <= wholeSize {
			return
		}
		sections := cut(content)
		check(t, content, sections)
		for i, p := range sections {
			text := string(content[p.Start:p.End])
			if strings.Count(text, "#") > 1 && len(text) > mergeSize {
				t.Errorf("section %d of %d bytes contains several headings", i, len(text))
			}
			if i == 0 {
				continue
			}
			before := sections[i-1]
			if p.End-before.Start <= mergeSize {
				t.Errorf("sections %d and %d contain %d bytes together", i-1, i, p.End-before.Start)
			}
			if whole, _, _ := strings.Cut(string(content[before.Start+1:]), "# "); text[0] != '#' && len(whole) < largestSize && content[before.Start] == '#' {
				t.Errorf("section %d of %d bytes is cut", i-1, len(whole))
			}
		}
	})
}

// In testdata/page.md every kind of cut is there; page.golden has the slug, the
// size and the headings of each section, and then its first and last line.
func TestASamplePageIsCutAsItAlwaysWas(t *testing.T) {
	content, err := os.ReadFile("testdata/page.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/page.golden")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, p := range cut(content) {
		lines := strings.Split(strings.TrimRight(string(content[p.Start:p.End]), "\n"), "\n")
		fmt.Fprintf(&got, "%s: %d bytes from %d, under %q\n\t%.60s\n\t%.60s\n", p.Slug, p.End-p.Start, p.Start, p.Headings, lines[0], lines[len(lines)-1])
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("selection 1 would change: it must not; see docs/selection.md (-pinned +got):\n%s", diff)
	}
}

func TestASmallPageIsOneSectionWithoutASlug(t *testing.T) {
	for _, tc := range []struct {
		content string
		want    int // sections
	}{
		{"", 1},
		{strings.Repeat("# a\nb\n", 333), 1}, // 1998 bytes
		{strings.Repeat("# a\nb\n", 333) + "cd", 1},        // 2000 bytes
		{strings.Repeat("# a\nb\n", 333) + "cde", 4},       // 2001 bytes
		{strings.Repeat("x", 1<<20), 1},                    // without a line to cut at
		{strings.Repeat("x", 5000) + "\n" + "# a\ny\n", 2}, // likewise
	} {
		sections := cut([]byte(tc.content))
		check(t, []byte(tc.content), sections)
		if len(sections) != tc.want {
			t.Errorf("%d bytes: got %d sections, want %d", len(tc.content), len(sections), tc.want)
		}
	}
}

// If a section begins with a heading, it has the anchor of this heading. Links cannot lead to
// sections that begin elsewhere.
func TestSlugsAreAnchors(t *testing.T) {
	section := func(heading string, size int) string {
		return heading + "\n\n" + strings.Repeat(strings.Repeat("text ", 20)+"\n\n", size/102)
	}
	for _, tc := range []struct {
		name, content string
		want          []string
	}{
		{
			"headings", section("# How to *install* it?", 1500) + section("## Setup", 1500) + section("## Setup", 1500) + section("## Setup-1", 1500),
			[]string{"how-to-install-it", "setup", "setup-1", "setup-1-1"},
		},
		{
			"parts of sections", section("# A", 6500) + section("# B", 1500) + section("# A", 6500),
			[]string{"a", "a~2", "a~3", "b", "a-1", "a-1~2", "a-1~3"},
		},
		{"no heading", section("Text.", 3300) + section("more", 3300), []string{"~1", "~2", "~3"}},
		{"front matter", "---\ntitle: Guide\n---\n" + section("Text.", 1500) + section("# A", 1500), []string{"~1", "a"}},
		{"blank lines", "---\ntitle: Guide\n---\n\n \n" + section("# A", 6500), []string{"a", "a~2", "a~3"}},
		{"no anchor", section("# !?", 6500) + section("# ...", 1500) + section("#", 1500), []string{"~1", "~2", "~3", "-1", "-2"}},
		{
			"small sections", section("# A", 120) + section("## B", 120) + section("## C", 120) + section("## C", 2000),
			[]string{"a", "c-1"},
		},
		{"small page with front matter", "---\ntitle: Guide\n---\n\n# A\n\ntext\n", []string{"a"}},
		{"small page without headings", "---\ntitle: Guide\n---\ntext\n\n# A\n", []string{"~1"}},
		{"nothing but front matter", "---\ntitle: Guide\n---\n\n", []string{""}},
		{"small page", "# A\n", []string{""}},
		{"quotations", section("# A", 1500) + "> # B\n\n" + section("# B", 1500), []string{"a", "b-1"}},
		{"names", section("# Span {#Spans.1}", 6500), []string{"Spans.1", "Spans.1~2", "Spans.1~3"}},
		{"long", section("# "+strings.Repeat("ab ", 60), 1400) + section("## B", 1400), []string{strings.TrimSuffix(strings.Repeat("ab-", 60), "-"), "b"}},
	} {
		var got []string
		for _, p := range cut([]byte(tc.content)) {
			got = append(got, p.Slug)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func TestTraitsSayWhatASectionIsInItsPage(t *testing.T) {
	content := []byte("# A\n\n" + strings.Repeat("text\n\n", 1100) + "## B\n\n" + strings.Repeat("text\n\n", 900))
	var got []string
	for _, p := range cut(content) {
		got = append(got, fmt.Sprintf("%s %b", p.Slug, p.Traits))
	}
	first, continues := sections.First, sections.Continues
	want := []string{
		fmt.Sprintf("a %b", first), fmt.Sprintf("a~2 %b", continues), fmt.Sprintf("a~3 %b", continues),
		"b 0", fmt.Sprintf("b~2 %b", continues),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A cut keeps the announcement of a block together with the block.
func TestAPartDoesNotEndWithAnAnnouncement(t *testing.T) {
	text := strings.Repeat("text text text\n\n", 99) // 1,584 bytes
	rest := strings.Repeat("- item\n", 700)
	for announcement, want := range map[string]string{"Do this:": "Do this:", "It is so.": "- item"} {
		content := "# A\n\n" + text + announcement + "\n\n" + rest
		second := cut([]byte(content))[1]
		if got, _, _ := strings.Cut(content[second.Start:], "\n"); got != want {
			t.Errorf("the second part begins with %q, want %q", got, want)
		}
	}
}

// The limits are those of docs/selection.md.
func TestSizesDecideToTheByteWhereAPageIsCut(t *testing.T) {
	block := func(size int) string { return strings.Repeat("x", size-2) + "\n\n" }
	line := func(size int) string { return strings.Repeat("x", size-1) + "\n" }
	rest := "# Z\n\n" + block(2500)
	for _, tc := range []struct {
		name        string
		page        func(size int) string
		limit       int
		first, next int // size of the first section at the limit, and with a byte more
	}{
		{"merged sections", func(size int) string { return "# A\n\n" + block(200) + "# B\n\n" + block(size-210) + rest }, 600, 600, 205},
		{"section", func(size int) string { return "# A\n\n" + block(2000) + block(size-2005) + rest }, 4000, 4000, 2005},
		{"part", func(size int) string { return "# A\n\n" + block(1000) + block(size-1005) + block(3000) }, 1600, 1600, 1005},
		{"tiny section", func(size int) string { return "# A\n\n" + block(size-5) + "# B\n\n" + block(700) + rest }, 100, 805, 101},
		{"announcement", func(size int) string {
			return "# A\n\n" + block(1000) + strings.Repeat("x", size-3) + ":\n\n" + block(3000)
		}, 200, 1005, 1206},
		{"block", func(size int) string {
			return "# A\n\n" + line(size-2300) + strings.Repeat(line(100), 23) + "- " + block(2000)
		}, 2400, 2405, 2306},
	} {
		for more, want := range []int{tc.first, tc.next} {
			if got := cut([]byte(tc.page(tc.limit + more)))[0]; got.End != want {
				t.Errorf("%s of %d bytes: got a first section of %d bytes, want %d", tc.name, tc.limit+more, got.End, want)
			}
		}
	}
}

func TestIDHasTheSlugBehindThePage(t *testing.T) {
	for slug, want := range map[string]string{"": "a/b.md", "install-1": "a/b.md#install-1"} {
		if got := sections.ID("a/b.md", slug); string(got) != want {
			t.Errorf("%q: got %q, want %q", slug, got, want)
		}
	}
}

// The test makes sure that pages consisting of headings, of items, or of a single line can be cut
// at all.
func TestHostilePagesAreCut(t *testing.T) {
	size := effort.Cases(1<<20, 1<<17)
	for _, part := range []string{"# a\n", "- x\n", "x", "x\n", "\n", "# a-1\n# a\n", "# " + strings.Repeat("long ", 800) + "\n\nx\n\n"} {
		content := bytes.Repeat([]byte(part), size/len(part))
		check(t, content, cut(content))
	}
}

// A page may have more blank lines below its front matter than a part holds.
func TestBlankLinesBelowFrontMatterBelongToNoSection(t *testing.T) {
	for _, blank := range []int{1, 2_399, 2_500, 7_200} {
		text := "install it now.\n"
		content := []byte("---\ntitle: x\n---\n" + strings.Repeat("\n", blank) + strings.Repeat(text, 160))
		parts := cut(content)
		check(t, content, parts)
		if got := string(content[parts[0].Start:][:len(text)]); got != text {
			t.Errorf("%d blank lines: the first section begins with %q", blank, got)
		}
	}
}
