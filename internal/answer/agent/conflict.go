package agent

import (
	"context"
	slashpath "path"
	"slices"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/selection"
)

// This file finds pages that give different numbers for what a question asks for. A wrong note
// would cost more than it could save, so their sentences must say almost the same.

const (
	mostCompared   = 10                // hits
	mostStatements = 3                 // among them; more are about the same property of several things
	leastStatement = selection.One / 2 // share of the query that a statement covers
	mostOwnWords   = 3                 // of a statement that another statement lacks
)

// A statement is a sentence with the number that a question asks for.
type statement struct {
	cachePage
	section AnswerPiece // its handle
	amount
	lacks  []int    // numbers of the terms of the query that it lacks
	terms  []string // all its terms
	limits []string // see limitWords
}

// conflict adds a line if two pages of the best hits give different numbers for the number that the
// query asks for.
func (a *Answer) conflict(ctx context.Context, l *pageLoader, ranked *answers.Ranking, q question) error {
	statements, err := statementsOf(ctx, l, ranked, q)
	if err != nil || len(statements) > mostStatements {
		return err
	}
	for i, s := range statements {
		for _, other := range statements[:i] {
			if other.contradicts(s) {
				a.line("two pages give different numbers: %s says %s (read %s), %s says %s (read %s)", other.name(), other.written, other.section, s.name(), s.written, s.section)
				return nil
			}
		}
	}
	return nil
}

// statementsOf returns the statements of the best hits, at most one of each hit.
func statementsOf(ctx context.Context, l *pageLoader, ranked *answers.Ranking, q question) (statements []statement, err error) {
	if len(q.units) == 0 || !q.forQuantity && !q.forNumber {
		return nil, nil
	}
	looked, least := 0, uint64(0)
	for hit, err := range ranked.Hits(ctx) {
		if err != nil {
			return nil, err
		}
		if looked == 0 {
			least = uint64(hit.Score) * SearchMinScore / selection.One
		}
		if looked++; looked > mostCompared || uint64(hit.Score) < least {
			break
		}
		if hit.DuplicateOf >= 0 {
			continue
		}
		p, err := l.pageOf(ctx, hit)
		if err != nil {
			return nil, err
		}
		if s, isOne := statementIn(p, hit.Section, ranked, q); isOne {
			statements = append(statements, s)
		}
	}
	return statements, nil
}

// statementIn returns the sentence of a section that covers most of the query. isOne is false if it
// doesn't contain exactly one number, or if another sentence covers as much with another number.
func statementIn(p cachePage, section int, ranked *answers.Ranking, q question) (best statement, isOne bool) {
	most := uint64(leastStatement - 1)
	for _, sentence := range markdown.Quotable(p.readable(p.parts[section])) {
		amounts := amountsIn(sentence, q.units)
		if len(amounts) == 0 {
			continue
		}
		covered, lacks := ranked.Covered([]byte(sentence))
		isSingle := len(amounts) == 1 && amounts[0].unit != ""
		switch {
		case covered > most:
			most, isOne = covered, isSingle
			best = statement{p, p.ref(section + 1), amounts[0], lacks, nil, limitsIn(sentence)}
			for _, word := range ranking.WordsIn(sentence) {
				best.terms = append(best.terms, word.Terms...)
			}
		case covered == most:
			isOne = isOne && isSingle && amounts[0].isEqual(best.amount)
		}
	}
	return best, isOne
}

// contradicts reports whether two statements of different pages say the same, except for the
// number. Pages with the same name or title don't count, because they are often about different
// versions or products.
func (s statement) contradicts(other statement) bool {
	isSamePage := slashpath.Base(string(s.doc.ID)) == slashpath.Base(string(other.doc.ID)) || s.title() == other.title()
	return !isSamePage && s.of.Name == other.of.Name &&
		s.unit == other.unit && s.value() != other.value() &&
		slices.Equal(s.lacks, other.lacks) && slices.Equal(s.limits, other.limits) &&
		max(s.ownWords(other), other.ownWords(s)) <= mostOwnWords
}

// ownWords counts the terms of a statement that another statement lacks.
func (s statement) ownWords(other statement) (n int) {
	for _, term := range s.terms {
		if !slices.Contains(other.terms, term) {
			n++
		}
	}
	return n
}

// limitWords are words that say which number a sentence is about, and under which condition.
var limitWords = map[string]string{
	"most": "maximum", "max": "maximum", "maximum": "maximum", "up": "maximum", "least": "minimum", "min": "minimum", "minimum": "minimum",
	"default": "default", "defaults": "default", "more": "more", "less": "less", "fewer": "less", "if": "if", "when": "if", "unless": "unless",
	"without": "not", "except": "not", "not": "not", "no": "not", "only": "only", "after": "after", "before": "before", "for": "for",
}

// limitsIn returns the kinds of limits in a sentence, sorted.
func limitsIn(sentence string) (kinds []string) {
	for _, word := range wordsOf(sentence) {
		if kind := limitWords[word]; kind != "" {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}
