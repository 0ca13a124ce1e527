package web

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/answer/agent"
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
	r.Limit, err1 = number(values.Get("limit"), "limit", agent.DefaultLimit, agent.MostHits)
	r.Budget, err2 = number(values.Get("budget"), "budget", agent.DefaultTokens, agent.MostTokens)
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

// number reads a number from 1 to most. It returns byDefault with an error, and for "".
func number(text, name string, byDefault, most int) (int, error) {
	n, err := strconv.Atoi(cmp.Or(text, strconv.Itoa(byDefault)))
	if err != nil || n < 1 || n > most {
		return byDefault, argumentErrorf("%s: expected a number from 1 to %d, got %.20q", name, most, text)
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

// in returns the same question in another view.
func (r viewRequest) in(view string) string {
	r.View, r.Reference = view, ""
	return r.address()
}

// reading returns the address of a text.
func (r viewRequest) reading(reference string) string {
	return viewRequest{View: readView, Reference: reference, Caches: r.Caches}.address()
}

// A toolCall is a call of a tool of the MCP server, as its JSON.
type toolCall struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  struct {
		Name      string        `json:"name"`
		Arguments toolArguments `json:"arguments"`
	} `json:"params"`
}

// toolArguments are the arguments that the tools of the views take.
type toolArguments struct {
	Query     string   `json:"query,omitzero"`
	IDs       []string `json:"ids,omitzero"`
	Caches    []string `json:"caches,omitzero"`
	Path      []string `json:"path,omitzero"`
	Where     []string `json:"where,omitzero"`
	Code      string   `json:"code,omitzero"`
	Limit     int      `json:"limit,omitzero"`
	Budget    int      `json:"budget,omitzero"`
	MaxTokens int      `json:"max_tokens,omitzero"`
}

// call returns the call of the tool that gives an agent the answer of a view.
func (r viewRequest) call(caches []string) (c toolCall) {
	if r.Limit == agent.DefaultLimit {
		r.Limit = 0
	}
	if r.Budget == agent.DefaultTokens {
		r.Budget = 0
	}
	c.JSONRPC, c.ID, c.Method = "2.0", 1, "tools/call"
	c.Params.Arguments = toolArguments{Caches: caches, Path: r.filter().Paths, Where: r.filter().Where}
	args := &c.Params.Arguments
	switch r.View {
	case searchView, compareView:
		c.Params.Name, args.Query, args.Code, args.Limit = "context_search", r.Query, r.Code, r.Limit
	case askView:
		c.Params.Name, args.Query, args.Code, args.Budget = "context_resolve", r.Query, r.Code, r.Budget
	case outlineView:
		c.Params.Name, args.Budget = "context_outline", r.Budget
	case readView:
		c.Params.Name = "context_read"
		*args = toolArguments{IDs: []string{r.Reference}, Caches: caches, MaxTokens: r.Budget}
	}
	return c
}

// command returns the arguments of the command that prints the answer of a view.
func (r viewRequest) command() (args []string) {
	flag := func(name, value string) { args = append(args, "--"+name, value) }
	if r.View != readView {
		for _, pattern := range r.filter().Paths {
			flag("path", pattern)
		}
		for _, field := range r.filter().Where {
			flag("where", field)
		}
	}
	if r.Code != "" && (r.View == searchView || r.View == askView || r.View == compareView) {
		flag("code", r.Code)
	}
	switch isSearch := r.View == searchView || r.View == compareView; {
	case isSearch && r.Limit != agent.DefaultLimit:
		flag("limit", strconv.Itoa(r.Limit))
	case !isSearch && r.Budget != agent.DefaultTokens && r.View == readView:
		flag("max-tokens", strconv.Itoa(r.Budget))
	case !isSearch && r.Budget != agent.DefaultTokens:
		flag("budget", strconv.Itoa(r.Budget))
	}
	names := map[string]string{askView: "ask", whyView: "explain", outlineView: "outline", readView: "read"}
	args = append([]string{cmp.Or(names[r.View], "search")}, args...)
	if subject := cmp.Or(r.Reference, r.Query); subject != "" && r.View != outlineView {
		args = append(args, "--", subject)
	}
	return args
}
