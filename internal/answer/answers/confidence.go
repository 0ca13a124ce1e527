package answers

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

const (
	// weakCoverage is the share of the query below which a section is a weak match, in units of
	// 1/[selection.One]. docs/selection.md says how many questions stay below the limits.
	weakCoverage = selection.One / 2
	// offTopicCoverage is the share below which an answer is off topic.
	offTopicCoverage = selection.One / 4
	// fewBest is how many sections to look at, because the second section often answers.
	fewBest = 3
)

// Confidence returns the confidence in the best of hits, which must be from [Ranking.Hits].
func (r *Ranking) Confidence(ctx context.Context, hits iter.Seq2[Hit, error]) (selection.Confidence, error) {
	c, looked, err := r.confidence(ctx, hits)
	if err == nil && c.IsWeak && len(looked) > 0 {
		c.Try, err = r.wordsToTry(looked, c.Lacks)
	}
	return c, cmp.Or(err, context.Cause(ctx))
}

// confidence is like Confidence without words to try. It also returns the sections it
// looked at.
func (r *Ranking) confidence(ctx context.Context, hits iter.Seq2[Hit, error]) (c selection.Confidence, looked []readSection, err error) {
	var best ranking.Score
	var bestText []byte
	var lacks []int
	for hit, err := range hits {
		if err != nil {
			return c, looked, err
		}
		s, err := r.section(hit)
		if err != nil {
			return c, looked, err
		}
		text := searchable(s)
		covered, missing := r.scores.Covered(text)
		if len(looked) == 0 || covered > best {
			best, bestText, lacks = covered, text, missing
		}
		looked = append(looked, s)
		c.Sections = append(c.Sections, selection.CoveredSection{ID: hit.printedID(), Covered: covered.String()})
		if len(looked) == fewBest {
			break
		}
	}
	c.Covered = best.String()
	if len(looked) == 0 {
		return c, looked, nil
	}
	c.IsWeak = best.Millionths() < weakCoverage
	c.IsOffTopic = best.Millionths() < offTopicCoverage
	typed, err := r.Typed(ctx)
	if err != nil {
		return c, looked, err
	}
	if c.Lacks = r.wordsOf(lacks, typed); len(c.Lacks) > 0 {
		c.Lacks = slices.DeleteFunc(c.Lacks, words.Fold(bestText).Contains)
	}
	return c, looked, nil
}

// searchable returns the text of a section that a query can match, including the title of the
// page and the headings above the section.
func searchable(s readSection) []byte {
	above := append([]string{s.doc.Metadata["title"].String()}, s.Headings...)
	text := []byte(strings.Join(above, "\n") + "\n")
	text = append(text, s.doc.Content[s.Lead.Start:s.Lead.End]...)
	return append(text, s.Text...)
}

// wordsOf returns the words of the query for numbers of its terms, without repetitions. It
// leaves out a word if the section contains another term of it.
func (r *Ranking) wordsOf(lacks []int, typed map[string]string) (lacking []string) {
	isNamed := map[string]bool{} // or covered, because a part of the identifier is
	for i, t := range r.scores.Query.Terms {
		if _, isLacking := slices.BinarySearch(lacks, i); !isLacking {
			isNamed[cmp.Or(typed[t.Text], t.Text)] = true
		}
	}
	for _, i := range lacks {
		text := r.scores.Query.Terms[i].Text
		if word := cmp.Or(typed[text], text); !isNamed[word] {
			isNamed[word] = true
			lacking = append(lacking, word)
		}
	}
	return lacking
}

// Typed maps the terms of the query, which are stems, to the words that the user typed.
func (r *Ranking) Typed(ctx context.Context) (map[string]string, error) {
	return ranking.Typed(ctx, r.request.Query)
}

const (
	mostTries      = 5
	mostCandidates = 100 // words to compare
	sharedStart    = 4   // first letters that two words must share to look related
	headingWeight  = 2   // of a word in a heading; a word in a definition weighs 1
)

// wordsToTry returns the most telling words of headings and definitions in the best
// sections. Words that begin like a missing word come first, then words that occur in
// many of these sections but in few others. It leaves out words that only the page of the
// first section contains, because the caller already sees that page.
func (r *Ranking) wordsToTry(best []readSection, lacks []string) (tries []string, err error) {
	firsts, err := r.from.firsts()
	if err != nil {
		return nil, err
	}
	start, end := firsts[best[0].page], firsts[best[0].page+1]
	isOutside := func(p index.Posting) bool { return p.Ordinal < start || p.Ordinal >= end }
	candidates, total := r.candidatesIn(best), r.scores.Numbers.Len()
	for i := range candidates {
		c := &candidates[i]
		fewest, isOnlyThere := total, false
		for _, term := range c.Terms {
			of, err := r.from.List(sections.StoredTerm(term))
			if err != nil {
				return nil, err
			}
			if of.Len > 0 {
				fewest = min(fewest, of.Len)
				isOnlyThere = isOnlyThere || of.Len <= int(end-start) && !slices.ContainsFunc(of.AppendTo(nil), isOutside)
			}
		}
		if !isOnlyThere {
			c.rate(total, fewest, lacks)
		}
	}
	candidates = slices.DeleteFunc(candidates, func(c candidateWord) bool { return c.worth == 0 })
	slices.SortStableFunc(candidates, func(a, b candidateWord) int { return cmp.Compare(b.worth, a.worth) })
	for _, c := range candidates[:min(mostTries, len(candidates))] {
		tries = append(tries, c.Text)
	}
	return tries, nil
}

type candidateWord struct {
	ranking.Spelling
	weight uint64 // in all of the best sections that contain it
	last   int    // number of the last of them
	worth  uint64 // 0 for a word to leave out
}

// candidatesIn returns words of headings and definitions that the query doesn't contain.
func (r *Ranking) candidatesIn(best []readSection) (candidates []candidateWord) {
	isInQuery := map[string]bool{}
	for _, text := range r.scores.Query.Texts() {
		isInQuery[text] = true
	}
	places := map[string]int{} // of candidates by their terms
	for n, part := range best {
		for i, text := range append(slices.Clone(part.Headings), part.Subjects()...) {
			weight := uint64(headingWeight)
			if i >= len(part.Headings) {
				weight = 1
			}
			for _, word := range ranking.WordsIn(text) {
				if !slices.ContainsFunc(word.Terms, func(t string) bool { return !isInQuery[t] }) {
					continue
				}
				key := strings.ToLower(word.Text)
				if len(word.Terms) == 1 {
					key = word.Terms[0]
				}
				at, isKnown := places[key]
				if !isKnown && len(candidates) == mostCandidates {
					continue
				}
				if !isKnown {
					at = len(candidates)
					places[key] = at
					candidates = append(candidates, candidateWord{Spelling: word, last: -1})
				}
				if c := &candidates[at]; c.last < n { // headings come first and weigh more
					c.weight, c.last = c.weight+weight, n
				}
			}
		}
	}
	return candidates
}

// rate sets the worth of a word by the number of sections with its rarest term.
func (c *candidateWord) rate(total, fewest int, lacks []string) {
	c.worth = ranking.IDF(total, fewest) * c.weight
	if slices.ContainsFunc(lacks, func(word string) bool { return beginsLike(c.Text, word) }) {
		c.worth += ranking.IDF(total, 1) * fewBest * headingWeight
	}
}

// beginsLike reports whether two words share their first letters, ignoring case.
func beginsLike(a, b string) bool {
	first, second := []rune(a), []rune(b)
	return min(len(first), len(second)) >= sharedStart && strings.EqualFold(string(first[:sharedStart]), string(second[:sharedStart]))
}
