package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/selection"
)

// An Answer is an answer for models, and the same answer in parts, from which a program can make
// a page for people.
type Answer struct {
	Markdown []byte
	Parts    []AnswerPart
	LeftOut  []AnswerPart // of Ask: the best sections of these pages that it didn't choose, as HitParts
}

// An AnswerPart is a line or a text of an answer.
type AnswerPart struct {
	Kind      AnswerKind
	Line      string    // as printed, without its indentation; "" for a TextPart
	Level     int       // of indentation, from 0
	Reference string    // what Read takes for it; "" if there is nothing to read
	Label     string    // of a CachePart, a PagePart, a HitPart and a HeadingPart: the title or headings, perhaps ""
	Tokens    int       // of the same
	Share     int       // of a HitPart: percent of the best score
	Reason    string    // why a section is left out
	Text      *PageText // of a TextPart
}

// An AnswerKind says what a part is.
type AnswerKind string

// The kinds of parts.
const (
	NotePart      AnswerKind = "note"      // a sentence about the answer
	DoubtPart     AnswerKind = "doubt"     // a sentence on why not to trust the answer
	CachePart     AnswerKind = "cache"     // a cache, before its pages in an outline
	PagePart      AnswerKind = "page"      // a page
	HitPart       AnswerKind = "hit"       // a section that matches
	QuotePart     AnswerKind = "quote"     // a sentence of the section before
	SharedPart    AnswerKind = "shared"    // the directory of all pages, which their Reference contains anyway
	HeadingPart   AnswerKind = "heading"   // a heading in an outline
	DirectoryPart AnswerKind = "directory" // a directory whose pages an outline leaves out
	TextPart      AnswerKind = "text"      // a text of a page
)

// A PageText is an unchanged text of a page.
type PageText struct {
	Name        string // path of the page after the name of its cache
	Title       string // of the page; "" if unknown
	First, Last int    // lines of the page
	Best        string // numbers of the lines with the best answer; "" if not known
	Share       int    // percent of the best score; 0 for the best score, or if not known
	Versions    []string
	Headings    []string // above the text, without the page's title
	URL         string   // "" if unknown
	Content     []byte
}

// SearchInParts is [Search] for a page.
func SearchInParts(ctx context.Context, set *answers.Set, request SearchRequest) (Answer, error) {
	return inParts(search(ctx, set, request))
}

// AskInParts is [Ask] for a page. It also lists the best sections that are left out.
func AskInParts(ctx context.Context, set *answers.Set, request AskRequest) (Answer, error) {
	out, others, err := ask(ctx, set, request, true)
	a, err := inParts(out, err)
	a.LeftOut = others
	return a, err
}

// ReadInParts is [Read] for a page.
func ReadInParts(ctx context.Context, set *answers.Set, request ReadRequest) (Answer, error) {
	return inParts(readTexts(ctx, set, request))
}

// OutlineInParts is [Outline] for a page.
func OutlineInParts(ctx context.Context, set *answers.Set, request OutlineRequest) (Answer, error) {
	return inParts(outlinePages(ctx, set, request))
}

func (it framedText) part() AnswerPart {
	t := &PageText{
		Name: it.page, Title: words.Printable(markdown.WithoutAnchor(it.title)), First: it.first, Last: it.last, Best: it.best, Share: it.share,
		URL: it.url, Content: it.text,
	}
	for _, v := range it.versions {
		t.Versions = append(t.Versions, v.Stem()[:leastVersion])
	}
	for _, h := range it.headings {
		t.Headings = append(t.Headings, words.Printable(markdown.WithoutAnchor(h)))
	}
	return AnswerPart{Kind: TextPart, Reference: it.page + ":" + lineRange(it.first, it.last), Text: t}
}

// mostLeftOut is how many sections AskInParts lists as left out.
const mostLeftOut = 12

// others returns the best sections that are not in the answer, with the reasons.
func (a *askAnswer) others(ctx context.Context) (parts []AnswerPart, err error) {
	var names []string // of all hits up to now
	for hit, err := range a.code.hits(ctx) {
		if err != nil || len(parts) == mostLeftOut || len(names) == 5*mostLeftOut {
			return parts, err
		}
		p, err := a.pageOf(ctx, hit)
		if err != nil {
			return parts, err
		}
		names = append(names, strings.Join(append([]string{p.path()}, p.ownHeadings(p.parts[hit.Section])...), ", "))
		if slices.ContainsFunc(a.printed, hit.IsSame) {
			continue
		}
		parts = append(parts, AnswerPart{
			Kind: HitPart, Line: names[len(names)-1], Reference: p.handle(hit.Section + 1),
			Label:  headingPath(append(p.headings(p.parts[hit.Section].Start), p.ownHeadings(p.parts[hit.Section])...)),
			Tokens: int(hit.Tokens), Share: percentOf(hit.Score, a.top), Reason: a.reasonOf(hit, names),
		})
	}
	return parts, nil
}

// reasonOf says why a hit is not in the answer.
func (a *askAnswer) reasonOf(hit answers.Hit, names []string) string {
	switch {
	case hit.DuplicateOf >= 0 && hit.DuplicateOf < len(names):
		return "says almost the same as " + names[hit.DuplicateOf]
	case uint64(hit.Score) < a.least():
		return fmt.Sprintf("scores less than %d%% of the best section", a.request.MinScore/(selection.One/100))
	case a.answersNothing():
		return "contains too little of the question"
	case a.trust.IsWeak:
		return "the match is too weak to print more than a few lines"
	}
	return "does not fit into what is left of the budget"
}

// percentOf returns a score as a percentage of the best score.
func percentOf(score, best uint32) int { return int(uint64(score) * 100 / uint64(max(best, 1))) }
