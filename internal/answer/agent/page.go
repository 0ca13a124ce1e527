package agent

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

// A cachePage is a document of a cache, cut into its sections.
type cachePage struct {
	of     answers.Member
	number int // in the cache, from 0
	doc    document.Document
	blocks []markdown.Block
	isMDX  bool
	parts  []sections.Section
	code   pageCode // only if a pageLoader read it
}

func pageAt(ctx context.Context, of answers.Member, number int) (cachePage, error) {
	doc, err := of.ReadAt(number)
	if err != nil {
		return cachePage{}, err
	}
	return pageOf(ctx, of, number, doc)
}

func pageOf(ctx context.Context, of answers.Member, number int, doc document.Document) (cachePage, error) {
	found, err := stages.SplitOf(ctx, doc)
	if err != nil {
		return cachePage{}, err
	}
	return cachePage{of, number, doc, found.Blocks, found.IsMDX, found.Sections, nil}, nil
}

func (p cachePage) name() string { return prefix(p.of) + string(p.doc.ID) }

// path returns the path of the source, or the ID if they don't match, as they may in caches by
// other writers.
func (p cachePage) path() string {
	if document.IDOf(p.doc.Source) != p.doc.ID {
		return string(p.doc.ID)
	}
	return p.doc.Source
}

// handle returns the handle of a section, from 1, or of the page if section is 0.
func (p cachePage) handle(section int) string {
	return prefix(p.of) + handleOf(p.number, p.doc.ID, p.doc.Version, section)
}

// ref returns the handle as a piece of a line.
func (p cachePage) ref(section int) AnswerPiece { return AnswerPiece{p.handle(section), Handle} }

// prefix returns the text before the IDs and handles of a cache.
func prefix(of answers.Member) string {
	if of.Name == "" {
		return ""
	}
	return of.Name + ":"
}

func (p cachePage) title() string { return stages.TitleOf(p.doc.Metadata, p.blocks) }

// partAt returns the position of the section around the byte at an offset.
func (p cachePage) partAt(offset int) int {
	after := sort.Search(len(p.parts), func(i int) bool { return p.parts[i].Start > offset })
	return max(after-1, 0)
}

// headings returns the title of the page and the headings above the block at an offset. If the
// block itself is a heading, it is left out.
func (p cachePage) headings(offset int) []string {
	var under []markdown.Block
	for _, b := range p.blocks {
		if b.Start > offset {
			break
		}
		for b.Level > 0 && len(under) > 0 && under[len(under)-1].Level >= b.Level {
			under = under[:len(under)-1]
		}
		if b.Level > 0 && b.Title != "" && b.Start < offset {
			under = append(under, b)
		}
	}
	var titles []string
	if title := p.title(); title != "" && offset > 0 && (len(under) == 0 || under[0].Title != title) {
		titles = append(titles, title)
	}
	for _, b := range under {
		titles = append(titles, b.Title)
	}
	return titles
}

// textOf returns the text of a section, without space around it.
func (p cachePage) textOf(section int) []byte {
	part := p.parts[section]
	return bytes.TrimSpace(p.doc.Content[part.Start:part.End])
}

// heading returns the first heading in a section, or the last heading above the section.
func (p cachePage) heading(section int) string {
	part := p.parts[section]
	if own := p.ownHeadings(part); len(own) > 0 {
		return own[0]
	}
	above := p.headings(part.Start)
	if len(above) == 0 {
		return cmp.Or(p.title(), string(p.doc.ID))
	}
	return above[len(above)-1]
}

// ownHeadings returns the first heading in a section, if any.
func (p cachePage) ownHeadings(part sections.Section) []string {
	for _, b := range p.blocks {
		if b.Start >= part.Start && b.Start < part.End && b.Level > 0 && b.Title != "" {
			return []string{b.Title}
		}
	}
	return nil
}

// partWith returns the part of a section from the last heading before a quote. Because a section
// can consist of several merged sections, the quote could otherwise appear below the wrong heading.
// If it doesn't find the quote, partWith returns the whole section.
func (p cachePage) partWith(section sections.Section, quote string) sections.Section {
	probe := ""
	for piece := range strings.SplitSeq(quote, "…") {
		if len(piece) > len(probe) {
			probe = piece
		}
	}
	found := section
	for _, b := range p.blocks {
		if b.Start >= section.Start && b.Start < section.End && b.Level > 0 && b.Title != "" {
			rest := section
			rest.Start, rest.Text, rest.Lead = b.Start, section.Text[b.Start-section.Start:], document.Range{}
			if !strings.Contains(strings.Join(strings.Fields(string(p.readable(rest))), " "), strings.TrimSpace(probe)) {
				break
			}
			found = rest
		}
	}
	return found
}

// framedText returns consecutive sections from first to last.
func (p cachePage) framedText(first, last int) PageText {
	parts := p.parts[first : last+1]
	it := p.span(parts[0].Start, parts[len(parts)-1].End)
	it.Content = p.print(parts[0].Lead, it.Content, parts[len(parts)-1].Tail)
	if len(parts) == len(p.parts) {
		it.Versions = []string{shortVersion(p.doc.Version)}
		return it
	}
	for _, part := range parts {
		it.Versions = append(it.Versions, shortVersion(document.VersionOf(p.print(part.Lead, p.doc.Content[part.Start:part.End], part.Tail))))
	}
	return it
}

// print returns a text between its lead and tail in the page, such as a table's header.
func (p cachePage) print(lead document.Range, text []byte, tail document.Range) []byte {
	if lead.Size()+tail.Size() == 0 {
		return text
	}
	return slices.Concat(p.doc.Content[lead.Start:lead.End], text, p.doc.Content[tail.Start:tail.End])
}

// span returns a range of bytes as a framed text without versions.
func (p cachePage) span(start, end int) PageText {
	text := p.doc.Content[start:end]
	it := PageText{Page: prefix(p.of) + p.path(), Title: wholeHeading(p.title()), Lines: p.lines(start, end), Content: text}
	for i, heading := range p.headings(start) {
		if i > 0 { // the path replaces the title
			it.Headings = append(it.Headings, wholeHeading(heading))
		}
	}
	it.URL = p.of.About().URL(p.doc.Source, p.anchorAt(start))
	return it
}

// lines returns the first and the last line of a range of bytes.
func (p cachePage) lines(start, end int) LineRange {
	first, last := p.line(start), p.line(end)
	if start == end || p.doc.Content[end-1] == '\n' {
		last = max(first, last-1)
	}
	return LineRange{first, last}
}

// anchorAt returns the anchor of the last heading up to an offset, or "".
func (p cachePage) anchorAt(offset int) (anchor string) {
	for _, b := range p.blocks {
		if b.Start <= offset && b.Level > 1 {
			anchor = b.Anchor
		}
	}
	return anchor
}

// line returns the number of the line at an offset, from 1.
func (p cachePage) line(offset int) int { return 1 + bytes.Count(p.doc.Content[:offset], []byte("\n")) }

func tokensOf(bytes int) int { return int(selection.TokensOf(bytes)) }
