package web

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/request"
	"github.com/contextcompiler/context/selection"
)

// The views of the page, which are also their paths.
const (
	searchView  = "/"
	askView     = "/ask"
	whyView     = "/why"
	outlineView = "/outline"
	readView    = "/read"
	compareView = "/compare"
	sessionView = "/session"
)

// The bounds of a request.
const (
	maxQuery  = 4096 // bytes
	maxValues = 64   // of a parameter
)

// A viewRequest is what the query string of a view asks for.
type viewRequest struct {
	View        string
	Query       string
	Caches      []string // all if empty
	Path        string   // patterns, separated by spaces
	Where       string   // one KEY=VALUE
	Code        string
	Reference   string // of the text to read
	Limit       int
	Budget      int
	Left, Right string // caches to compare

	code agent.CodeFilter
}

// parseRequest reads a query string. It fails with an [agent.ArgumentError].
func parseRequest(view string, values url.Values) (r viewRequest, err error) {
	r = viewRequest{
		View: view, Query: strings.TrimSpace(values.Get("q")), Path: strings.TrimSpace(values.Get("path")),
		Where: strings.TrimSpace(values.Get("where")), Code: values.Get("code"), Reference: strings.TrimSpace(values.Get("id")),
		Left: values.Get("left"), Right: values.Get("right"),
	}
	for name, all := range values {
		for _, value := range all {
			if len(value) > maxQuery || len(all) > maxValues {
				return viewRequest{View: view, Limit: agent.DefaultLimit, Budget: agent.DefaultTokens}, argumentErrorf("%.20q is too long: use at most %d bytes", name, maxQuery)
			}
		}
	}
	r.Caches = slices.DeleteFunc(values["cache"], func(name string) bool { return name == "" })
	var err1, err2, err3 error
	r.Limit, err1 = number(values.Get("limit"), request.Hits)
	r.Budget, err2 = number(values.Get("budget"), request.Tokens("budget", ""))
	if r.code, err3 = agent.ParseCode(r.Code); err3 != nil {
		err3 = argumentErrorf("code: %v", err3)
	}
	if r.Where != "" && !strings.Contains(r.Where, "=") {
		err = argumentErrorf("front matter: expected a field and its value, such as topic=guide, got %.40q", r.Where)
	}
	return r, cmp.Or(err, err1, err2, err3)
}

func argumentErrorf(format string, args ...any) error {
	return agent.ArgumentError(fmt.Sprintf(format, args...))
}

// number reads the number of a parameter. It returns the default with an error, and for "".
func number(text string, f request.Parameter) (int, error) {
	least, most, byDefault := int(f.Least), int(f.Most), int(f.Default)
	n, err := strconv.Atoi(cmp.Or(text, strconv.Itoa(byDefault)))
	if err != nil || n < least || n > most {
		return byDefault, argumentErrorf("%s: expected a number from %d to %d, got %.20q", f.Name, least, most, text)
	}
	return n, nil
}

func (r viewRequest) filter() (f selection.Filter) {
	if r.Path != "" {
		f.Paths = strings.Fields(r.Path)
	}
	if r.Where != "" {
		f.Where = []string{r.Where}
	}
	return f
}

// address returns the address of a request, without what it leaves at its default.
func (r viewRequest) address() string {
	values := url.Values{"cache": r.Caches}
	for name, value := range map[string]string{
		"q": r.Query, "path": r.Path, "where": r.Where, "code": r.Code, "id": r.Reference, "left": r.Left, "right": r.Right,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if r.Limit > 0 && r.Limit != agent.DefaultLimit {
		values.Set("limit", strconv.Itoa(r.Limit))
	}
	if r.Budget > 0 && r.Budget != agent.DefaultTokens {
		values.Set("budget", strconv.Itoa(r.Budget))
	}
	return strings.TrimSuffix(r.View+"?"+values.Encode(), "?")
}

// In returns the address of the same question in another view.
func (r viewRequest) In(view string) string {
	r.View, r.Reference = view, ""
	return r.address()
}

// Reading returns the address of a text.
func (r viewRequest) Reading(reference string) string {
	return viewRequest{View: readView, Reference: reference, Caches: r.Caches}.address()
}

// A viewAnswer is how to get the answer of a view: from package agent, or by a tool.
type viewAnswer struct {
	tool       string
	parameters []request.Parameter
	answer     func(context.Context, *answers.Set) (*agent.Answer, error)
}

// answer returns how to get the answer of a view.
func (r viewRequest) answer() viewAnswer {
	switch r.View {
	case askView:
		return answerBy(r, "context_resolve", request.Ask, agent.Ask, func(asked *agent.AskRequest) {
			asked.Query, asked.Filter, asked.Code, asked.Budget, asked.LeftOut = r.Query, r.filter(), r.code, r.Budget, true
		})
	case outlineView:
		return answerBy(r, "context_outline", request.Outline, agent.Outline, func(asked *agent.OutlineRequest) {
			asked.Filter, asked.Budget = r.filter(), r.Budget
		})
	case readView:
		return answerBy(r, "context_read", request.Read, agent.Read, func(asked *agent.ReadRequest) {
			asked.References, asked.MaxTokens = []string{r.Reference}, r.Budget
		})
	}
	return answerBy(r, "context_search", request.Search, agent.Search, func(asked *agent.SearchRequest) {
		asked.Query, asked.Filter, asked.Code, asked.Limit = r.Query, r.filter(), r.code, r.Limit
	})
}

// answerBy returns the answer by a tool. fill sets what the view asks for.
func answerBy[R any](
	r viewRequest, tool string,
	bind func(*R, *request.CacheScope) []request.Parameter, answer func(context.Context, *answers.Set, R) (*agent.Answer, error), fill func(*R),
) viewAnswer {
	var asked R
	var from request.CacheScope
	parameters := bind(&asked, &from)
	fill(&asked)
	from.Caches = r.Caches
	return viewAnswer{tool, parameters, func(ctx context.Context, set *answers.Set) (*agent.Answer, error) {
		return answer(ctx, set, asked)
	}}
}

// call returns the JSON of the tool call with the same answer.
func (a viewAnswer) call() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, a.tool, request.Arguments(a.parameters))
}
