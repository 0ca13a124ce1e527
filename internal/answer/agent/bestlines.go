package agent

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// This file finds the best lines of a section for a question, and the text to print around them.

// mostLines is how many lines are compared as a single text, because a sentence seldom takes
// more.
const mostLines = 3

// bestLines returns the lines of a section with the best answer, and their worth. They contain no
// headings or blank lines. If several are equally good, it returns the first. The worth is 0 if no
// line contains a word of the question.
func (q question) bestLines(p cachePage, section int) (best document.Range, most uint64) {
	part := p.parts[section]
	plain := part.Text[:min(len(part.Text), mostSearched)]
	var starts []int // of the lines just before the end of this line
	end := part.Start
	for line := range bytes.Lines(plain) {
		start := end
		end += len(line)
		if len(bytes.TrimSpace(line)) == 0 || p.isHeading(start) {
			starts = nil
			continue
		}
		starts = append(starts, start)
		starts = starts[max(0, len(starts)-mostLines):]
		for n := range len(starts) {
			from := starts[len(starts)-1-n]
			worth := q.worth(strings.TrimSpace(string(part.Text[from-part.Start : end-part.Start])))
			worth -= worth * uint64(n) / 8 // few lines are easier to find than many
			if worth > most {
				best, most = document.Range{Start: from, End: end}, worth
			}
		}
	}
	return best, most
}

// isHeading reports whether the line at an offset belongs to a heading.
func (p cachePage) isHeading(offset int) bool {
	return p.blocks[p.blockAt(offset)].Level > 0
}

// blockAt returns the position of the block around the byte at an offset.
func (p cachePage) blockAt(offset int) int {
	at, isStart := slices.BinarySearchFunc(p.blocks, offset, func(b markdown.Block, offset int) int { return cmp.Compare(b.Start, offset) })
	if !isStart {
		at--
	}
	return max(at, 0)
}

// around returns the lines of a section with the best answer, and fills a number of tokens with the
// text around them: first with sentences, then with lines, then with blocks. If the best sentence
// alone is larger, it returns the beginning of the sentence.
func (q question) around(p cachePage, section, tokens int) document.Range {
	part := p.parts[section]
	best, worth := q.bestLines(p, section)
	if worth == 0 {
		best = p.firstLine(section)
	}
	block := p.blocks[p.blockAt(best.Start)]
	inBlock := document.Range{Start: max(block.Start, part.Start), End: min(block.End, part.End)}
	size := 4 * min(tokens, part.End-part.Start)
	r := best
	if best.Size() > size {
		sentences := p.sentences(best)
		r = q.bestOf(p, sentences)
		if r.Size() > size {
			return document.Range{Start: r.Start, End: cutAt(p.doc.Content, r.Start, size)}
		}
		r = grow(r, starts(sentences), size)
	}
	blocks := []int{part.Start}
	for _, b := range p.blocks {
		if b.Start > part.Start && b.Start < part.End {
			blocks = append(blocks, b.Start)
		}
	}
	r = grow(r, p.lineStarts(inBlock), size)
	return grow(r, append(blocks, part.End), size)
}

// grow extends a range to the farthest stops within size bytes. Stops are sorted offsets.
func grow(r document.Range, stops []int, size int) document.Range {
	for _, stop := range stops {
		if stop > r.End && stop-r.Start <= size {
			r.End = stop
		}
	}
	for i := len(stops) - 1; i >= 0; i-- {
		if stops[i] < r.Start && r.End-stops[i] <= size {
			r.Start = stops[i]
		}
	}
	return r
}

// firstLine returns the first line of a section after its headings. If a section consists of
// headings, it returns its first line.
func (p cachePage) firstLine(section int) document.Range {
	stops := p.lineStarts(document.Range{Start: p.parts[section].Start, End: p.parts[section].End})
	for i, start := range stops[:len(stops)-1] {
		line := document.Range{Start: start, End: stops[i+1]}
		if len(bytes.TrimSpace(p.doc.Content[line.Start:line.End])) > 0 && !p.isHeading(start) {
			return line
		}
	}
	return document.Range{Start: stops[0], End: stops[min(1, len(stops)-1)]}
}

// lineStarts returns where lines begin in a range, and its end.
func (p cachePage) lineStarts(r document.Range) (stops []int) {
	for at := r.Start; at < r.End; at = lineEnd(p.doc.Content, at) + 1 {
		stops = append(stops, at)
	}
	return append(stops, r.End)
}

// sentences returns the ranges of the sentences in a range of lines.
func (p cachePage) sentences(r document.Range) (all []document.Range) {
	text := bytes.ReplaceAll(p.doc.Content[r.Start:r.End], []byte("\n"), []byte(" "))
	for _, s := range markdown.SplitParagraph(text) {
		all = append(all, document.Range{Start: r.Start + s.Start, End: r.Start + s.End})
	}
	return all
}

// starts returns where ranges begin, and where the last ends.
func starts(ranges []document.Range) (stops []int) {
	for _, r := range ranges {
		stops = append(stops, r.Start)
	}
	return append(stops, ranges[len(ranges)-1].End)
}

// bestOf returns the first of the ranges whose text answers best.
func (q question) bestOf(p cachePage, ranges []document.Range) document.Range {
	best, most := ranges[0], uint64(0)
	for _, r := range ranges {
		if worth := q.worth(string(p.doc.Content[r.Start:r.End])); worth > most {
			best, most = r, worth
		}
	}
	return best
}

// cutAt returns an offset at most size bytes after start: after a word if there is a space,
// and never within a character.
func cutAt(content []byte, start, size int) int {
	end := start + size
	for !utf8.RuneStart(content[end]) {
		end--
	}
	if space := bytes.LastIndexByte(content[start:end], ' '); space > 0 && content[end] != ' ' {
		return start + space
	}
	return end
}
