package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
)

// An AskRequest asks for the texts that answer a query.
type AskRequest struct {
	Query    string
	Filter   resolve.Filter
	MinScore uint32   // least score of a section, as a share of the best in units of 1/[resolve.One]
	Budget   int      // tokens of the texts; 0 means DefaultTokens
	Have     []string // versions of texts that the caller has: these are not sent again
}

// AskMinScore is the usual MinScore of an [AskRequest]. docs/evaluation.md has what it saves
// and costs.
const AskMinScore = resolve.One * 3 / 4

// pageShare is the share of the budget for one page, unless the others score much less.
const pageShare = resolve.One / 2

// Ask prints the sections that answer a query best, within the budget, page by page. It
// ends where the scores drop. What else matches follows, and what the answer is made from.
func Ask(ctx context.Context, set *resolve.Set, request AskRequest) ([]byte, error) {
	query, err := parseQuery(request.Query)
	if err != nil {
		return nil, err
	}
	have, err := parseVersions(request.Have)
	if err != nil {
		return nil, err
	}
	ranked, err := set.Rank(ctx, resolve.Request{Query: query, Filter: request.Filter})
	if err != nil {
		return nil, err
	}
	request.Budget = cmp.Or(request.Budget, DefaultTokens)
	chosen, _, err := ranked.Choose(ctx, resolve.Limits{
		Budget: uint64(request.Budget), PageShare: pageShare, ScoreShare: request.MinScore, Have: have,
	})
	if err != nil {
		return nil, err
	}
	a := asked{newLibrary(set), ranked, request, have}
	return a.print(ctx, chosen)
}

// parseQuery parses a query that is not empty.
func parseQuery(text string) (selection.Query, error) {
	if strings.TrimSpace(text) == "" {
		return selection.Query{}, argumentErrorf("the query is empty: pass words that the text should have")
	}
	return selection.ParseQuery(text)
}

// leastVersion is the fewest digits that name a version.
const leastVersion = 8

// parseVersions returns whether one of versions is that of a section or of its page. A
// version is given as answers print it, or with all digits and "sha256:".
func parseVersions(versions []string) (has func(section, page document.Version) bool, err error) {
	if len(versions) == 0 {
		return nil, nil
	}
	var prefixes []string
	for _, text := range versions {
		for digits := range strings.SplitSeq(text, "+") {
			digits = strings.TrimPrefix(digits, "sha256:")
			if len(digits) < leastVersion || strings.Trim(digits, "0123456789abcdef") != "" {
				return nil, argumentErrorf("have: %q is no version: pass the %d digits behind the lines of a text, such as 8f3a2c19", text, leastVersion)
			}
			prefixes = append(prefixes, "sha256:"+digits)
		}
	}
	return func(section, page document.Version) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool {
			return strings.HasPrefix(section.String(), prefix) || strings.HasPrefix(page.String(), prefix)
		})
	}, nil
}

// asked is what an answer of Ask is made from.
type asked struct {
	*library
	ranked  *resolve.Ranked
	request AskRequest
	have    func(section, page document.Version) bool // nil if nothing is held
}

// most is the most bytes of an answer, marks and notes included: so a default answer has
// at most 9,000. A token has 4.
func (a asked) most() int { return max(4*a.request.Budget+1000, a.request.Budget*9/2) }

// print prints the chosen sections. If that is larger than clients take, it leaves out
// the one with the lowest score.
func (a asked) print(ctx context.Context, chosen []resolve.Hit) ([]byte, error) {
	if len(chosen) == 0 {
		return a.printNone(ctx)
	}
	end := missingWords(a.request.Query, a.ranked) + a.provenance()
	for {
		out, err := a.printTexts(chosen)
		if err != nil {
			return nil, err
		}
		room := a.most() - len(out) - len(end)
		if room >= 0 || len(chosen) < 2 {
			more, err := a.more(ctx, chosen, min(room, longestMore))
			return append(append(out, more...), end...), err
		}
		worst := slices.MinFunc(chosen, func(x, y resolve.Hit) int { return cmp.Compare(x.Score, y.Score) })
		chosen = slices.DeleteFunc(chosen, worst.IsSame)
	}
}

// printNone prints an answer without texts, and the reason.
func (a asked) printNone(ctx context.Context) ([]byte, error) {
	why := nothingMatches(a.request.Filter)
	for best, err := range a.ranked.Hits(ctx) {
		if err != nil {
			return nil, err
		}
		why = "no section fits the budget: give a larger one, or read a part\n"
		if isHeld, err := a.isHeld(best); err != nil {
			return nil, err
		} else if isHeld {
			why = "you have what matches best\n"
		}
		break
	}
	more, err := a.more(ctx, nil, longestMore)
	return []byte(why + more + missingWords(a.request.Query, a.ranked) + a.provenance()), err
}

// isHeld reports whether the caller has a section.
func (a asked) isHeld(hit resolve.Hit) (bool, error) {
	if a.have == nil {
		return false, nil
	}
	text, err := a.ranked.Read(hit)
	return a.have(text.Version, text.Page.Version), err
}

// printTexts prints the texts of sections. Sections that follow each other are one text.
func (a asked) printTexts(chosen []resolve.Hit) ([]byte, error) {
	var items []item
	for rest := chosen; len(rest) > 0; {
		p, err := a.pageOf(rest[0])
		if err != nil {
			return nil, err
		}
		n := 1
		for n < len(rest) && rest[n].Follows(rest[n-1]) {
			n++
		}
		items = append(items, p.item(rest[0].Section, rest[n-1].Section))
		rest = rest[n:]
	}
	var out bytes.Buffer
	f := frameOf(items)
	f.begin(&out)
	for i, it := range items {
		it.samePage = i > 0 && it.page == items[i-1].page
		f.item(&out, it)
	}
	f.end(&out, "")
	return out.Bytes(), nil
}

const (
	longestMore = 120 // bytes for what else matches
	shortName   = 30  // bytes of a heading there
)

// more returns a line with the best sections that were not chosen and that the caller does
// not have, in at most room bytes.
func (a asked) more(ctx context.Context, chosen []resolve.Hit, room int) (string, error) {
	line := ""
	for hit, err := range a.ranked.Hits(ctx) {
		if err != nil {
			return "", err
		}
		if hit.DuplicateOf >= 0 || slices.ContainsFunc(chosen, hit.IsSame) {
			continue
		}
		if isHeld, err := a.isHeld(hit); err != nil {
			return "", err
		} else if isHeld {
			continue
		}
		p, err := a.pageOf(hit)
		if err != nil {
			return "", err
		}
		next := fmt.Sprintf("%s %s (%s)", p.handle(hit.Section+1), clip(words.Printable(p.heading(hit.Section)), shortName), thousands(int(hit.Tokens)))
		if len("more: ; \n")+len(line)+len(next) > room {
			break
		}
		line += "; " + next
	}
	if line == "" {
		return "", nil
	}
	return "more: " + strings.TrimPrefix(line, "; ") + "\n", nil
}

// provenance returns the line that lets anyone have the answer again.
func (a asked) provenance() string {
	r := a.request
	text := fmt.Sprintf("from %s, selection 1, budget %d, query %s", a.versions(), r.Budget, quote(r.Query))
	for _, path := range r.Filter.Paths {
		text += ", path " + quote(path)
	}
	for _, field := range r.Filter.Where {
		text += ", where " + quote(field)
	}
	if r.MinScore != AskMinScore {
		text += ", min-score " + strconv.FormatFloat(float64(r.MinScore)/resolve.One, 'f', -1, 64)
	}
	if len(r.Have) > 0 {
		text += ", have " + quote(strings.Join(r.Have, " "))
	}
	return text + "\n"
}

// quote returns a text of a request in one line, shortened if it is very long.
func quote(text string) string { return `"` + clip(words.Printable(text), 200) + `"` }
