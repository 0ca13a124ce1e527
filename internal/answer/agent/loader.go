package agent

import (
	"cmp"
	"context"
	"fmt"
	slashpath "path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/selection"
)

// A pageLoader reads the pages for an answer, and keeps some of them for a while.
type pageLoader struct {
	set      *answers.Set
	withCode bool                  // whether pages need their code
	read     map[pageKey]cachePage // pages recently read by pageOf
	size     int                   // approximate size of them in bytes
}

// A pageKey identifies a page in a set.
type pageKey struct {
	member string
	number int
}

func newPageLoader(set *answers.Set, code CodeFilter) *pageLoader {
	return &pageLoader{set: set, withCode: code.IsOn(), read: map[pageKey]cachePage{}}
}

// mostRead is how many bytes of pages a pageLoader keeps, because hits often share a page.
const mostRead = 32 << 20

// pageOf reads the page of a hit.
func (l *pageLoader) pageOf(ctx context.Context, hit answers.Hit) (cachePage, error) {
	key := pageKey{hit.Member, hit.Page}
	if p, isRead := l.read[key]; isRead {
		return p, hit.Check(p.parts)
	}
	members := l.set.Members()
	at := slices.IndexFunc(members, func(of answers.Member) bool { return of.Name == hit.Member })
	p, err := pageAt(ctx, members[at], hit.Page)
	if err == nil && l.withCode {
		p.code, err = codeOfDocument(ctx, p.doc)
	}
	if err != nil {
		return cachePage{}, err
	}
	const ofBlock = 80
	size := len(p.doc.Content) + ofBlock*len(p.code)
	if l.size += size; l.size > mostRead {
		clear(l.read)
		l.size = size
	}
	l.read[key] = p
	return p, hit.Check(p.parts)
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

// whatIsMissing says which words of the query are missing, which words replace them, and which
// parts of the query are not searched.
func (a *Answer) whatIsMissing(ctx context.Context, set *answers.Set, query string, ranked *answers.Ranking) error {
	missing, err := missingFrom(ctx, ranked)
	if err != nil {
		return err
	}
	if len(missing.texts) > 0 {
		proof, err := proofOf(ctx, set, missing.texts)
		if err != nil {
			return err
		}
		a.nameMissing(missing, proof)
		if err := a.tryApart(ctx, set, missing.texts); err != nil {
			return err
		}
	}
	parts, err := unsearched(ctx, query)
	if len(parts) > 0 {
		a.note("not searched as written: %s", withGrep(parts, "other part"))
	}
	return err
}

// missingWords are words of a query that are not among the words of the index.
type missingWords struct {
	texts []string
	near  map[string]string // the stems that replace some of them
}

// missingFrom returns the words of a query that no section contains as they are.
func missingFrom(ctx context.Context, ranked *answers.Ranking) (missingWords, error) {
	terms := slices.DeleteFunc(ranked.Terms(), func(t selection.ExplainedTerm) bool {
		return t.Sections > 0 && len(t.Near) == 0 || ranking.IsSymbol(t.Text) // for symbols, see matchQuality
	})
	if len(terms) == 0 {
		return missingWords{}, nil
	}
	typed, err := ranked.Typed(ctx)
	return missingOf(terms, typed), err
}

// missingOf returns the missing words, replaced words first. typed maps terms to the words of the
// query.
func missingOf(terms []selection.ExplainedTerm, typed map[string]string) missingWords {
	m := missingWords{near: map[string]string{}}
	isNamed := map[string]bool{}
	slices.SortStableFunc(terms, func(a, b selection.ExplainedTerm) int {
		return cmp.Compare(min(len(b.Near), 1), min(len(a.Near), 1))
	})
	for _, t := range terms {
		word := cmp.Or(typed[t.Text], t.Text)
		if isNamed[word] || t.Sections > 0 && len(m.texts) >= mostMissing {
			continue
		}
		isNamed[word] = true
		m.texts = append(m.texts, word)
		if len(t.Near) > 0 {
			m.near[word] = strings.Join(t.Near, "…, ") + "…"
		}
	}
	return m
}

// withGrep lists texts, and says how to find the first one as written.
func withGrep(texts []string, other string) string {
	return few(quoted(texts), mostMissing, other) + "; for exact text, use grep " + quote(texts[0])
}

// nameMissing names missing words. It only says that no section has a word if that is proven.
func (a *Answer) nameMissing(m missingWords, proof textProof) {
	var absent, others []string
	for _, word := range m.texts {
		switch near := m.near[word]; {
		case near != "" && proof.isAbsent(word):
			a.note("no section has %s: taken for %s", quote(word), clip(words.Printable(near), 80))
		case near != "":
			a.note("no word matches %s: taken for %s", quote(word), clip(words.Printable(near), 80))
		case proof.isAbsent(word):
			absent = append(absent, word)
		default:
			others = append(others, word)
		}
	}
	if len(absent) > 0 {
		a.note("no section has %s", few(quoted(absent), mostMissing, "other word"))
	}
	if len(others) > 0 {
		a.note("no word matches %s", withGrep(others, "other word"))
	}
}

// nothingMatches says what to do if no section, or none that the filter allows, contains a word of
// the query.
func nothingMatches(ctx context.Context, set *answers.Set, ranked *answers.Ranking, within selection.Filter) (string, error) {
	names, them := argumentsOf(within)
	switch {
	case ranked.IsWithoutPages:
		return whyNoPage(ctx, set.Members(), within)
	case len(ranked.Terms()) == 0:
		return "nothing in the query can be searched, because it contains no words", nil
	case names != "":
		return fmt.Sprintf("nothing matches with this %s: leave %s out, or try other words", names, them), nil
	}
	return "nothing matches: try other words, or the outline", nil
}

// bestOutside names the best match if the filter excludes it, unless the best hit is in another
// version of the same page.
func (a *Answer) bestOutside(ctx context.Context, l *pageLoader, ranked *answers.Ranking, within selection.Filter) error {
	hit, isOne, err := ranked.Outside()
	if err != nil || !isOne {
		return err
	}
	p, err := l.pageOf(ctx, hit)
	if err != nil {
		return err
	}
	for best, err := range ranked.Hits(ctx) {
		if err != nil {
			return err
		}
		if slashpath.Base(string(best.ID)) != slashpath.Base(string(hit.ID)) {
			break
		}
		if other, err := l.pageOf(ctx, best); err != nil || other.title() == p.title() {
			return err
		}
		break
	}
	names, _ := argumentsOf(within)
	a.line("the best match is outside of this %s: %s %s (score %s)", names, p.ref(hit.Section+1), words.Printable(p.name()), shortScore(hit.Score))
	return nil
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

// unsearched returns the parts of a query with symbols of code that search ignores, each only once.
// If the query contains no term at all, it returns all parts.
func unsearched(ctx context.Context, query string) (parts []string, err error) {
	hasTerms := len(termsIn(query)) > 0
	isSeen := map[string]bool{}
	for field := range ranking.QueryFields(query) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		part := field.Code
		if part == "" && !hasTerms {
			part = field.Text
		}
		if part != "" && !isSeen[part] && !field.HasSymbol {
			isSeen[part] = true
			parts = append(parts, part)
		}
	}
	return parts, nil
}

func termsIn(text string) (terms []string) {
	query, err := selection.ParseQuery(strings.ToValidUTF8(text, " "))
	if err != nil {
		return nil // the text is too large, which no query and no section is
	}
	return ranking.ParseQuery(query).Texts()
}
