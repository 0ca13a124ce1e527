package answers

import (
	"cmp"
	"context"
	"slices"
	"sync"

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
	all, err := s.score(ctx, request)
	if err != nil {
		return selection.Explanation{}, err
	}
	tried, explained, err := all.verdicts(ctx, request.Budget)
	if err != nil {
		return explained, err
	}
	for place, candidate := range tried {
		if candidate.Verdict != selection.Chosen {
			if others--; others < 0 {
				continue
			}
		}
		item, err := explainItem(all, candidate)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return explained, err
		}
		item.Rank = place + 1
		explained.Items = append(explained.Items, item)
	}
	if r, isRanking := all.(*Ranking); isRanking {
		explained.Confidence = new(selection.Confidence)
		*explained.Confidence, err = r.Confidence(ctx, r.Hits(ctx))
	}
	return explained, cmp.Or(err, context.Cause(ctx))
}

func explainItem(all scored, c ranking.Candidate) (item selection.ExplainedItem, err error) {
	hit, err := all.hit(c.UnitHit)
	if err != nil {
		return item, err
	}
	item = selection.ExplainedItem{
		ID: hit.printedID(), Verdict: c.Verdict, Score: all.scoreText(c.UnitHit), Tokens: hit.Tokens,
	}
	if item.Evidence, err = all.evidence(hit); err == nil && c.Verdict == selection.Duplicate {
		hit, err = all.hit(ranking.UnitHit{Ordinal: c.Of})
		item.DuplicateOf = hit.printedID()
	}
	return item, err
}

func (r *Ranking) verdicts(ctx context.Context, budget uint64) ([]ranking.Candidate, selection.Explanation, error) {
	packing, err := r.pack(ctx, Limits{Budget: budget})
	if err != nil {
		return nil, selection.Explanation{}, err
	}
	all, isTried := packing.Candidates, map[uint32]bool{}
	for _, c := range all {
		isTried[c.Ordinal] = true
	}
	hits, err := r.ranked(false)
	for _, hit := range hits {
		if !isTried[hit.Ordinal] {
			all = append(all, ranking.Candidate{UnitHit: hit, Verdict: selection.NotTried})
		}
	}
	return all, selection.Explanation{
		Selection: selection.Spec1, Unit: r.unit, Terms: r.Terms(),
		TokensUsed: packing.TokensUsed, Considered: r.considered, Matching: r.hits.Len(),
	}, err
}

// A readSection is a section with its page.
type readSection struct {
	sections.Section
	doc     document.Document // only valid until another page is read
	page    uint32            // its number in the set
	ordinal uint32
}

// section reads the section of a hit or, if the hit is a page, the page's best section. It fails if
// the index disagrees about where the section is.
func (r *Ranking) section(h Hit) (s readSection, err error) {
	if h.isPage {
		best, err := r.bestOf(h.page)
		if err != nil {
			return s, err
		}
		if h, err = r.from.sectionHit(best); err != nil {
			return s, err
		}
	}
	s.page, s.ordinal = h.page, h.ordinal
	if s.doc, err = r.from.read(h.page); err != nil {
		return s, err
	}
	parts, err := cut(s.doc)
	if err := cmp.Or(err, h.Check(parts)); err != nil {
		return s, err
	}
	s.Section = parts[h.Section]
	return s, nil
}

// bestOf returns the best section of a page with hits, or the first of several.
func (r *Ranking) bestOf(page uint32) (ordinal uint32, err error) {
	firsts, err := r.from.firsts()
	if err != nil {
		return 0, err
	}
	ordinal = firsts[page]
	for other := ordinal + 1; other < firsts[page+1]; other++ {
		if r.scores.Score(other) > r.scores.Score(ordinal) {
			ordinal = other
		}
	}
	return ordinal, nil
}

// weighers are pooled because they are large.
var weighers = sync.Pool{New: func() any { return sections.NewWeigher() }}

func (r *Ranking) evidence(h Hit) (evidence []selection.Evidence, err error) {
	s, err := r.section(h)
	if err != nil {
		return nil, err
	}
	weigher := weighers.Get().(*sections.Weigher)
	defer weighers.Put(weigher)
	found := map[string]*weighedEvidence{}
	sketch := weigher.Weigh(s.doc.ID, s.Section, func(t words.TermWeight) {
		f := found[string(t.Text)]
		if f == nil {
			f = new(weighedEvidence)
			found[string(t.Text)] = f
		}
		f.weight += t.Weight
		if t.Field == sections.Body {
			f.Body++
		}
		f.Heading = f.Heading || t.Field == sections.Heading
		f.Path = f.Path || t.Field == sections.Path
	}).Sketch
	for i, term := range r.scores.Query.Terms {
		all := weighedEvidence{Evidence: selection.Evidence{Terms: []string{term.Text}}}
		for _, word := range term.Words() {
			if f := found[sections.StoredTerm(word)]; f != nil {
				all.Body, all.Heading, all.Path = all.Body+f.Body, all.Heading || f.Heading, all.Path || f.Path
				all.weight += f.weight
			}
		}
		if all.weight > 0 {
			all.Adds = r.scores.Of(i, index.Posting{Ordinal: s.ordinal, Count: all.weight}).String()
			evidence = append(evidence, all.Evidence)
		}
	}
	return slices.Concat(evidence, r.sketchEvidence(sketch, s.ordinal), r.keyEvidence(found, s.ordinal)), nil
}

// A weighedEvidence is the evidence for a term of a section, with the weight of the term.
type weighedEvidence struct {
	selection.Evidence
	weight uint32
}

var kindsOfKeys = map[sections.KeyKind]string{
	sections.TitleKey: selection.TitleEvidence, sections.TitleTermsKey: selection.TitleEvidence,
	sections.HeadingKey: selection.HeadingEvidence, sections.SubjectKey: selection.DefinitionEvidence,
}

// sketchEvidence returns the parts of a score for pairs and passages.
func (r *Ranking) sketchEvidence(sketch []byte, ordinal uint32) (evidence []selection.Evidence) {
	hasPairs, sentence, heading := r.scores.OfPassages(ordinal)
	for i, pair := range r.scores.Query.Pairs {
		if n := pair.Count(sketch); n > 0 && hasPairs {
			evidence = append(evidence, selection.Evidence{
				Terms: []string{r.scores.Query.Terms[pair.First].Text, r.scores.Query.Terms[pair.Second].Text},
				Body:  n, Adds: r.scores.OfPair(i, ordinal).String(),
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
func (r *Ranking) keyEvidence(found map[string]*weighedEvidence, ordinal uint32) (evidence []selection.Evidence) {
	for i, key := range r.scores.Query.Keys {
		if found[key.Text] == nil {
			continue
		}
		e := selection.Evidence{Kind: kindsOfKeys[key.Kind], Terms: []string{}, Heading: true, Adds: r.scores.OfKey(i, ordinal).String()}
		if key.Kind == sections.SubjectKey {
			e.Body, e.Heading = 1, false
		}
		evidence = append(evidence, e)
	}
	return evidence
}
