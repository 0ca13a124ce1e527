package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/stages"
)

// This file finds the blocks of code in sections.

// mostLooked is the maximum number of sections to search for code, starting with the best. If they
// are not enough, the answer says so.
const mostLooked = 1000

// A codeHits yields the hits of a ranking whose sections contain the chosen code.
type codeHits struct {
	*pageLoader
	ranked *answers.Ranking
	code   CodeFilter

	looked int  // sections
	isCut  bool // the bound was reached
}

// hits yields the hits with chosen code in the order of [answers.Ranking.Hits]. If it skips a hit,
// the first duplicate takes its place.
func (c *codeHits) hits(ctx context.Context) iter.Seq2[answers.Hit, error] {
	if !c.code.IsOn() {
		return c.ranked.Hits(ctx)
	}
	return func(yield func(answers.Hit, error) bool) {
		c.looked, c.isCut = 0, false
		place, places := -1, map[int]int{} // by place in the ranking
		kept := 0
		for hit, err := range c.ranked.Hits(ctx) {
			if place++; err == nil && place < mostLooked {
				c.looked++
				var p cachePage
				if p, err = c.pageOf(ctx, hit); err == nil && len(p.codeIn(hit.Section, c.code)) == 0 {
					continue
				}
			}
			// A hit after the limit shows that the search is incomplete.
			if c.isCut = err == nil && place == mostLooked; c.isCut {
				return
			}
			original := place
			if hit.DuplicateOf >= 0 {
				original = hit.DuplicateOf
			}
			at, isKnown := places[original]
			if hit.DuplicateOf = at; !isKnown {
				hit.DuplicateOf, places[original] = -1, kept
			}
			kept++
			if !yield(hit, err) || err != nil {
				return
			}
		}
	}
}

// onlyBest is the note for a search cut off at mostLooked: other sections may also contain code.
var onlyBest = fmt.Sprintf("only the best %s sections were searched for code", thousands(mostLooked))

// noCode is the note for a search without any block of the chosen code.
func (c *codeHits) noCode() string {
	where := fmt.Sprintf("the %s that match", count(c.looked, "section"))
	switch {
	case c.isCut:
		where = "the best " + count(c.looked, "section")
	case c.looked == 1:
		where = "the section that matches"
	}
	return fmt.Sprintf("no %s in %s: leave out code", c.code, where)
}

// A codeBlock is a block of code, or the part of it in a section.
type codeBlock struct {
	lead, body, tail document.Range // the fences are the lead and the tail
	language         string         // see languageOf; "" if unknown
}

// A pageCode is the code of a page, in order.
type pageCode []codeBlock

// codeOfDocument returns the code of a document, except for blank blocks.
func codeOfDocument(ctx context.Context, doc document.Document) (code pageCode, err error) {
	frames, err := stages.CodeOf(ctx, doc)
	for _, f := range frames {
		b := codeBlock{lead: f.Lead, body: f.Body, tail: f.Tail}
		isCode := true
		if f.Kind == markdown.FencedCode {
			b.language, isCode = languageOfFence(f.Info)
		}
		if isCode && len(bytes.TrimSpace(doc.Content[f.Body.Start:f.Body.End])) > 0 {
			code = append(code, b)
		}
	}
	return code, err
}

// codeIn returns the chosen code in a section.
func (p cachePage) codeIn(section int, code CodeFilter) []codeBlock {
	return p.code.in(code, p.parts[section].Start, p.parts[section].End)
}

// in returns the chosen code between two offsets. It cuts blocks that lie only partly between them.
func (c pageCode) in(code CodeFilter, start, end int) (found []codeBlock) {
	first, _ := slices.BinarySearchFunc(c, start, func(b codeBlock, start int) int { return cmp.Compare(b.body.End, start+1) })
	for _, b := range c[first:] {
		if b.body.Start >= end {
			break
		}
		if code.has(b.language) {
			b.body = document.Range{Start: max(start, b.body.Start), End: min(end, b.body.End)}
			found = append(found, b)
		}
	}
	return found
}

// bestCode returns up to n lines with the best answer from a single block of code, in their order.
// Each line is worth at least half as much as the best. If no line contains a word of the question,
// it returns the first line.
func (q question) bestCode(p cachePage, blocks []codeBlock, n int) (lines []string) {
	var best []ratedText // lines of the best block
	most := uint64(0)
	for _, b := range blocks {
		var all []ratedText
		worth := uint64(0)
		code := p.doc.Content[b.body.Start:b.body.End]
		for line := range bytes.Lines(code[:min(len(code), mostSearched)]) {
			if text := strings.TrimSpace(string(line)); text != "" {
				all = append(all, ratedText{len(all), text, q.cover([]byte(text))})
				worth = max(worth, all[len(all)-1].worth)
			}
		}
		if len(all) > 0 && (len(best) == 0 || worth > most) {
			best, most = all, worth
		}
	}
	if most == 0 && len(best) > 0 && n > 0 {
		return []string{q.cut(best[0].text)}
	}
	return q.bestRated(best, n)
}
