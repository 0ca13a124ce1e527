// Package sections cuts pages into sections, which selection 1 ranks and prints. A
// section stays whole unless it is very large, and very small sections are joined. The
// package is pure.
//
//	markdown.Parse → Cut → Weigher.Weigh, once per section
//
// # Determinism
//
// The cuts and slugs depend only on the bytes of a page and on whether it is MDX. The
// weights also depend on its ID. All of them are part of selection 1 and never change.
package sections

import (
	"bytes"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// A Section is a part of a page. Together, the sections of a page cover everything after
// the front matter, in order and without gaps. Each begins at the start of a line.
type Section struct {
	Start, End int // bytes of the page's content

	// If a table or code block is cut where the section begins or ends, Lead and Tail are
	// the bytes of the page to print before and after the section: the header and the
	// delimiter row, or the fences. The section doesn't contain them.
	Lead, Tail document.Range

	// Slug follows the page's ID in the section's ID. It is unique in the page, and empty
	// if the section is the whole page.
	Slug string

	// Headings are the title in the front matter, the headings above the section, and its
	// own headings, in this order.
	Headings []string
	Above    int // how many of Headings are above the section

	Text   []byte           // the bytes of the section, with spaces instead of markup
	Code   []document.Range // in Text, in order: code blocks, and code spans including their backticks
	Fence  markdown.Fence   // before the first line; open if the section begins in a code block
	Traits Traits

	IsMetadata bool // whether the page is nothing but front matter
}

// Traits describe the position and kind of a section, as bits.
type Traits = uint8

// The bits of Traits. They are part of the format of the index.
const (
	First     Traits = 1 << iota // the first section of the page
	Continues                    // continues the previous section, because the whole was too large
	Links                        // mostly links, and not the first section
)

// ID returns the ID of a section of a page.
func ID(page document.ID, slug string) document.ID {
	if slug == "" {
		return page
	}
	return page + "#" + document.ID(slug)
}

// Sizes in bytes. They are constants of selection 1, measured in docs/selection.md.
const (
	// wholeSize is the size up to which a page stays whole.
	wholeSize = 2000

	// mergeSize is the largest section made by joining neighbours.
	mergeSize = 600

	// largestSize is the size up to which a section stays whole.
	largestSize = 4000

	// partSize is the size up to which a part of a larger section takes more blocks.
	partSize = 1600

	// tinySize is the size up to which text is too small for a section, for example a
	// heading without text. It is joined to the next block.
	tinySize = 100

	// longestAnnouncement is the maximum size in bytes of a block announcing the next block.
	longestAnnouncement = 200

	// largestBlock is the size up to which a block stays whole. A larger block also stays whole
	// if it contains no line end to cut at.
	largestBlock = 2400

	// largestFrame is the maximum size of lead and tail together that parts repeat.
	largestFrame = 1200
)

// linkPercent is the percentage of a section's letters that must be in links before the section
// counts as mostly links.
const linkPercent = 60

// Cut cuts a page into sections. They don't refer to the memory of the page, which a reader of
// a cache uses again for its next page.
func Cut(page markdown.Body) []Section {
	sections := cut(page)
	text, links, code := page.Plain()
	isMetadata := isFrontMatter(page, text)
	for i := range sections {
		s := &sections[i]
		s.IsMetadata = isMetadata
		s.Text = text[s.Start:s.End]
		for ; len(code) > 0 && code[0].Start < s.End; code = code[1:] {
			start, end := max(s.Start, code[0].Start), min(s.End, code[0].End)
			if start < end {
				s.Code = append(s.Code, document.Range{Start: start - s.Start, End: end - s.Start})
			}
			if code[0].End > s.End {
				break // it continues in the next section
			}
		}
		s.Fence = bytes.Clone(markdown.FenceOf(bytes.TrimLeft(page.Text[s.Lead.Start:s.Lead.End], " \t>")))
		linked := 0
		for ; len(links) > 0 && links[0].End <= s.End; links = links[1:] {
			linked += lettersIn(text[links[0].Start:links[0].End])
		}
		switch {
		case i == 0:
			s.Traits = First
		case linked > 0 && 100*linked > linkPercent*lettersIn(s.Text):
			s.Traits |= Links
		}
	}
	return sections
}

func cut(page markdown.Body) []Section {
	content, blocks := page.Text, page.Blocks
	title := markdown.Block{Title: markdown.TitleIn(content[:blocks[0].Start])}
	start := bodyStart(content, blocks[0].Start)
	if len(content)-start > wholeSize {
		page.Blocks = slices.Clone(withoutBlank(content, blocks))
		page.Blocks[0].Start = max(page.Blocks[0].Start, start) // so no part is blank
		pieces, frames := piecesOf(page)
		pieces[0].start = start
		sections := merge(pieces, title)
		addFrames(sections, frames)
		return sections
	}
	above := titles([]markdown.Block{title})
	whole := Section{Start: start, End: len(content), Headings: append(above, titles(blocks)...), Above: len(above)}
	if start > 0 {
		whole.Slug = namer{}.begins(withoutBlank(content, blocks)[0].Anchor)
	}
	return []Section{whole}
}

// bodyStart returns where the first section of a page begins, given the offset of its first
// block: after the front matter and the blank lines below it. If a page contains only front
// matter, all of it is a section.
func bodyStart(content []byte, blocks int) int {
	const byteOrderMark = "\ufeff"
	body := bytes.TrimLeft(content[blocks:], " \t\r\n")
	if blocks <= len(byteOrderMark) || len(body) == 0 {
		return 0
	}
	return bytes.LastIndexByte(content[:len(content)-len(body)], '\n') + 1
}

// isFrontMatter reports whether a page contains only front matter. Comments don't count as text.
func isFrontMatter(page markdown.Body, text []byte) bool {
	first := page.Blocks[0].Start
	fields, _ := bytes.CutPrefix(page.Text[:first], []byte("\ufeff"))
	return len(fields) > 0 && len(bytes.TrimSpace(text[first:])) == 0
}

// withoutBlank joins leading blank lines to the first block with text, so a heading at the
// beginning of a page also begins its first block.
func withoutBlank(content []byte, blocks []markdown.Block) []markdown.Block {
	first := blocks[0]
	if len(blocks) == 1 || len(bytes.TrimSpace(content[first.Start:first.End])) > 0 {
		return blocks
	}
	blocks = slices.Clone(blocks[1:])
	blocks[0].Start = first.Start
	return blocks
}

// lettersIn counts the bytes of letters and digits.
func lettersIn(text []byte) (n int) {
	for _, b := range text {
		if 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || b >= 0x80 {
			n++
		}
	}
	return n
}
