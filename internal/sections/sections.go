// Package sections cuts pages into the sections that selection 1 ranks and
// prints. A section stays whole unless it is very large, and very small ones go
// together. The package is pure.
//
//	markdown.Parse → Cut → Weigher.Weigh, once a section
//
// # Determinism
//
// The cuts and the slugs depend on the bytes of a page and on whether it is MDX, and the
// weights also on its ID. All of it is a part of selection 1 and never changes.
package sections

import (
	"bytes"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/markdown"
)

// A Section is a part of a page. The sections of a page are all of it but its front
// matter, in order and without gaps, and begin where lines begin.
type Section struct {
	Start, End int // bytes of the page's content

	// Lead and Tail are the bytes of the page that are printed before and behind the
	// section if a table or a code block is cut at its beginning or its end: the
	// header and the delimiter row, or the fences. They are not in the section.
	Lead, Tail document.Range

	// Slug follows the page's ID in the section's ID. It is unique in the page, and
	// empty for a section that is the whole page.
	Slug string

	// Headings are the title in the front matter, the headings above the section and
	// its own, in their order.
	Headings []string
	Above    int // how many of Headings are not its own

	Text   []byte           // the bytes of the section with spaces for its markup
	Code   []document.Range // in Text, in order: code blocks and code spans with their backticks
	Fence  markdown.Fence   // before the first line, open if the section begins in a code block
	Traits Traits
}

// Traits say how a section stands in its page, as bits.
type Traits = uint8

// The bits of Traits. They belong to the format of the index.
const (
	First     Traits = 1 << iota // the first section of the page
	Continues                    // a later part of the section that the one before is a part of
	Links                        // mostly links, and not the first section
)

// ID returns the ID of a section of a page.
func ID(page document.ID, slug string) document.ID {
	if slug == "" {
		return page
	}
	return page + "#" + document.ID(slug)
}

// Sizes in bytes. They are constants of selection 1, measured in
// docs/selection.md.
const (
	// wholeSize is the largest page that is not cut.
	wholeSize = 2000

	// mergeSize is the size up to which neighbours become one section.
	mergeSize = 600

	// largestSize is the largest section that is not cut.
	largestSize = 4000

	// partSize is the size up to which the parts of a larger section go.
	partSize = 1600

	// tinySize is the most bytes that are too few for a section, such as a heading
	// with nothing under it. They go with the next block.
	tinySize = 100

	// longestAnnouncement is the most bytes of a block that can announce the next one.
	longestAnnouncement = 200

	// largestBlock is the largest block that is not cut. A block without a line
	// to cut at is not cut either.
	largestBlock = 2400

	// largestFrame is the most bytes of a frame that parts repeat.
	largestFrame = 1200
)

// linkPercent is the percentage of a section's letters that are in links above
// which it is mostly links.
const linkPercent = 60

// Cut cuts a page.
func Cut(page markdown.Body) []Section {
	sections := cut(page)
	text, links, code := page.Plain()
	for i := range sections {
		s := &sections[i]
		s.Text = text[s.Start:s.End]
		for ; len(code) > 0 && code[0].Start < s.End; code = code[1:] {
			start, end := max(s.Start, code[0].Start), min(s.End, code[0].End)
			if start < end {
				s.Code = append(s.Code, document.Range{Start: start - s.Start, End: end - s.Start})
			}
			if code[0].End > s.End {
				break // it goes on in the next section
			}
		}
		s.Fence = markdown.FenceOf(bytes.TrimLeft(page.Text[s.Lead.Start:s.Lead.End], " \t>"))
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
		page.Blocks[0].Start = max(page.Blocks[0].Start, start) // so that no part is blank
		pieces, frames := piecesOf(page)
		pieces[0].start = start
		sections := merge(pieces, title)
		addFrames(sections, frames)
		return sections
	}
	above := titles([]markdown.Block{title})
	whole := Section{Start: start, End: len(content), Headings: append(above, titles(blocks)...), Above: len(above)}
	if start > 0 {
		whole.Slug = namer{}.first(withoutBlank(content, blocks)[0])
	}
	return []Section{whole}
}

// bodyStart returns where the first section of a page begins whose blocks begin at
// some offset: behind the front matter and the blank lines below it. A page of
// nothing but front matter is one section.
func bodyStart(content []byte, blocks int) int {
	const byteOrderMark = "\ufeff"
	body := bytes.TrimLeft(content[blocks:], " \t\r\n")
	if blocks <= len(byteOrderMark) || len(body) == 0 {
		return 0
	}
	return bytes.LastIndexByte(content[:len(content)-len(body)], '\n') + 1
}

// withoutBlank returns the blocks with the blank lines above the first in it, so
// that a page that begins with a heading begins with that.
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
		n += int(isLettered[b])
	}
	return n
}

// isLettered is 1 for the bytes of letters and digits and 0 for others.
var isLettered = func() (is [256]uint8) {
	for b := range is {
		if 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || b >= 0x80 {
			is[b] = 1
		}
	}
	return is
}()
