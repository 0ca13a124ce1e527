package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
)

// A library is the caches that an answer is made from.
type library struct {
	set  *resolve.Set
	read map[pageKey]page // some that pageOf has read
	size int              // bytes of their contents
}

// A pageKey names a page of a set.
type pageKey struct {
	member string
	number int
}

func newLibrary(set *resolve.Set) *library { return &library{set: set, read: map[pageKey]page{}} }

// mostRead is the most bytes of pages that a library keeps. Hits often share a page.
const mostRead = 32 << 20

// pageOf reads the page of a hit.
func (l *library) pageOf(hit resolve.Hit) (page, error) {
	key := pageKey{hit.Member, hit.Page}
	if p, isRead := l.read[key]; isRead {
		return p, nil
	}
	members := l.set.Members()
	at := slices.IndexFunc(members, func(of resolve.Member) bool { return of.Name == hit.Member })
	p, err := pageAt(members[at], hit.Page)
	if err != nil {
		return page{}, err
	}
	if l.size += len(p.doc.Content); l.size > mostRead {
		clear(l.read)
		l.size = len(p.doc.Content)
	}
	l.read[key] = p
	return p, nil
}

// versions names the caches and their versions, as in "docs@3714a6418d58".
func (l *library) versions() string {
	var all []string
	for _, of := range l.set.Members() {
		all = append(all, strings.TrimPrefix(of.Name+"@", "@")+of.Version().Stem())
	}
	return strings.Join(all, " ")
}

// mostMissing is how many words a note names.
const mostMissing = 8

// missingWords says which words of the query no section has, and what stands for them.
func missingWords(query string, ranked *resolve.Ranked) (notes string) {
	var missing, replaced []string
	typed := typedWords(query)
	for _, t := range ranked.Terms() {
		word := quote(cmp.Or(typed[t.Text], t.Text))
		switch {
		case slices.Contains(replaced, word):
		case len(t.Near) > 0 && len(replaced) < mostMissing:
			replaced = append(replaced, word)
			near := clip(words.Printable(strings.Join(t.Near, "…, ")), 80) // the stems of words
			notes += fmt.Sprintf("no section has %s: taken for %s…\n", word, near)
		case t.Sections == 0 && !slices.Contains(missing, word):
			missing = append(missing, word)
		}
	}
	missing = slices.DeleteFunc(missing, func(word string) bool { return slices.Contains(replaced, word) })
	if len(missing) == 0 {
		return notes
	}
	if more := len(missing) - mostMissing; more > 0 {
		missing = append(missing[:mostMissing], count(more, "other word"))
	}
	return notes + "no section has " + strings.Join(missing, ", ") + "\n"
}

// nothingMatches says what to do if no section has a word of the query.
func nothingMatches(within resolve.Filter) string {
	if len(within.Paths)+len(within.Where) > 0 {
		return "nothing matches within these path and where: leave them out, or try other words\n"
	}
	return "nothing matches: try other words, or the outline\n"
}

// typedWords returns the words of a query by their terms, which are stems.
func typedWords(query string) map[string]string {
	typed := map[string]string{}
	for _, word := range strings.Fields(query) {
		parsed, err := selection.ParseQuery(word)
		if err != nil {
			continue
		}
		for _, term := range ranking.ParseQuery(parsed).Terms {
			typed[term.Text] = strings.TrimFunc(word, unicode.IsPunct)
		}
	}
	return typed
}
