package sections

import (
	"bytes"
	"slices"

	"github.com/contextcompiler/context/internal/pages/markdown"
)

// A piece is a run of blocks which stay together: a section, or a part of a large section.
type piece struct {
	start, end int
	level      int  // the highest of its headings, 0 without headings
	continues  bool // it doesn't begin with a heading
	headings   []markdown.Block
}

// divide splits oversized blocks, and returns all blocks together with the
// frames inside the split ones. If a heading is split, only its first part counts as a
// heading.
func divide(body markdown.Body, blocks []markdown.Block) (divided []markdown.Block, frames []markdown.Frame) {
	divided = make([]markdown.Block, 0, len(blocks))
	for _, b := range blocks {
		var inside []markdown.Frame
		if b.End-b.Start > largestBlock {
			inside = framesIn(body, b)
		}
		for b.End-b.Start > largestBlock {
			at := moveCut(inside, b.Start, b.Start+placeToCut(body.Text[b.Start:b.End]))
			if at == b.End {
				break
			}
			first := b
			first.End = at
			divided = append(divided, first)
			b = markdown.Block{Start: at, End: b.End}
		}
		divided, frames = append(divided, b), append(frames, inside...)
	}
	return divided, frames
}

// placeToCut returns where to cut an oversized block: after the last possible blank line, if the
// part gets at least half the size. Otherwise, it cuts after the last line that fits, or after the
// first line if even this is too long.
func placeToCut(block []byte) int {
	window := block[:largestBlock]
	at := max(bytes.LastIndex(window, []byte("\n\n"))+2, bytes.LastIndex(window, []byte("\n\r\n"))+3)
	if at >= largestBlock/2 {
		return at
	}
	if at := bytes.LastIndexByte(window, '\n') + 1; at > 0 {
		return at
	}
	return len(block) - len(afterLine(block))
}

func afterLine(s []byte) []byte {
	_, rest, _ := bytes.Cut(s, []byte("\n"))
	return rest
}

// piecesOf returns a piece for each section or, if the section is too large, for each of
// its parts, and the frames in cut blocks. A section consists of a heading and
// everything up to the next heading of any level. A tiny section, such as a heading without
// text, is joined to the next.
func piecesOf(body markdown.Body) (pieces []piece, frames []markdown.Frame) {
	for blocks := body.Blocks; len(blocks) > 0; {
		end := 1
		for end < len(blocks) && (blocks[end].Level == 0 || blocks[end].Start-blocks[0].Start <= tinySize) {
			end++
		}
		section := blocks[:end]
		if section[end-1].End-section[0].Start > largestSize {
			var inside []markdown.Frame
			section, inside = divide(body, section)
			frames = append(frames, inside...)
		}
		pieces = appendSection(pieces, body.Text, section)
		blocks = blocks[end:]
	}
	return pieces, frames
}

func appendSection(pieces []piece, content []byte, section []markdown.Block) []piece {
	for len(section) > 0 {
		n := blocksOfPart(content, section)
		first := section[0]
		p := piece{start: first.Start, end: section[n-1].End, continues: first.Level == 0}
		for _, b := range section[:n] {
			p.add(b)
		}
		pieces = append(pieces, p)
		section = section[n:]
	}
	return pieces
}

// add adds the heading of a block, if any.
func (p *piece) add(b markdown.Block) {
	if b.Level == 0 {
		return
	}
	p.headings = append(p.headings, b)
	if p.level == 0 || b.Level < p.level {
		p.level = b.Level
	}
}

// blocksOfPart returns how many blocks make up the next part of a section: all remaining
// blocks, if they are small enough. A tiny part takes another block, and a block should
// stay with the next if it announces it.
func blocksOfPart(content []byte, section []markdown.Block) int {
	start := section[0].Start
	if section[len(section)-1].End-start <= largestSize {
		return len(section)
	}
	n := 1
	for n < len(section) && (section[n].End-start <= partSize || section[n].Start-start <= tinySize) {
		n++
	}
	if last := section[n-1]; last.Start-start > tinySize && announces(content[last.Start:last.End]) {
		n--
	}
	return n
}

// announces reports whether a block is short and ends with a colon.
func announces(block []byte) bool {
	return len(block) <= longestAnnouncement && bytes.HasSuffix(bytes.TrimSpace(block), []byte(":"))
}

// merge joins neighbours as long as takes allows it. It returns them as sections with the
// headings above them. The title comes first, with level 0.
func merge(pieces []piece, title markdown.Block) (sections []Section) {
	names := namer{}
	path := []markdown.Block{title} // above the next piece
	current, under := pieces[0], slices.Clone(path)
	for i, p := range pieces {
		switch {
		case i == 0:
		case current.takes(p):
			current.end = p.end
			current.headings = append(current.headings, p.headings...)
			if p.level > 0 && (current.level == 0 || p.level < current.level) {
				current.level = p.level
			}
		default:
			sections = append(sections, current.section(under, names))
			current, under = p, slices.Clone(above(path, p.level))
		}
		for _, h := range p.headings {
			path = append(above(path, h.Level), h)
		}
	}
	return append(sections, current.section(under, names))
}

// takes reports whether p and the next piece belong to the same section.
func (p piece) takes(next piece) bool { return next.end-p.start <= mergeSize }

// above returns the headings of a path under which a heading of this level belongs. Level 0
// means text, which belongs under all of them.
func above(path []markdown.Block, level int) []markdown.Block {
	if level == 0 {
		return path
	}
	n := len(path)
	for n > 1 && path[n-1].Level >= level {
		n--
	}
	return path[:n]
}

func titles(headings []markdown.Block) (all []string) {
	for _, h := range headings {
		if h.Title != "" {
			all = append(all, h.Title)
		}
	}
	return all
}

// section returns the section of a piece, with path as the headings above it.
func (p piece) section(path []markdown.Block, names namer) Section {
	above := titles(path)
	s := Section{Start: p.start, End: p.end, Headings: slices.Concat(above, titles(p.headings)), Above: len(above)}
	if p.continues {
		s.Slug, s.Traits = names.continues(path[len(path)-1].Anchor), Continues
	} else {
		s.Slug = names.begins(p.headings[0].Anchor)
	}
	return s
}
