package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/answers"
	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/selection"
)

// A pageLoader reads the pages for an answer, and keeps some of them for a while.
type pageLoader struct {
	set  *answers.Set
	read map[pageKey]cachePage // pages recently read by pageOf
	code map[pageKey]pageCode  // code in some of these pages; see codeOf
	size int                   // approximate size of both in bytes
}

// A pageKey identifies a page in a set.
type pageKey struct {
	member string
	number int
}

func newPageLoader(set *answers.Set) *pageLoader {
	return &pageLoader{set: set, read: map[pageKey]cachePage{}, code: map[pageKey]pageCode{}}
}

// mostRead is how many bytes of pages a pageLoader keeps, because hits often share a page.
const mostRead = 32 << 20

// pageOf reads the page of a hit.
func (l *pageLoader) pageOf(ctx context.Context, hit answers.Hit) (cachePage, error) {
	key := pageKey{hit.Member, hit.Page}
	if p, isRead := l.read[key]; isRead {
		return p, nil
	}
	members := l.set.Members()
	at := slices.IndexFunc(members, func(of answers.Member) bool { return of.Name == hit.Member })
	p, err := pageAt(ctx, members[at], hit.Page)
	if err != nil {
		return cachePage{}, err
	}
	if l.size += len(p.doc.Content); l.size > mostRead {
		clear(l.read)
		clear(l.code)
		l.size = len(p.doc.Content)
	}
	l.read[key] = p
	return p, nil
}

// versions lists the caches with their versions and products, for example
// "docs@3714a6418d58 (next@16.4.6)".
func (l *pageLoader) versions() string {
	var all []string
	for _, of := range l.set.Members() {
		of.Name = strings.TrimPrefix(of.Name+"@", "@") + of.Version().Stem()
		all = append(all, originOf(of))
	}
	return strings.Join(all, " ")
}

const mostMissing = 8

// missingWords says which words of the query no section contains, which words replace them, and
// which parts of the query are not searched.
func (a *answer) missingWords(ctx context.Context, query string, ranked *answers.Ranking) error {
	if err := a.nameMissingWords(ctx, ranked); err != nil {
		return err
	}
	parts, err := unsearched(ctx, query)
	if len(parts) > 0 {
		exact := parts[0]
		for i := range parts {
			parts[i] = quote(parts[i])
		}
		a.line("not searched as written: %s; for exact text, use grep %s", few(parts, mostMissing, "other part"), quote(exact))
	}
	return err
}

func (a *answer) nameMissingWords(ctx context.Context, ranked *answers.Ranking) error {
	terms := slices.DeleteFunc(ranked.Terms(), func(t selection.ExplainedTerm) bool {
		return t.Sections > 0 && len(t.Near) == 0 || ranking.IsSymbol(t.Text) // see confidence
	})
	if len(terms) == 0 {
		return nil
	}
	typed, err := ranked.Typed(ctx)
	if err == nil {
		a.nameMissing(terms, typed)
	}
	return err
}

// nameMissing names terms missing from all sections. typed maps terms to the words of the query.
func (a *answer) nameMissing(terms []selection.ExplainedTerm, typed map[string]string) {
	wordOf := func(t selection.ExplainedTerm) string { return quote(cmp.Or(typed[t.Text], t.Text)) }
	isNamed := map[string]bool{}
	for _, t := range terms {
		if word := wordOf(t); len(t.Near) > 0 && len(isNamed) < mostMissing && !isNamed[word] {
			isNamed[word] = true
			near := clip(words.Printable(strings.Join(t.Near, "…, ")), 80) // the stems of words
			a.line("no section has %s: taken for %s…", word, near)
		}
	}
	var missing []string
	for _, t := range terms {
		if word := wordOf(t); t.Sections == 0 && !isNamed[word] {
			isNamed[word] = true
			missing = append(missing, word)
		}
	}
	if len(missing) > 0 {
		a.line("no section has %s", few(missing, mostMissing, "other word"))
	}
}

// nothingMatches says what to do if no section contains a word of the query.
func nothingMatches(ranked *answers.Ranking, within selection.Filter) string {
	if len(ranked.Terms()) == 0 {
		return "nothing in the query can be searched, because it contains no words"
	}
	if names, them := argumentsOf(within); names != "" {
		return fmt.Sprintf("nothing matches with this %s: leave %s out, or try other words", names, them)
	}
	return "nothing matches: try other words, or the outline"
}

// argumentsOf returns the arguments of a filter, and the pronoun for them.
func argumentsOf(within selection.Filter) (names, them string) {
	hasPaths, hasWhere := len(within.Paths) > 0, len(within.Where) > 0
	switch {
	case hasPaths && hasWhere:
		return "path and where", "them"
	case hasPaths:
		return "path", "it"
	case hasWhere:
		return "where", "it"
	}
	return "", ""
}
