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
	"github.com/contextcompiler/context/internal/base/words"
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

	looked int            // sections
	isCut  bool           // the bound was reached
	others map[string]int // number of other blocks by language
}

// hits yields the hits with chosen code in the order of [answers.Ranking.Hits]. If it skips a hit,
// the first duplicate takes its place.
func (c *codeHits) hits(ctx context.Context) iter.Seq2[answers.Hit, error] {
	if !c.code.IsOn() {
		return c.ranked.Hits(ctx)
	}
	return func(yield func(answers.Hit, error) bool) {
		c.looked, c.isCut, c.others = 0, false, map[string]int{}
		place, places := -1, map[int]int{} // by place in the ranking
		kept := 0
		for hit, err := range c.ranked.Hits(ctx) {
			if place++; err == nil && place < mostLooked {
				c.looked++
				var blocks []codeBlock
				if blocks, err = c.blocksOf(ctx, hit); err == nil && len(blocks) == 0 {
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

// blocksOf returns the chosen blocks in the section of a hit, and counts the others.
func (c *codeHits) blocksOf(ctx context.Context, hit answers.Hit) (blocks []codeBlock, err error) {
	p, err := c.pageOf(ctx, hit)
	if err != nil {
		return nil, err
	}
	for _, b := range p.code.in(p.parts[hit.Section].Start, p.parts[hit.Section].End) {
		if c.code.has(b.language) {
			blocks = append(blocks, b)
		} else {
			c.others[b.language]++
		}
	}
	return blocks, nil
}

// onlyBest is the note for a search cut off at mostLooked: other sections may also contain code.
var onlyBest = fmt.Sprintf("only the best %s sections were searched for code", thousands(mostLooked))

// noCode is the note for a search without any block of the chosen code.
func (c *codeHits) noCode() string {
	where := fmt.Sprintf("no %s in the %s that match", c.code, count(c.looked, "section"))
	switch {
	case c.isCut:
		where = fmt.Sprintf("no %s in the best %s", c.code, count(c.looked, "section"))
	case c.looked == 1:
		where = fmt.Sprintf("no %s in the section that matches", c.code)
	}
	if len(c.others) == 0 {
		return where + ": leave out code"
	}
	return where + ", but " + languagesIn(c.others)
}

// mostNamed is the maximum number of languages in a note.
const mostNamed = 12

// languagesIn names languages with their counts, the highest first.
func languagesIn(counts map[string]int) string {
	all := sortedCounts(counts)
	for i, c := range all {
		all[i].name = cmp.Or(words.Printable(c.name), "code without a language")
	}
	return few(all.texts(), mostNamed, "other")
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

// in returns the code between two offsets. It cuts blocks that lie only partly between them.
func (c pageCode) in(start, end int) (found []codeBlock) {
	first, _ := slices.BinarySearchFunc(c, start, func(b codeBlock, start int) int { return cmp.Compare(b.body.End, start+1) })
	for _, b := range c[first:] {
		if b.body.Start >= end {
			break
		}
		b.body = document.Range{Start: max(start, b.body.Start), End: min(end, b.body.End)}
		found = append(found, b)
	}
	return found
}

// languageAt returns the language of the block whose body contains a line.
func (c pageCode) languageAt(line int) (language string, isCode bool) {
	found := c.in(line, line+1)
	if len(found) == 0 {
		return "", false
	}
	return found[0].language, true
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
