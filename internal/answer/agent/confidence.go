package agent

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/selection"
)

// A matchQuality is the confidence in the best sections for a query, and the symbols missing from
// all sections.
type matchQuality struct {
	selection.Confidence
	missing []string  // symbols of the query missing from all sections, as the query writes them
	proof   textProof // of these symbols
}

// qualityOf assesses the best hits of a ranking.
func (l *pageLoader) qualityOf(ctx context.Context, ranked *answers.Ranking, hits iter.Seq2[answers.Hit, error]) (c matchQuality, err error) {
	c.Confidence, err = ranked.Confidence(ctx, hits)
	if err != nil {
		return c, err
	}
	isMissing := func(t selection.ExplainedTerm) bool { return t.Sections == 0 && ranking.IsSymbol(t.Text) }
	terms := slices.DeleteFunc(ranked.Terms(), func(t selection.ExplainedTerm) bool { return !isMissing(t) })
	if len(terms) == 0 {
		return c, nil
	}
	typed, err := ranked.Typed(ctx)
	if err != nil {
		return c, err
	}
	missing := map[string]bool{}
	for _, t := range terms {
		symbol := cmp.Or(typed[t.Text], t.Text)
		c.missing, missing[symbol] = append(c.missing, symbol), true
	}
	c.Lacks = slices.DeleteFunc(c.Lacks, func(word string) bool { return missing[word] })
	c.proof, err = proofOf(ctx, l.set, c.missing)
	return c, err
}

// missesThePoint reports whether no section contains a symbol of the query, and the best sections
// match the other words only weakly, so they cannot explain the symbol. A symbol with a word, such
// as --dry-run, doesn't count, because its word finds related text. Neither does a symbol in prose.
func (c matchQuality) missesThePoint() bool {
	return c.IsWeak && slices.ContainsFunc(c.missing, func(symbol string) bool {
		return !ranking.HasWord(symbol) && !c.proof.isFound[symbol]
	})
}

// withoutSymbol says why sections are left out if no section contains a symbol.
const withoutSymbol = "sections with the other words match weakly and are left out: ask without the symbol to see them"

// note names the symbols missing from all sections. If the match is weak, it also says which words
// the best section lacks, and which words to try instead. Otherwise it may be "".
func (c matchQuality) note() string { return c.noteOn("weak match") }

// noteOn is like note, but uses another name for a weak match.
func (c matchQuality) noteOn(weak string) string {
	var notes []string
	if len(c.missing) > 0 {
		says := "no symbol matches "
		if !slices.ContainsFunc(c.missing, func(symbol string) bool { return !c.proof.isAbsent(symbol) }) {
			says = "no section has "
		}
		notes = append(notes, says+withGrep(c.missing, "other symbol"))
	}
	if !c.IsWeak || c.missesThePoint() {
		return strings.Join(notes, "")
	}
	note := weak
	if len(c.Lacks) > 0 {
		note += ": the best section lacks " + few(quoted(c.Lacks), mostMissing, "other word")
	}
	if notes = append(notes, note); len(c.Try) > 0 {
		notes = append(notes, "words to try: "+strings.Join(quoted(c.Try), ", "))
	}
	return strings.Join(notes, "; ")
}

func quoted(words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = quote(word)
	}
	return all
}
