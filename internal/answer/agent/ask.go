package agent

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/selection"
)

// An AskRequest asks for the texts that answer a query.
type AskRequest struct {
	Query    string
	Filter   selection.Filter
	Code     CodeFilter // prints only these blocks of code; zero means whole sections
	MinScore uint32     // minimum score of a section, as a share of the best in units of 1/[selection.One]
	Budget   int        // maximum of tokens in the texts; 0 means DefaultTokens
	Have     []string   // versions of texts the caller already has; they are not sent again
	LeftOut  bool       // also lists the best sections that are not in the answer
}

// AskMinScore is the usual MinScore of an [AskRequest]. See docs/evaluation.md for what it saves
// and costs.
const AskMinScore = selection.One * 13 / 20

// pageShare is how much of the budget a single page can take, unless the other pages score much
// less.
const pageShare = selection.One / 2

// Ask prints the sections that answer a query best, within the budget and page by page. It stops
// where the scores drop, and then lists other matches and the versions of the caches. If the best
// section is larger than the budget, Ask prints the best lines instead. If no section contains
// most of the query, Ask says so first, and prints a few lines at most.
func Ask(ctx context.Context, set *answers.Set, request AskRequest) (*Answer, error) {
	query, err := parseQuery(request.Query)
	if err != nil {
		return nil, err
	}
	have, err := parseVersions(request.Have)
	if err != nil {
		return nil, err
	}
	ranked, err := set.Rank(ctx, selection.Request{Query: query, Filter: request.Filter})
	if err != nil {
		return nil, err
	}
	request.Budget = cmp.Or(request.Budget, DefaultTokens)
	a := askAnswer{
		codeHits: codeHits{pageLoader: newPageLoader(set, request.Code), ranked: ranked, code: request.Code},
		request:  request, have: have, question: questionOf(request.Query, ranked.Worth),
	}
	if err := a.findBest(ctx); err != nil {
		return nil, err
	}
	var out *Answer
	if request.Code.IsOn() {
		out, err = a.printCode(ctx)
	} else {
		out, err = a.printSections(ctx)
	}
	if err != nil {
		return out, err
	}
	out.finder = finderOf(query)
	if request.LeftOut {
		out.LeftOut, err = a.others(ctx)
	}
	return out, err
}

// finderOf returns the finder of a query. Because agents don't need it, it comes from a function.
func finderOf(query selection.Query) func() Finder {
	return func() Finder { return ranking.ParseQuery(query).Finder() }
}

func parseQuery(text string) (selection.Query, error) {
	if strings.TrimSpace(text) == "" {
		return selection.Query{}, argumentErrorf("the query is empty: pass words that the text should contain")
	}
	return selection.ParseQuery(text)
}

// leastVersion is how many digits of a version are enough to name it.
const leastVersion = 8

// shortVersion returns the digits of a version that answers print.
func shortVersion(v document.Version) string { return v.Stem()[:leastVersion] }

// parseVersions returns a function that reports whether versions contain the version of a section
// or of its page. Each version can be written as answers print it, or in full with "sha256:".
func parseVersions(versions []string) (has func(section, page document.Version) bool, err error) {
	if len(versions) == 0 {
		return nil, nil
	}
	prefixes := map[string][]string{} // by their first leastVersion digits
	for _, text := range versions {
		for digits := range strings.SplitSeq(text, "+") {
			digits = strings.TrimPrefix(digits, "sha256:")
			if len(digits) < leastVersion || strings.Trim(digits, "0123456789abcdef") != "" {
				return nil, argumentErrorf("have: %s is not a version: pass the %d digits after the lines of a text, such as 8f3a2c19", quote(text), leastVersion)
			}
			first := digits[:leastVersion]
			prefixes[first] = append(prefixes[first], digits)
		}
	}
	isIn := func(version document.Version) bool {
		digits := strings.TrimPrefix(version.String(), "sha256:")
		return slices.ContainsFunc(prefixes[digits[:leastVersion]], func(prefix string) bool { return strings.HasPrefix(digits, prefix) })
	}
	return func(section, page document.Version) bool { return isIn(section) || isIn(page) }, nil
}

// An askAnswer collects what Ask prints.
type askAnswer struct {
	codeHits
	request  AskRequest
	have     func(section, page document.Version) bool // nil if the caller has no texts
	question question

	top   uint32       // the best score
	trust matchQuality // in the best sections
	best  *answers.Hit // the best hit the caller still needs; may be nil

	printed []answers.Hit // whose texts are in the answer
}

// findBest finds the best section the caller doesn't have yet, and assesses all hits.
func (a *askAnswer) findBest(ctx context.Context) (err error) {
	if a.trust, err = a.qualityOf(ctx, a.ranked, a.hits(ctx)); err != nil {
		return err
	}
	for hit, err := range a.hits(ctx) {
		if err != nil {
			return err
		}
		a.top = hit.Score
		break
	}
	for hit, err := range a.newHits(ctx) {
		if err != nil {
			return err
		}
		if uint64(hit.Score) >= a.least() {
			a.best = &hit
		}
		break
	}
	return nil
}

// newHits yields the hits whose texts the caller doesn't have yet, without duplicates.
func (a *askAnswer) newHits(ctx context.Context) iter.Seq2[answers.Hit, error] {
	return func(yield func(answers.Hit, error) bool) {
		for hit, err := range a.hits(ctx) {
			isHeld := false
			if err == nil && a.have != nil {
				text, failed := a.ranked.Read(hit)
				isHeld, err = a.have(text.Version, text.Page.Version), failed
			}
			if isSkipped := err == nil && (isHeld || hit.DuplicateOf >= 0); isSkipped {
				continue
			}
			if !yield(hit, err) || err != nil {
				return
			}
		}
	}
}

// least returns the minimum score of a text.
func (a *askAnswer) least() uint64 { return uint64(a.top) * uint64(a.request.MinScore) / selection.One }

// most returns the maximum size of an answer in bytes, including marks and notes. With 4 bytes
// per token, the default is 9,000 bytes, because clients cut longer answers.
func (a *askAnswer) most() int {
	budget := min(a.request.Budget, math.MaxInt/9) // cannot overflow
	return max(4*budget+1000, budget*9/2)
}

// answersNothing reports whether no text would help.
func (a *askAnswer) answersNothing() bool {
	return a.best == nil || a.trust.missesThePoint() || a.trust.IsOffTopic
}

// printSections chooses sections and prints them. If they are too large for clients, it leaves out
// the section with the lowest score, and tries again.
func (a *askAnswer) printSections(ctx context.Context) (*Answer, error) {
	chosen, _, err := a.ranked.Choose(ctx, answers.Limits{
		Budget: uint64(a.request.Budget), PageShare: pageShare, ScoreShare: a.request.MinScore, Have: a.have,
	})
	if err != nil {
		return nil, err
	}
	switch {
	case a.answersNothing():
		return a.printNone(ctx)
	case a.trust.IsWeak:
		return a.printBest(ctx, min(a.request.Budget, weakTokens))
	case !slices.ContainsFunc(chosen, a.best.IsSame) && (len(chosen) == 0 || a.best.Tokens > uint64(a.request.Budget)):
		return a.printBest(ctx, a.request.Budget)
	}
	var end Answer
	if err := a.end(ctx, &end); err != nil {
		return nil, err
	}
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		out, err := a.printTexts(ctx, chosen)
		if err != nil {
			return nil, err
		}
		room := a.most() - out.size() - end.size()
		if room >= 0 || len(chosen) < 2 {
			err := a.more(ctx, out, chosen, min(room, max(leastMore, out.size()/moreShare)))
			out.append(&end)
			a.printed = chosen
			return out, err
		}
		worst := slices.MinFunc(chosen, func(x, y answers.Hit) int { return cmp.Compare(x.Score, y.Score) })
		chosen = slices.DeleteFunc(chosen, worst.IsSame)
	}
}

// printNone prints why the answer contains no texts.
func (a *askAnswer) printNone(ctx context.Context) (*Answer, error) {
	var out Answer
	if a.top > 0 && a.trust.IsOffTopic && !a.trust.missesThePoint() {
		out.add(DoubtPart, 0, a.trust.noteOn("nothing answers this"))
		missing, err1 := missingFrom(ctx, a.ranked)
		err2 := out.tryApart(ctx, a.set, missing.texts)
		err3 := a.bestOutside(ctx, &out)
		out.note("from %s", a.versions())
		return &out, cmp.Or(err1, err2, err3)
	}
	if note := a.trust.note(); note != "" {
		out.add(DoubtPart, 0, note)
	}
	switch {
	case a.top > 0 && a.trust.missesThePoint():
		out.note("%s", withoutSymbol)
		err := a.end(ctx, &out)
		return &out, err
	case a.top == 0 && a.looked > 0:
		out.note("%s", a.noCode())
	case a.top == 0:
		why, err := nothingMatches(ctx, a.set, a.ranked, a.request.Filter)
		if err != nil {
			return nil, err
		}
		out.note("%s", why)
	default:
		out.note("you have what matches best")
	}
	err1 := a.more(ctx, &out, nil, leastMore)
	err2 := a.end(ctx, &out)
	return &out, cmp.Or(err1, err2)
}

// weakTokens is the maximum size in tokens of a text that probably doesn't answer the query.
const weakTokens = 100

// printBest prints the best section, or its best lines if it contains more tokens.
func (a *askAnswer) printBest(ctx context.Context, tokens int) (*Answer, error) {
	p, err := a.pageOf(ctx, *a.best)
	if err != nil {
		return nil, err
	}
	a.printed = []answers.Hit{*a.best}
	var out, end Answer
	n := a.best.Section
	it := p.framedText(n, n)
	if isPart := a.best.Tokens > uint64(tokens); isPart {
		r := a.question.around(p, n, tokens)
		it = p.span(r.Start, r.End)
		size := thousands(int(a.best.Tokens))
		if a.trust.IsWeak {
			end.line("that is a part of %s (%s tokens)", p.ref(n+1), size)
		} else {
			end.line("that is a part of %s: give a budget of %s, or read it", p.ref(n+1), size)
		}
	}
	it.Best = a.bestOf(p, it, *a.best)
	out.texts(a.trust.note(), []PageText{it}, "")
	out.append(&end)
	err1 := a.more(ctx, &out, []answers.Hit{*a.best}, leastMore)
	err2 := a.end(ctx, &out)
	return &out, cmp.Or(err1, err2)
}

// end adds the last lines of an answer: different numbers for the same, a better match that the
// filter excludes, what is missing from all sections, and the versions of the caches.
func (a *askAnswer) end(ctx context.Context, out *Answer) error {
	var err1 error
	if !a.request.Code.IsOn() {
		err1 = out.conflict(ctx, a.pageLoader, a.ranked, a.question)
	}
	err2 := a.bestOutside(ctx, out)
	err3 := out.whatIsMissing(ctx, a.set, a.request.Query, a.ranked)
	out.note("from %s", a.versions())
	return cmp.Or(err1, err2, err3)
}

func (a *askAnswer) bestOutside(ctx context.Context, out *Answer) error {
	if a.request.Code.IsOn() {
		return nil
	}
	return out.bestOutside(ctx, a.pageLoader, a.ranked, a.request.Filter)
}

// printTexts prints the texts of sections. It joins consecutive sections of a page.
func (a *askAnswer) printTexts(ctx context.Context, chosen []answers.Hit) (*Answer, error) {
	var items []PageText
	for rest := chosen; len(rest) > 0; {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		p, err := a.pageOf(ctx, rest[0])
		if err != nil {
			return nil, err
		}
		n := 1
		for n < len(rest) && rest[n].Follows(rest[n-1]) {
			n++
		}
		it := p.framedText(rest[0].Section, rest[n-1].Section)
		it.Best = a.bestOf(p, it, rest[:n]...)
		it.Share = a.shareOf(rest[:n])
		items = append(items, it)
		rest = rest[n:]
	}
	var out Answer
	out.texts(a.trust.note(), withoutPaths(items), "")
	return &out, nil
}

// leastMarked is how many lines a text must contain before its best lines are named.
const leastMarked = 10

// bestOf returns the lines of a text with the best answer, or none if the text is small.
func (a *askAnswer) bestOf(p cachePage, it PageText, hits ...answers.Hit) LineRange {
	if it.Lines.Last-it.Lines.First+1 < leastMarked {
		return LineRange{}
	}
	var best document.Range
	most := uint64(0) // how well the lines answer
	for _, hit := range hits {
		if lines, worth := a.question.bestLines(p, hit.Section); worth > most {
			best, most = lines, worth
		}
	}
	if most == 0 {
		return LineRange{}
	}
	return LineRange{p.line(best.Start), p.line(best.End - 1)}
}

// shareOf returns the best score of hits as a percentage of the best score overall, or 0 if they
// contain the best hit.
func (a *askAnswer) shareOf(hits []answers.Hit) int {
	best := slices.MaxFunc(hits, func(x, y answers.Hit) int { return cmp.Compare(x.Score, y.Score) }).Score
	if best == a.top {
		return 0
	}
	return percentOf(best, a.top)
}

const (
	leastMore = 80 // bytes for other matches
	moreShare = 50 // or this fraction of the answer, if it is more
	shortName = 24 // bytes of a heading or path there
)

// more lists the best other sections in a line of at most room bytes. It leaves out sections the
// caller already has.
func (a *askAnswer) more(ctx context.Context, out *Answer, chosen []answers.Hit, room int) error {
	var list []AnswerLine
	for hit, err := range a.newHits(ctx) {
		if err != nil {
			return err
		}
		if slices.ContainsFunc(chosen, hit.IsSame) {
			continue
		}
		p, err := a.pageOf(ctx, hit)
		if err != nil {
			return err
		}
		name := clipMiddle(words.Printable(p.path()), shortName)
		if heading := p.heading(hit.Section); !hasWords(p.path(), heading) {
			name += ", " + clip(words.Printable(heading), shortName)
		}
		next := lineOf("%s %s (%s)", p.ref(hit.Section+1), name, thousands(int(hit.Tokens)))
		if room -= len(next.String()); room < len("more: read ; \n") {
			break
		}
		room -= len("; ")
		list = append(list, next)
	}
	if len(list) > 0 {
		out.line("more: read %s", joined(list, "; "))
	}
	return nil
}

// hasWords reports whether a path contains all words of a heading, which then needs no room.
func hasWords(path, heading string) bool {
	names := wordsOf(path)
	return !slices.ContainsFunc(wordsOf(heading), func(word string) bool { return !slices.Contains(names, word) })
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// quote returns a text from a request as a line, shortened if it is very long.
func quote(text string) string { return `"` + clip(words.Printable(text), 200) + `"` }

// mostLeftOut is how many sections Ask lists as left out.
const mostLeftOut = 12

// others returns the best sections that are not in the answer, with the reasons.
func (a *askAnswer) others(ctx context.Context) (parts []AnswerPart, err error) {
	var names []string // of all hits up to now
	for hit, err := range a.hits(ctx) {
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
			Kind: HitPart, Line: lineOf("%s", names[len(names)-1]), Reference: p.handle(hit.Section + 1),
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
