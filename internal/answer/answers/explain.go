package answers

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

// Explain selects like [Cache.Resolve], but returns the reasons instead: for all chosen
// items, and for at most others of the remaining items. It fails like Resolve.
func (s *Set) Explain(ctx context.Context, request selection.Request, others int) (selection.Explanation, error) {
	all, err := s.candidates(ctx, request)
	if err != nil {
		return selection.Explanation{}, err
	}
	var explained selection.Explanation
	if all.pages != nil {
		e := pageExplainer{all.pages, request.Query}
		explained, err = e.explain(ctx, request.Budget, others)
	} else {
		e := sectionExplainer{
			sectionScores: all.sections, query: all.sections.scores.Query, weigher: sections.NewWeigher(),
		}
		if err := e.readFirsts(); err != nil {
			return selection.Explanation{}, err
		}
		explained, err = e.explain(ctx, request.Budget, others)
	}
	explained.Selection, explained.Unit = all.by, all.unit
	if err == nil && all.by != selection.Spec0 {
		explained.Confidence = new(selection.Confidence)
		*explained.Confidence, err = all.ranking().Confidence(ctx, nil, nil)
	}
	return explained, cmp.Or(err, context.Cause(ctx))
}

// A sectionExplainer explains selection 1.
type sectionExplainer struct {
	*sectionScores
	packing ranking.Packing
	query   ranking.TermQuery
	weigher *sections.Weigher
	last    pageToExplain // the last page read
}

func (e *sectionExplainer) explain(ctx context.Context, budget uint64, others int) (explained selection.Explanation, err error) {
	if e.packing, err = e.pack(ctx, ranking.Bounds{Budget: budget}); err != nil {
		return explained, err
	}
	explained.TokensUsed, explained.Considered, explained.Matching = e.packing.TokensUsed, e.considered, e.hits.Len()
	explained.Terms = e.explainedTerms()
	for place, candidate := range e.order() {
		if candidate.Verdict != ranking.Chosen {
			if others--; others < 0 {
				continue
			}
		}
		item, err := e.item(candidate)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return explained, err
		}
		item.Rank = place + 1
		explained.Items = append(explained.Items, item)
	}
	return explained, nil
}

func (s *sectionScores) explainedTerms() (terms []selection.ExplainedTerm) {
	for i, t := range s.scores.Query.Terms {
		terms = append(terms, selection.ExplainedTerm{
			Text: t.Text, Near: t.Near, Sections: s.scores.Sections(i), MaxScore: s.scores.MaxScore(i).String(),
		})
	}
	return terms
}

// A pageToExplain is a page and its sections.
type pageToExplain struct {
	number uint32
	id     document.ID // as printed in answers
	doc    document.Document
	parts  []sections.Section
}

// page reads a page and cuts it, unless it was the last page.
func (e *sectionExplainer) page(number uint32) (pageToExplain, error) {
	if e.last.parts != nil && e.last.number == number {
		return e.last, nil
	}
	entry, err := e.entry(number)
	if err != nil {
		return e.last, err
	}
	e.last = pageToExplain{number: number, id: printedID(e, number, entry.ID)}
	from, local := e.home(number)
	if e.last.doc, err = from.read(local, entry); err == nil {
		e.last.parts, err = cut(e.last.doc)
	}
	return e.last, err
}

// order returns all units with a term of the query by descending score. Units that Pack
// didn't try come last.
func (e *sectionExplainer) order() []ranking.Candidate {
	order := slices.Clone(e.packing.Candidates)
	tried := map[uint32]bool{}
	for _, c := range order {
		tried[c.Ordinal] = true
	}
	rest := slices.DeleteFunc(slices.Clone(e.hits.All()), func(h ranking.UnitHit) bool { return tried[h.Ordinal] })
	slices.SortStableFunc(rest, func(a, b ranking.UnitHit) int { return cmp.Compare(b.Score, a.Score) })
	for _, hit := range rest {
		order = append(order, ranking.Candidate{Ordinal: hit.Ordinal, Score: hit.Score, Verdict: ranking.NotTried})
	}
	return order
}

func (e *sectionExplainer) item(c ranking.Candidate) (selection.ExplainedItem, error) {
	page, ordinal := c.Ordinal, c.Ordinal
	if e.unit == selection.Documents {
		ordinal = e.bestOf(page)
	} else {
		page = ranking.PageOf(e.firsts, ordinal)
	}
	read, err := e.page(page)
	if err != nil {
		return selection.ExplainedItem{}, err
	}
	doc := read.doc
	part, err := e.partOf(read, ordinal-e.firsts[page], ordinal)
	if err != nil {
		return selection.ExplainedItem{}, err
	}
	item := selection.ExplainedItem{
		ID: read.id, Verdict: selection.Verdict(c.Verdict), Score: c.Score.String(),
		Tokens: selection.TokensOf(len(doc.Content)), Evidence: e.evidence(doc, part, ordinal),
	}
	if e.unit != selection.Documents {
		item.ID = sections.ID(read.id, part.Slug)
		item.Tokens = selection.TokensOf(part.Lead.Size() + part.End - part.Start + part.Tail.Size())
	}
	if c.Verdict == ranking.Duplicate {
		item.DuplicateOf, err = e.idOf(c.Of)
	}
	return item, err
}

// partOf returns the n-th section of a page, whose ordinal the caller must know. It fails
// if the index disagrees about where the section is.
func (e *sectionExplainer) partOf(page pageToExplain, n, ordinal uint32) (sections.Section, error) {
	found, err := e.section(ordinal)
	if err != nil {
		return sections.Section{}, err
	}
	if int(n) >= len(page.parts) || !isAt(page.parts[n], found) {
		from, _ := e.home(page.number)
		return sections.Section{}, from.mismatch("%s contains no section from %d to %d", page.doc.ID, found.Start, found.End)
	}
	return page.parts[n], nil
}

func isAt(s sections.Section, record index.SectionRecord) bool {
	return s.Start == record.Start && s.End == record.End && s.Lead == record.Lead && s.Tail == record.Tail
}

// bestOf returns the best section of a page with hits, or the first of several.
func (s *sectionScores) bestOf(page uint32) (ordinal uint32) {
	ordinal = s.firsts[page]
	for other := ordinal + 1; other < s.firsts[page+1]; other++ {
		if s.scores.Score(other) > s.scores.Score(ordinal) {
			ordinal = other
		}
	}
	return ordinal
}

func (e *sectionExplainer) idOf(ordinal uint32) (document.ID, error) {
	if e.unit == selection.Documents {
		entry, err := e.entry(ordinal)
		return printedID(e, ordinal, entry.ID), err
	}
	page := ranking.PageOf(e.firsts, ordinal)
	read, err := e.page(page)
	if err != nil {
		return "", err
	}
	part, err := e.partOf(read, ordinal-e.firsts[page], ordinal)
	return sections.ID(read.id, part.Slug), err
}

// evidence returns the parts of a section's score for terms and pairs of the query.
func (e *sectionExplainer) evidence(doc document.Document, part sections.Section, ordinal uint32) (evidence []selection.Evidence) {
	found := map[string]*selection.Evidence{}
	e.weigher.Fields(doc.ID, part, func(term []byte, field sections.Field) {
		f := found[string(term)]
		if f == nil {
			f = new(selection.Evidence)
			found[string(term)] = f
		}
		f.Body += boolToInt(field == sections.Body)
		f.Heading = f.Heading || field == sections.Heading
		f.Path = f.Path || field == sections.Path
	})
	for i, term := range e.query.Terms {
		all, weight := selection.Evidence{Terms: []string{term.Text}}, uint32(0)
		for _, word := range term.Words() {
			if f := found[word]; f != nil {
				all.Body, all.Heading, all.Path = all.Body+f.Body, all.Heading || f.Heading, all.Path || f.Path
				weight += weightOf(*f)
			}
		}
		if weight > 0 {
			all.Adds = e.scores.Of(i, index.Posting{Ordinal: ordinal, Count: weight}).String()
			evidence = append(evidence, all)
		}
	}
	has := map[string]bool{}
	sketch := e.weigher.Weigh(doc.ID, part, func(t words.TermWeight) { has[string(t.Text)] = true }).Sketch
	return slices.Concat(evidence, e.sketchEvidence(sketch, ordinal), e.keyEvidence(has, ordinal))
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func weightOf(e selection.Evidence) uint32 {
	weight := e.Body * sections.BodyWeight
	weight += boolToInt(e.Heading) * sections.HeadingWeight
	weight += boolToInt(e.Path) * sections.PathWeight
	return uint32(weight)
}

var kindsOfKeys = map[sections.KeyKind]string{
	sections.TitleKey: selection.TitleEvidence, sections.TitleTermsKey: selection.TitleEvidence,
	sections.HeadingKey: selection.HeadingEvidence, sections.SubjectKey: selection.DefinitionEvidence,
}

// sketchEvidence returns the parts of a score for pairs and passages.
func (e *sectionExplainer) sketchEvidence(sketch []byte, ordinal uint32) (evidence []selection.Evidence) {
	hasPairs, sentence, heading := e.scores.OfPassages(ordinal)
	for i, pair := range e.query.Pairs {
		if n := pair.Count(sketch); n > 0 && hasPairs {
			evidence = append(evidence, selection.Evidence{
				Terms: []string{e.query.Terms[pair.First].Text, e.query.Terms[pair.Second].Text},
				Body:  n, Adds: e.scores.OfPair(i, ordinal).String(),
			})
		}
	}
	if sentence.Score > 0 {
		evidence = append(evidence, selection.Evidence{Kind: selection.SentenceEvidence, Terms: sentence.Terms, Body: 1, Adds: sentence.Score.String()})
	}
	if heading.Score > 0 {
		evidence = append(evidence, selection.Evidence{Kind: selection.AboutEvidence, Terms: heading.Terms, Heading: true, Adds: heading.Score.String()})
	}
	return evidence
}

// keyEvidence returns the parts of a score for the keys of the query.
func (e *sectionExplainer) keyEvidence(has map[string]bool, ordinal uint32) (evidence []selection.Evidence) {
	for i, key := range e.query.Keys {
		if !has[key.Text] {
			continue
		}
		isDefinition := key.Kind == sections.SubjectKey
		evidence = append(evidence, selection.Evidence{
			Kind: kindsOfKeys[key.Kind], Terms: []string{},
			Body: boolToInt(isDefinition), Heading: !isDefinition, Adds: e.scores.OfKey(i, ordinal).String(),
		})
	}
	return evidence
}

// A pageExplainer explains selection 0.
type pageExplainer struct {
	*pageScores
	query selection.Query
}

func (e *pageExplainer) explain(ctx context.Context, budget uint64, others int) (explained selection.Explanation, err error) {
	picks, totals := fill(e.documents, e.hits, budget)
	explained.TokensUsed, explained.Considered, explained.Matching = totals.TokensUsed, totals.Considered, len(e.hits)
	isChosen := map[int]bool{}
	for _, p := range picks {
		isChosen[p.Position] = true
	}
	for place, p := range e.order() {
		verdict := selection.Chosen
		if !isChosen[p.Position] {
			verdict = selection.TooLarge
			if others--; others < 0 {
				continue
			}
		}
		item, err := e.item(p)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return explained, err
		}
		item.Rank, item.Verdict = place+1, verdict
		explained.Items = append(explained.Items, item)
	}
	return explained, nil
}

// item explains the score of a page.
func (e *pageExplainer) item(p pick) (item selection.ExplainedItem, err error) {
	page := uint32(p.Position)
	entry, err := e.entry(page)
	if err != nil {
		return item, err
	}
	from, number := e.home(page)
	doc, err := from.read(number, entry)
	if err != nil {
		return item, err
	}
	item = selection.ExplainedItem{ID: printedID(e, page, entry.ID), Score: p.Match.share().String(), Tokens: p.Tokens}
	counts := countsOf(e.query.Terms(), doc.Content)
	for _, term := range e.query.Terms() {
		if n := counts[term]; n > 0 {
			item.Evidence = append(item.Evidence, selection.Evidence{Terms: []string{term}, Body: n})
		}
		delete(counts, term) // because a query may repeat it
	}
	return item, nil
}

// countsOf counts each term in a content. It reads the content only once, because a query
// can contain very many terms.
func countsOf(terms []string, content []byte) map[string]int {
	counts := make(map[string]int, len(terms))
	for _, term := range terms {
		counts[term] = 0
	}
	for word := range strings.FieldsFuncSeq(words.Lower(string(content)), words.IsSpace) {
		if _, isTerm := counts[word]; isTerm {
			counts[word]++
		}
	}
	return counts
}
