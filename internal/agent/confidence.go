package agent

import (
	"cmp"
	"context"
	"strings"

	"github.com/contextcompiler/context/resolve"
)

// A confidence says how much of a query its best sections cover. Unlike a score, which
// compares sections with each other, it has an absolute scale.
type confidence struct {
	covered uint64   // the largest share of the query's idf that one section covers, of [one]
	lacks   []string // the words of the query that this section does not contain, if it is weak
}

const (
	// weakCoverage is the share of the query's idf below which a section is a weak match.
	// Of 40 queries without an answer in their docs, 88% stay below it. Of the questions of
	// vespa, anthropic-docs and ray, which have one, .6%, 5% and 9% do.
	weakCoverage = one * 2 / 5
	// fewBest is how many sections are looked at: often the second answers.
	fewBest = 3
)

// isWeak reports whether no section covers enough of the query to trust the answer.
func (c confidence) isWeak() bool { return c.covered < weakCoverage }

// confidenceOf returns the confidence in the best sections for a query. Without any
// section, it is not weak, because there is nothing to doubt.
func (l *library) confidenceOf(ctx context.Context, query string, ranked *resolve.Ranked) (confidence, error) {
	n, covered, best := 0, uint64(0), []byte(nil)
	for hit, err := range ranked.Hits(ctx) {
		if err != nil {
			return confidence{}, err
		}
		p, err := l.pageOf(ctx, hit)
		if err != nil {
			return confidence{}, err
		}
		text := p.withHeadings(hit.Section)
		if share := ranked.Coverage(text); n == 0 || share > covered {
			covered, best = share, text
		}
		if n++; n == fewBest {
			break
		}
	}
	c := confidence{covered: covered}
	if n == 0 {
		c.covered = one
	}
	if !c.isWeak() {
		return c, nil
	}
	typed, err := typedWords(ctx, query)
	c.lacks = wordsNotIn(best, ranked.Terms(), typed)
	return c, err
}

// withHeadings returns the text of a section as it reads, below the headings that it
// stands under.
func (p page) withHeadings(section int) []byte {
	part := p.parts[section]
	text := strings.Join(append(p.headings(part.Start), p.title()), "\n") + "\n"
	return append([]byte(text), p.readable(part)...)
}

// wordsNotIn returns the words of a query whose terms a text does not contain, in the order
// of the terms. typed has the words by their terms.
func wordsNotIn(text []byte, terms []resolve.ExplainedTerm, typed map[string]string) (lacking []string) {
	isIn := map[string]bool{}
	for _, term := range termsIn(string(text)) {
		isIn[term] = true
	}
	isNamed := map[string]bool{} // or found, because a part of an identifier was
	for _, t := range terms {
		for _, term := range append(t.Near, t.Text) {
			if isIn[term] {
				isNamed[cmp.Or(typed[t.Text], t.Text)] = true
			}
		}
	}
	for _, t := range terms {
		if word := cmp.Or(typed[t.Text], t.Text); !isNamed[word] {
			isNamed[word] = true
			lacking = append(lacking, word)
		}
	}
	return lacking
}

// note says what a weak match lacks. It is "" for one that isn't weak.
func (c confidence) note() string {
	switch {
	case !c.isWeak():
		return ""
	case len(c.lacks) == 0:
		return "weak match"
	}
	quoted := make([]string, len(c.lacks))
	for i, word := range c.lacks {
		quoted[i] = quote(word)
	}
	return "weak match: the best section lacks " + few(quoted, mostMissing, "other word")
}
