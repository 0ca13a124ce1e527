package agent

import (
	"cmp"
	"context"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
)

// This file answers a question with blocks of code.

// A foundBlock is a block of code in the section of a hit.
type foundBlock struct {
	answers.Hit
	cachePage
	codeBlock
	place int // among the blocks of all hits
}

// printCode prints blocks of code from the best sections, within the budget. If room is left, the
// best block that doesn't fit follows in part.
func (a *askAnswer) printCode(ctx context.Context) (*Answer, error) {
	if a.answersNothing() {
		return a.printNone(ctx)
	}
	var end Answer
	if err := a.end(ctx, &end); err != nil {
		return nil, err
	}
	budget := a.request.Budget
	if a.trust.IsWeak {
		budget = min(budget, weakTokens)
	}
	chosen, cut, err := a.chooseCode(ctx, budget, a.most()-end.size()-len(a.trust.note())-2*leastMore)
	if err != nil {
		return nil, err
	}
	isCut := a.isCut
	var items []PageText
	var sections []answers.Hit
	var under []string // headings of the framed text before
	for i, b := range chosen {
		it := b.framedText()
		if it.Share = a.shareOf([]answers.Hit{b.Hit}); i > 0 && b.IsSame(chosen[i-1].Hit) {
			it.Handle, it.Share = "", 0
		} else {
			sections = append(sections, b.Hit)
		}
		if isSame := i > 0 && it.Page == items[i-1].Page && slices.Equal(it.Headings, under); isSame {
			it.Headings = nil
		} else {
			under = it.Headings
		}
		items = append(items, it)
	}
	var out Answer
	if len(items) > 0 {
		out.texts(a.trust.note(), withoutPaths(items), "")
	} else {
		out.note("no block fits %s: give more", count(budget, "token"))
	}
	if cut != nil {
		out.note("that is a part of the code in %s:%s: give a larger budget, or read it", cut.name(), cut.wholeLines())
	}
	if isCut {
		out.note("%s", onlyBest)
	}
	err = a.more(ctx, &out, sections, leastMore)
	out.append(&end)
	a.printed = sections
	return &out, err
}

// chooseCode returns the blocks to print: their texts must fit into a number of tokens and, with
// the lines above them, into room bytes. The blocks of better sections come first. If chosen
// contains only a part of a block, cut is this whole block.
func (a *askAnswer) chooseCode(ctx context.Context, tokens, room int) (chosen []foundBlock, cut *foundBlock, err error) {
	left := tokens
	isKnown := map[string]bool{}
	place := 0
	for hit, err := range a.newHits(ctx) {
		if err != nil {
			return nil, nil, err
		}
		if uint64(hit.Score) < a.least() || left < leastBlock || room < leastBlock {
			break
		}
		p, err := a.pageOf(ctx, hit)
		if err != nil {
			return nil, nil, err
		}
		for _, b := range p.codeIn(hit.Section, a.request.Code) {
			if err := context.Cause(ctx); err != nil {
				return nil, nil, err
			}
			found := foundBlock{Hit: hit, cachePage: p, codeBlock: b, place: place}
			place++
			text := string(found.text())
			tokens := tokensOf(len(text))
			if isKnown[text] {
				continue
			}
			if tokens <= left {
				if size := found.headSize() + len(text) + len("=== 0000 \n\n"); size <= room {
					isKnown[text] = true
					left -= tokens
					room -= size
					chosen = append(chosen, found)
					continue
				}
			}
			if cut == nil { // go on, because a smaller block may still fit
				cut = &found
			}
		}
	}
	if cut == nil {
		return chosen, nil, nil
	}
	whole := *cut
	part := whole
	part.body = a.question.aroundCode(whole.cachePage, whole.codeBlock, min(4*left, room-whole.headSize())-whole.lead.Size()-whole.tail.Size())
	if part.body.Size() == 0 {
		return chosen, nil, nil
	}
	chosen = append(chosen, part)
	slices.SortFunc(chosen, func(x, y foundBlock) int { return cmp.Compare(x.place, y.place) })
	return chosen, &whole, nil
}

// leastBlock is how many tokens must be left to look for another block.
const leastBlock = 10

// framedText returns the framed text of a block.
func (b foundBlock) framedText() PageText {
	it := b.span(b.lead.Start, b.tail.End)
	it.Handle = b.handle(b.Section + 1)
	it.Content = b.text()
	if isWhole := b.lead.End == b.body.Start && b.body.End == b.tail.Start; !isWhole {
		it.Lines = b.cachePage.lines(b.body.Start, b.body.End)
	}
	return it
}

// headSize returns the size of the line above the block.
func (b foundBlock) headSize() int {
	it := b.framedText()
	return len(it.head())
}

// text returns the block with its fences.
func (b foundBlock) text() []byte {
	return b.print(b.lead, b.doc.Content[b.body.Start:b.body.End], b.tail)
}

// wholeLines returns the lines of the block with its fences.
func (b foundBlock) wholeLines() LineRange {
	return LineRange{b.line(b.lead.Start), b.line(b.tail.End - 1)}
}

// aroundCode returns the line of a block with the best answer and the lines around it, up to size
// bytes. If this line alone is larger, the range is empty, because half a line of code is wrong
// code.
func (q question) aroundCode(p cachePage, b codeBlock, size int) document.Range {
	starts := p.lineStarts(b.body)
	best, most := document.Range{}, uint64(0)
	for i, start := range starts[:len(starts)-1] {
		line := document.Range{Start: start, End: starts[i+1]}
		if line.Start-b.body.Start > mostSearched {
			break
		}
		if worth := q.cover(p.doc.Content[line.Start:min(line.End, line.Start+mostSearched)]); i == 0 || worth > most {
			best, most = line, worth
		}
	}
	if best.Size() > size {
		return document.Range{}
	}
	return grow(best, starts, size)
}
