package web

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/selection"
)

// A pageView is what the template shows.
type pageView struct {
	Request    viewRequest
	Caches     []string
	Error      string
	Next       string // address after the form for the token
	IsLocked   bool   // whether the server asks for the token
	HasSession bool   // whether the server has a token
	Version    string

	Answer *shownAnswer
	Sides  []side // of two caches
	Why    *shownExplanation
	Diff   *shownAnswer   // what changed from the left cache to the right
	Served []cacheSummary // for the first view
	Try    []string       // questions for the first view
	Same   *sameAnswer
}

// A sameAnswer says how to get the answer of a view without the page.
type sameAnswer struct {
	ID       string // of a side, or ""
	Call     string // JSON of the tool's call
	Markdown string // the answer as agents get it
}

// A shownAnswer is an answer with its texts rendered.
type shownAnswer struct {
	Request  viewRequest
	Parts    []shownPart
	Notes    []shownPart    // about the whole answer, shown after the parts
	Outline  *outlineFolder // instead of the parts of an outline
	LeftOut  []agent.AnswerPart
	Markdown string // as agents get it
	Hits     int
	Texts    int
}

type shownPart struct {
	agent.AnswerPart
	HTML    template.HTML // of a text; "" if it is too complex
	Lines   []shownLine   // of a text, or of a note or quote
	IsExact bool          // whether each line of the text is a line of the page
	IsAlone bool          // in a comparison: whether the other answer lacks it
}

// A shownLine is a line with its matches marked, and references that can be followed.
type shownLine struct {
	Pieces []linePiece
	IsBest bool
	Change string // of a line in a diff: added, removed, place or ""
}

type linePiece struct {
	Text     string
	IsMatch  bool
	IsCode   bool
	IsStrong bool
	Address  string // of a reference
}

// A side is the answer of one of two caches.
type side struct {
	Name    string
	Version string
	Answer  *shownAnswer
	Same    *sameAnswer
	Error   string
}

type cacheSummary struct {
	Name, Description string
	Pages, Sections   int
}

// view answers a request. With an error, it still returns a page with the form.
func (p *server) view(ctx context.Context, r *http.Request) (*pageView, error) {
	request, err := parseRequest(r.URL.Path, r.URL.Query())
	made := &pageView{Request: request}
	if p.Caches == nil {
		return made, cmp.Or(err, argumentErrorf("this server has no caches, only directory contexts: start it with a cache to ask questions"))
	}
	names, err1 := p.Caches.Names()
	made.Caches = names
	if err := cmp.Or(err1, err); err != nil {
		return made, err
	}
	if request.View == compareView {
		return made, p.compare(ctx, made)
	}
	set, release, err := p.Caches.Open(request.Caches)
	if err != nil {
		return made, err
	}
	defer func() { release(err) }()
	switch isAsking := request.View == searchView || request.View == askView || request.View == whyView; {
	case isAsking && request.Query == "":
		err = made.welcome(ctx, set)
	case request.View == whyView:
		err = made.explain(ctx, set)
	default:
		made.Answer, err = answerOf(ctx, set, request)
	}
	if err == nil && made.Answer != nil {
		made.Same = sameAs(request, made.Answer)
	}
	return made, err
}

// sameAs returns how to get an answer without the page.
func sameAs(r viewRequest, answer *shownAnswer) *sameAnswer {
	return &sameAnswer{Call: r.answer().call(), Markdown: answer.Markdown}
}

// answerOf returns what an agent gets.
func answerOf(ctx context.Context, set *answers.Set, r viewRequest) (*shownAnswer, error) {
	if r.View == readView && r.Reference == "" {
		return nil, argumentErrorf("nothing to read: follow a result, or give the handle or the path of a page")
	}
	a, err := r.answer().answer(ctx, set)
	if err != nil {
		return nil, err
	}
	return showAnswer(ctx, set, r, a, false)
}

// showAnswer shows the parts of an answer. Notes about the whole answer come last, except in a
// diff, where they list pages.
func showAnswer(ctx context.Context, set *answers.Set, r viewRequest, a *agent.Answer, isDiff bool) (*shownAnswer, error) {
	shown := &shownAnswer{Request: r, Markdown: string(a.Markdown()), LeftOut: a.LeftOut}
	find := matchFinder(a.Finder())
	for _, part := range a.Parts {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		next := shownPart{AnswerPart: part}
		switch part.Kind {
		case agent.SharedPart:
			continue
		case agent.BeginPart, agent.EndPart:
			if part.Label == "" || isDiff {
				continue
			}
			next.Kind, next.Lines = agent.NotePart, []shownLine{{Pieces: []linePiece{{Text: part.Label}}}}
			if part.Kind == agent.BeginPart {
				next.Kind = agent.DoubtPart
			}
		case agent.HitPart:
			shown.Hits++
		case agent.QuotePart:
			next.Lines = []shownLine{{Pieces: find.linePieces(part.Line[1:], r)}} // without its mark
		case agent.TextPart:
			shown.Texts++
			next.showText(set, find, r)
		default:
			next.Lines = []shownLine{{Pieces: find.linePieces(part.Line, r)}}
		}
		if next.Kind == agent.NotePart && next.Level == 0 && !isDiff {
			shown.Notes = append(shown.Notes, next)
		} else {
			shown.Parts = append(shown.Parts, next)
		}
	}
	if r.View == outlineView {
		shown.Outline, shown.Parts = foldOutline(shown.Parts), nil
		shown.Notes = nil // they explain the lines of agents
	}
	return shown, nil
}

// showText renders the text of a part and splits it into lines. Changes are only lines.
func (s *shownPart) showText(set *answers.Set, find matchFinder, r viewRequest) {
	t := s.Text
	if t.Change != "" {
		for _, line := range t.Diff {
			s.Lines = append(s.Lines, shownLine{Pieces: find.pieces(strings.TrimSuffix(line.Text, "\n")), Change: changed[line.Kind]})
		}
		return
	}
	to := &linker{source: t.Page, read: r.Reading, known: map[string]string{}}
	for _, of := range set.Members() {
		if source, isIn := strings.CutPrefix(t.Page, of.Name+":"); of.Name == "" || isIn {
			to.of, to.source = of, cmp.Or(source, t.Page)
			if of.Name == "" {
				to.source = t.Page
			}
		}
	}
	s.HTML, _ = rendered(t.Content, to)
	text := strings.TrimSuffix(string(t.Content), "\n")
	lines := strings.Split(text, "\n")
	s.IsExact = len(lines) == t.Lines.Last-t.Lines.First+1 // not if the header of a table is repeated above
	for i, line := range lines {
		n := t.Lines.First + i
		s.Lines = append(s.Lines, shownLine{Pieces: find.pieces(line), IsBest: s.IsExact && t.Best.First <= n && n <= t.Best.Last})
	}
}

// compare asks two caches the same question.
func (p *server) compare(ctx context.Context, made *pageView) error {
	r := &made.Request
	if len(made.Caches) < 2 {
		return argumentErrorf("comparing needs two caches, and this server has one: start it with another cache, such as an older build of the same pages")
	}
	if r.Left == "" {
		r.Left = made.Caches[0]
	}
	if r.Right == "" {
		r.Right = made.Caches[1]
	}
	if r.Query == "" {
		return nil
	}
	for _, name := range []string{r.Left, r.Right} {
		one := side{Name: name}
		set, release, err := p.Caches.Open([]string{name})
		if err == nil {
			asked := *r
			asked.Caches = []string{name}
			one.Version = set.Members()[0].Version().Stem()
			one.Answer, err = answerOf(ctx, set, asked)
			release(err)
			if one.Answer != nil {
				one.Same = sameAs(asked, one.Answer)
				one.Same.ID = fmt.Sprint(len(made.Sides) + 1)
			}
		}
		if err != nil {
			one.Error = p.Advice(err)
		}
		made.Sides = append(made.Sides, one)
	}
	markAlone(made.Sides)
	return cmp.Or(p.showChanges(ctx, made), context.Cause(ctx))
}

// markAlone marks the hits that only one of two answers has.
func markAlone(sides []side) {
	hits := make([]map[string][]*shownPart, len(sides)) // by their page and heading
	for i, s := range sides {
		if s.Answer == nil {
			return
		}
		hits[i] = map[string][]*shownPart{}
		page := ""
		for n := range s.Answer.Parts {
			switch part := &s.Answer.Parts[n]; part.Kind {
			case agent.PagePart:
				page = part.Path
			case agent.HitPart:
				key := page + "\x00" + part.Label
				hits[i][key] = append(hits[i][key], part)
			}
		}
	}
	for i, ofSide := range hits {
		for key, same := range ofSide {
			for _, hit := range same {
				hit.IsAlone = hits[1-i][key] == nil
			}
		}
	}
}

// showChanges shows the lines that changed from the left cache to the right, first those that
// matter to the question, if the caches share at least half of their pages.
func (p *server) showChanges(ctx context.Context, made *pageView) error {
	r := made.Request
	if r.Left == r.Right {
		return nil
	}
	set, release, err := p.Caches.Open([]string{r.Left, r.Right})
	if err != nil {
		return nil // the sides say why
	}
	defer func() { release(err) }()
	if len(set.Members()) != 2 {
		return nil
	}
	left, right := set.Members()[0], set.Members()[1]
	if left.Name != r.Left {
		left, right = right, left
	}
	pairs, shared, err := answers.Compare(ctx, left.Cache, right.Cache)
	all := shared + len(pairs)
	for _, pair := range pairs {
		if !pair.IsAdded() && !pair.IsRemoved() {
			shared++
		}
	}
	if err != nil || 2*shared < all {
		return err
	}
	found, err := agent.Diff(ctx, left, right, agent.DiffRequest{Query: r.Query, Paths: r.filter().Paths, Budget: changedTokens})
	if err != nil {
		return err
	}
	answer, err := found.Answer(ctx)
	if err == nil {
		made.Diff, err = showAnswer(ctx, set, r, answer, true)
	}
	return err
}

const changedTokens = 4 * agent.DefaultTokens // of the lines that changed

// changed are the classes of the lines of a diff.
var changed = map[byte]string{'+': "added", '-': "removed", '@': "place"}

const (
	mostServed = 12 // caches described in the first view
	mostTried  = 6  // questions there
)

// welcome describes the caches, and suggests titles of pages as questions.
func (made *pageView) welcome(ctx context.Context, set *answers.Set) error {
	for _, of := range set.Members()[:min(len(set.Members()), mostServed)] {
		pages, sections, err := of.Size()
		if err != nil {
			return err
		}
		name := cmp.Or(of.Name, strings.Join(made.Caches, ", "))
		made.Served = append(made.Served, cacheSummary{name, of.About().Description, pages, sections})
		tried := min(pages, 4*mostTried)
		for i := range tried { // spread over the whole cache
			if len(made.Try) == mostTried {
				break
			}
			doc, err := of.ReadAt(i * pages / tried)
			if err != nil {
				return err
			}
			title, err := answers.TitleOf(ctx, doc)
			if err != nil {
				return err
			}
			if words := len(strings.Fields(title)); words > 1 && words < 9 && !slices.Contains(made.Try, title) {
				made.Try = append(made.Try, title)
			}
		}
	}
	return nil
}

// A shownExplanation is an explanation with links.
type shownExplanation struct {
	selection.Explanation
	Request viewRequest
}

func (made *pageView) explain(ctx context.Context, set *answers.Set) error {
	query, err := selection.ParseQuery(made.Request.Query)
	if err != nil {
		return err
	}
	const others = 10 // as the command does
	explained, err := set.Explain(ctx, selection.Request{
		Query: query, Budget: uint64(made.Request.Budget), Filter: made.Request.filter(),
	}, others)
	if err != nil {
		return err
	}
	typed, err := ranking.Typed(ctx, query)
	for i, t := range explained.Terms {
		explained.Terms[i].Text = cmp.Or(typed[t.Text], t.Text)
	}
	for _, item := range explained.Items {
		for i, e := range item.Evidence {
			item.Evidence[i].Terms = nil
			for _, term := range e.Terms {
				item.Evidence[i].Terms = append(item.Evidence[i].Terms, cmp.Or(typed[term], term))
			}
		}
	}
	made.Why = &shownExplanation{explained, made.Request}
	return err
}
