package answers

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
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

// Confidence returns the confidence in the best of hits, which must be from
// [Ranking.Hits]. If hits is nil, it looks at all hits. Callers who keep pages should
// provide read, which returns the page of a hit and its sections, so that each page is
// read only once. It can be nil.
func (r *Ranking) Confidence(ctx context.Context, hits iter.Seq2[Hit, error], read func(Hit) (document.Document, []sections.Section, error)) (selection.Confidence, error) {
	if hits == nil {
		hits = r.Hits(ctx)
	}
	if read == nil {
		read = r.read
	}
	c, looked, err := r.confidence(ctx, hits, read)
	if err == nil && c.IsWeak && len(looked) > 0 {
		c.Try, err = r.wordsToTry(ctx, looked, c.Lacks)
	}
	return c, err
}

// A bestSection is one of the best sections for a query.
type bestSection struct {
	sections.Section
	page uint32 // its number in the set
}

// confidence is like Confidence without words to try. It also returns the sections it
// looked at.
func (r *Ranking) confidence(ctx context.Context, hits iter.Seq2[Hit, error], read func(Hit) (document.Document, []sections.Section, error)) (c selection.Confidence, looked []bestSection, err error) {
	var best ranking.Score
	var bestText []byte
	var lacks []int
	for hit, err := range hits {
		if err != nil {
			return c, looked, err
		}
		doc, parts, err := read(hit)
		if err != nil {
			return c, looked, err
		}
		part, err := r.partOf(hit, parts)
		if err != nil {
			return c, looked, err
		}
		text := searchable(doc, part)
		covered, missing := r.scores.scores.Covered(text)
		if len(looked) == 0 || covered > best {
			best, bestText, lacks = covered, text, missing
		}
		looked = append(looked, bestSection{part, hit.choice.page})
		c.Sections = append(c.Sections, selection.CoveredSection{ID: r.idOf(hit, part), Covered: covered.String()})
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

func (r *Ranking) read(hit Hit) (document.Document, []sections.Section, error) {
	text, err := r.Read(hit)
	if err != nil {
		return text.Page, nil, err
	}
	parts, err := cut(text.Page)
	return text.Page, parts, err
}

// partOf returns a hit's section. If the hit is a page, it is the page's best section.
func (r *Ranking) partOf(hit Hit, parts []sections.Section) (part sections.Section, err error) {
	if err := hit.Check(parts); err != nil {
		return part, err
	}
	if !hit.isPage {
		return parts[hit.Section], nil
	}
	n := int(r.scores.bestOf(hit.choice.page) - r.scores.firsts[hit.choice.page])
	if n >= len(parts) {
		return part, hit.from.mismatch("%s contains only %d sections", hit.ID, len(parts))
	}
	return parts[n], nil
}

// idOf returns the ID of a hit for an answer.
func (r *Ranking) idOf(hit Hit, part sections.Section) document.ID {
	page := printedID(r.scores, hit.choice.page, hit.ID)
	if r.scores.unit == selection.Documents {
		return page
	}
	return sections.ID(page, part.Slug)
}

// searchable returns the text of a section that a query can match, including the title of the
// page and the headings above the section.
func searchable(doc document.Document, part sections.Section) []byte {
	above := append([]string{doc.Metadata["title"].String()}, part.Headings...)
	text := []byte(strings.Join(above, "\n") + "\n")
	text = append(text, doc.Content[part.Lead.Start:part.Lead.End]...)
	return append(text, part.Text...)
}

// wordsOf returns the words of the query for numbers of its terms, without repetitions. It
// leaves out a word if the section contains another term of it.
func (r *Ranking) wordsOf(lacks []int, typed map[string]string) (lacking []string) {
	isNamed := map[string]bool{} // or covered, because a part of the identifier is
	for i, t := range r.scores.scores.Query.Terms {
		if _, isLacking := slices.BinarySearch(lacks, i); !isLacking {
			isNamed[cmp.Or(typed[t.Text], t.Text)] = true
		}
	}
	for _, i := range lacks {
		text := r.scores.scores.Query.Terms[i].Text
		if word := cmp.Or(typed[text], text); !isNamed[word] {
			isNamed[word] = true
			lacking = append(lacking, word)
		}
	}
	return lacking
}

// Typed maps the terms of the query, which are stems, to the words that the user typed.
func (r *Ranking) Typed(ctx context.Context) (typed map[string]string, err error) {
	return TypedIn(ctx, r.printer.request.Query)
}

// TypedIn maps the terms of a query, which are stems, to the words that the user typed.
func TypedIn(ctx context.Context, query selection.Query) (typed map[string]string, err error) {
	typed = map[string]string{}
	isTyped := map[string]bool{}
	for word := range strings.FieldsSeq(query.Text()) {
		if isTyped[word] {
			continue
		}
		isTyped[word] = true
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		parsed, err := selection.ParseQuery(word)
		if err != nil {
			continue
		}
		for _, term := range ranking.ParseQuery(parsed).Terms {
			typed[term.Text] = strings.TrimFunc(word, unicode.IsPunct)
		}
		maps.Copy(typed, ranking.TypedSymbols(word))
	}
	return typed, nil
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
// first section contains, because the caller already sees that page. Without an index, it must
// read all pages again to count the sections.
func (r *Ranking) wordsToTry(ctx context.Context, best []bestSection, lacks []string) ([]string, error) {
	candidates := r.candidatesIn(best)
	if len(candidates) == 0 {
		return nil, nil
	}
	texts := make([]string, len(candidates))
	for i, c := range candidates {
		texts[i] = c.Text
	}
	query, err := selection.ParseQuery(strings.Join(texts, " "))
	if err != nil {
		return nil, err
	}
	sectionsWith, isOnlyOn, err := r.sectionsWith(ctx, query, best[0].page)
	if err != nil {
		return nil, err
	}
	candidates = slices.DeleteFunc(candidates, func(c candidateWord) bool {
		return slices.ContainsFunc(c.Terms, func(term string) bool { return isOnlyOn[term] })
	})
	total := r.scores.scores.Numbers.Len()
	for i := range candidates {
		candidates[i].rate(total, sectionsWith, lacks)
	}
	slices.SortStableFunc(candidates, func(a, b candidateWord) int { return cmp.Compare(b.worth, a.worth) })
	var tries []string
	for _, c := range candidates[:min(mostTries, len(candidates))] {
		tries = append(tries, c.Text)
	}
	return tries, nil
}

// sectionsWith counts the sections with each term of a query or, if no section contains
// it, with the words that replace it. It also returns the terms that only the given page contains.
func (r *Ranking) sectionsWith(ctx context.Context, query selection.Query, page uint32) (counts map[string]int, isOnlyOn map[string]bool, err error) {
	request := selection.Request{Query: query, Jobs: r.printer.request.Jobs}
	parsed := ranking.ParseQuery(query)
	texts := parsed.Texts()
	from, err := r.printer.set.stats(ctx, selection.Spec1, request, wantedBy(request, texts, nil))
	if err != nil {
		return nil, nil, err
	}
	if err := r.scores.readFirsts(); err != nil {
		return nil, nil, err
	}
	start, end := r.scores.firsts[page], r.scores.firsts[page+1]
	counts, isOnlyOn = map[string]int{}, map[string]bool{}
	err = inOrder(ctx, texts, func(i int) error {
		n, err := from.count(sections.StoredTerm(texts[i]))
		if err == nil && n == 0 && ranking.CanBeNear(texts[i], len(parsed.Terms)) {
			var postings [][]index.Posting
			_, postings, err = nearTo(from, texts[i])
			n = ranking.Together(postings).Len
		}
		counts[texts[i]] = n
		if err != nil || n == 0 || n > int(end-start) {
			return err
		}
		found, err := from.appendPostings(nil, sections.StoredTerm(texts[i]))
		isOnlyOn[texts[i]] = len(found) > 0 && !slices.ContainsFunc(found, func(p index.Posting) bool {
			return p.Ordinal < start || p.Ordinal >= end
		})
		return err
	})
	return counts, isOnlyOn, err
}

type candidateWord struct {
	ranking.Spelling
	weights map[int]uint64 // the best sections that contain it, by number
	worth   uint64
}

// candidatesIn returns words of headings and definitions that the query doesn't contain.
func (r *Ranking) candidatesIn(best []bestSection) (candidates []candidateWord) {
	isInQuery := map[string]bool{}
	for _, text := range r.scores.scores.Query.Texts() {
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
					candidates = append(candidates, candidateWord{Spelling: word, weights: map[int]uint64{}})
				}
				candidates[at].weights[n] = max(candidates[at].weights[n], weight)
			}
		}
	}
	return candidates
}

// rate sets the worth of a word by its rarest term.
func (c *candidateWord) rate(total int, sectionsWith map[string]int, lacks []string) {
	fewest := total
	for _, term := range c.Terms {
		if n := sectionsWith[term]; n > 0 {
			fewest = min(fewest, n)
		}
	}
	c.worth = 0
	for _, weight := range c.weights {
		c.worth += ranking.IDF(total, fewest) * weight
	}
	if slices.ContainsFunc(lacks, func(word string) bool { return beginsLike(c.Text, word) }) {
		c.worth += ranking.IDF(total, 1) * fewBest * headingWeight
	}
}

// beginsLike reports whether two words share their first letters, ignoring case.
func beginsLike(a, b string) bool {
	start := func(s string) string {
		n := 0
		for i := range s {
			if n++; n > sharedStart {
				return s[:i]
			}
		}
		return s
	}
	first, second := start(a), start(b)
	return utf8.RuneCountInString(first) == sharedStart && strings.EqualFold(first, second)
}
