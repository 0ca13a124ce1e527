package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/resolve"
)

// A SearchRequest asks where a query is answered.
type SearchRequest struct {
	Query    string
	Filter   resolve.Filter
	MinScore uint32 // least score of a section, as a share of the best in units of 1/[resolve.One]
	Limit    int    // sections; 0 means DefaultLimit
}

// SearchMinScore is the usual MinScore of a [SearchRequest].
const SearchMinScore = resolve.One / 2

// DefaultLimit is the usual number of hits: agents read no more.
const DefaultLimit = 5

// closeScore is the least score of a hit that is close to the query.
const closeScore = resolve.One * 15 / 100

// Search prints the best sections for a query: for each a handle, its headings, its size,
// its score, and the sentence that answers best. The hits of one page stand together.
// Sections that say the same as a hit are named with it.
func Search(ctx context.Context, set *resolve.Set, request SearchRequest) ([]byte, error) {
	query, err := parseQuery(request.Query)
	if err != nil {
		return nil, err
	}
	ranked, err := set.Rank(ctx, resolve.Request{Query: query, Filter: request.Filter})
	if err != nil {
		return nil, err
	}
	s := searched{library: newLibrary(set), question: questionOf(request.Query, ranked.Coverage)}
	if err := s.take(ctx, ranked, request); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if len(s.hits) > 0 && s.hits[0].Score < closeScore {
		out.WriteString("nothing is close to the query; the best there is:\n")
	}
	for _, number := range s.pages() {
		s.printPage(&out, number)
	}
	if len(s.hits) == 0 {
		out.WriteString(nothingMatches(request.Filter))
	}
	out.WriteString(missingWords(request.Query, ranked))
	return out.Bytes(), nil
}

// searched is the hits of a search.
type searched struct {
	*library
	question question
	hits     []foundHit
}

// A foundHit is a hit and those that say the same.
type foundHit struct {
	resolve.Hit
	page
	place int // among all hits
	same  []string
}

// mostSame is how many hits that say the same are named.
const mostSame = 3

// take takes the best hits, and names those among the next few that say the same.
func (s *searched) take(ctx context.Context, ranked *resolve.Ranked, request SearchRequest) error {
	limit := cmp.Or(request.Limit, DefaultLimit)
	place, least := -1, uint64(0)
	for hit, err := range ranked.Hits(ctx) {
		if err != nil {
			return err
		}
		if place++; place == 0 {
			least = uint64(hit.Score) * uint64(request.MinScore) / resolve.One
		}
		if hit.DuplicateOf < 0 && len(s.hits) == limit || place > 4*limit || uint64(hit.Score) < least {
			break
		}
		p, err := s.pageOf(hit)
		if err != nil {
			return err
		}
		if hit.DuplicateOf < 0 {
			s.hits = append(s.hits, foundHit{Hit: hit, page: p, place: place})
			continue
		}
		at := slices.IndexFunc(s.hits, func(f foundHit) bool { return f.place == hit.DuplicateOf })
		if at >= 0 && len(s.hits[at].same) < mostSame {
			s.hits[at].same = append(s.hits[at].same, withoutEnd(p.name(), s.hits[at].name()))
		}
	}
	return nil
}

// pages returns the place of the first hit of each page.
func (s *searched) pages() (firsts []int) {
	for i, hit := range s.hits {
		isFirst := !slices.ContainsFunc(s.hits[:i], func(f foundHit) bool { return f.name() == hit.name() })
		if isFirst {
			firsts = append(firsts, i)
		}
	}
	return firsts
}

// printPage prints the hits of the page of a hit.
func (s *searched) printPage(out *bytes.Buffer, first int) {
	of, same := s.hits[first].page, ""
	title := of.title()
	fmt.Fprintf(out, "%s\n", strings.TrimSpace(words.Printable(of.name())+" "+shortHeading(title)))
	for _, hit := range s.hits[first:] {
		if hit.name() != of.name() {
			continue
		}
		part := hit.parts[hit.Section]
		path := slices.DeleteFunc(append(hit.headings(part.Start), hit.ownHeadings(part)...), func(h string) bool { return h == title })
		out.WriteString("  " + hit.handle(hit.Section+1))
		if len(path) > 0 {
			out.WriteString(" " + headingPath(path))
		}
		fmt.Fprintf(out, " (%s tokens, score %s)\n", thousands(int(hit.Tokens)), shortScore(hit.Score))
		sentences := 1
		if hit.place == 0 {
			sentences = 2 // most questions end here
		}
		for _, sentence := range s.question.best(hit.readable(part), sentences) {
			fmt.Fprintf(out, "    > %s\n", words.Printable(sentence))
		}
		if next := strings.Join(hit.same, ", "); next != "" && next != same {
			same = next
			fmt.Fprintf(out, "    also in %s\n", words.Printable(same))
		}
	}
}

// withoutEnd returns a path with an ellipsis for the names at its end that another path ends
// with, too.
func withoutEnd(path, other string) string {
	names, others := strings.Split(path, "/"), strings.Split(other, "/")
	n := 0
	for n < min(len(names), len(others))-1 && names[len(names)-1-n] == others[len(others)-1-n] {
		n++
	}
	if n == 0 || path == other {
		return path
	}
	return strings.Join(names[:len(names)-n], "/") + "/…"
}

// shortScore returns a score with two digits behind the point.
func shortScore(score uint32) string {
	return fmt.Sprintf("%d.%02d", score/resolve.One, score%resolve.One*100/resolve.One)
}
