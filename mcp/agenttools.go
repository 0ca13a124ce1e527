package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/agent"
	"github.com/contextcompiler/context/resolve"
)

// The bounds of numbers that agents may ask for.
const (
	mostTokens = 50_000
	mostHits   = 50
	mostLines  = 200
)

// The schemas of arguments that several tools take.
const (
	querySchema  = `"query":{"type":"string","description":"The question, or words that the text should have"}`
	cachesSchema = `"caches":{"type":"array","items":{"type":"string"},"description":"Names that context_caches lists; all if left out"}`
	pathsSchema  = `"path":{"type":"array","items":{"type":"string"},"description":"Only pages at these paths: .gitignore patterns such as guide/; !PATTERN excludes"}`
	whereSchema  = `"where":{"type":"array","items":{"type":"string"},"description":"Only pages with this front matter, such as topic=guide"}`
	codeSchema   = `"code":{"type":"string","description":"Only code blocks in these languages, such as go,bash, or any"}`
	budgetSchema = `{"type":"integer","minimum":1,"maximum":50000,"description":"Most tokens (4 bytes each) of text; 2000 if left out"}`
)

// askingTools returns the tools that answer from the caches of a library.
func askingTools(l *library) []tool {
	return []tool{
		{
			name:  "context_search",
			title: "Search documentation",
			description: `Find the sections that answer a question best: for each a handle, its headings, its size in tokens, and the sentence
that answers best. Often that sentence is the answer. If not, pass the handle to context_read.

Call it first for any question, with the words that the text should have. The answer names words that no section has:
then try others.`,
			schema: objectSchema(`"query"`, querySchema, cachesSchema, pathsSchema, whereSchema, codeSchema,
				`"limit":{"type":"integer","minimum":1,"maximum":50,"description":"Most sections; 5 if left out"}`, minScoreSchema("0.5")),
			run: l.asking(search, "query", "path", "where", "code", "min_score", "limit"),
		},
		{
			name:  "context_read",
			title: "Read documentation",
			description: `Return sections or pages as they stand, by the handles of context_search or by IDs such as guide/setup.md#install. Two dots behind one mean what follows on its page, too. The answer ends between sections or blocks, and says how to go
on.` + l.withProject(` project:src/api is the context of a directory of the code project, with a note on
whether it is fresh.`),
			schema: objectSchema(`"ids"`,
				`"ids":{"type":"array","items":{"type":"string"},"minItems":1,"description":"Handles or IDs of sections or pages"}`,
				cachesSchema, `"max_tokens":`+budgetSchema),
			run: l.asking(read, "ids", "max_tokens"),
		},
		{
			name:  "context_outline",
			title: "Outline documentation",
			description: `List the pages of the documentation with their headings and sizes, as far as they fit the budget.

Use it to see what there is. To find something, context_search is shorter.` + l.withProject(` Without caches and
path it also lists the directories of the code project with the summaries of their contexts.`),
			schema: objectSchema("", cachesSchema, pathsSchema, whereSchema,
				`"depth":{"type":"integer","minimum":0,"maximum":6,"description":"Levels of headings below the title; all if left out, 0 lists pages alone"}`,
				`"budget":`+budgetSchema),
			run: l.asking(outline, "path", "where", "depth", "budget"),
		},
		{
			name:  "context_grep",
			title: "Search exact text",
			description: `Return the lines of the documentation that have an exact text, with numbers, by section.

For what has one spelling: a flag, an error code, a name in code. For a question, use context_search.`,
			schema: objectSchema(`"pattern"`,
				`"pattern":{"type":"string","description":"Text of a line, tried as a regular expression of RE2, too"}`,
				`"regexp":{"type":"boolean","description":"Only as an expression"}`,
				`"ignore_case":{"type":"boolean"}`,
				`"context":{"type":"integer","minimum":0,"maximum":20,"description":"Lines around each"}`,
				cachesSchema, pathsSchema, whereSchema, codeSchema,
				`"limit":{"type":"integer","minimum":1,"maximum":200,"description":"Most lines; 20 if left out, 40 with context"}`),
			run: l.asking(grep, "pattern", "regexp", "ignore_case", "context", "path", "where", "code", "limit"),
		},
		{
			name:  "context_resolve",
			title: "Ask documentation",
			description: `Return the text of the sections that answer a question best, within a token budget, in one call: each with its best
line and its share of the best score, then the handles of what else matches.

Use it instead of context_search and context_read for a question whose answer is spread over several sections.`,
			schema: objectSchema(`"query"`, querySchema, cachesSchema, pathsSchema, whereSchema, codeSchema, minScoreSchema("0.65"), `"budget":`+budgetSchema,
				`"have":{"type":"array","items":{"type":"string"},"description":"Versions of texts that you have, as answers print them: not sent again"}`),
			run: l.asking(ask, "query", "path", "where", "code", "min_score", "budget", "have"),
		},
	}
}

func minScoreSchema(byDefault string) string {
	return `"min_score":{"type":"number","minimum":0,"maximum":1,"description":"Least share of the best score; ` + byDefault + ` if left out, 0 takes all"}`
}

// withProject returns a text of a tool if a project is served.
func (l *library) withProject(text string) string {
	if l.project == nil {
		return ""
	}
	return text
}

// objectSchema returns the JSON Schema of arguments.
func objectSchema(required string, properties ...string) string {
	return `{"type":"object","required":[` + required + `],"additionalProperties":false,"properties":{` + strings.Join(properties, ",") + `}}`
}

// A shelf is what a call may see.
type shelf struct {
	*resolve.Set
	project agent.Project // nil if there is none
}

func search(ctx context.Context, from shelf, args arguments) ([]byte, error) {
	query, err1 := args.text("query")
	filter, err2 := args.filter()
	limit, err3 := args.number("limit", agent.DefaultLimit, 1, mostHits)
	least, err4 := args.share("min_score", agent.SearchMinScore)
	code, err5 := args.code()
	if err := cmp.Or(err1, err2, err3, err4, err5); err != nil {
		return nil, err
	}
	return agent.Search(ctx, from.Set, agent.SearchRequest{Query: query, Filter: filter, Code: code, MinScore: least, Limit: limit})
}

func read(ctx context.Context, from shelf, args arguments) ([]byte, error) {
	references, err1 := args.optionalTexts("ids")
	tokens, err2 := args.number("max_tokens", agent.DefaultTokens, 1, mostTokens)
	if err := cmp.Or(err1, err2); err != nil {
		return nil, err
	}
	return agent.Read(ctx, from.Set, agent.ReadRequest{References: references, MaxTokens: tokens, Project: from.project})
}

func grep(ctx context.Context, from shelf, args arguments) ([]byte, error) {
	pattern, err1 := args.text("pattern")
	isRegexp, err2 := args.flag("regexp")
	ignoreCase, err3 := args.flag("ignore_case")
	filter, err4 := args.filter()
	around, err5 := args.number("context", 0, 0, agent.MostContext)
	limit, err6 := args.number("limit", 0, 1, mostLines)
	code, err7 := args.code()
	if err := cmp.Or(err1, err2, err3, err4, err5, err6, err7); err != nil {
		return nil, err
	}
	found, err := agent.Grep(ctx, from.Members(), agent.GrepRequest{
		Pattern: pattern, IsRegexp: isRegexp, IgnoreCase: ignoreCase, Before: around, After: around, Filter: filter, Code: code, Limit: limit,
	})
	if err != nil {
		return nil, err
	}
	return found.Markdown(), nil
}

func outline(ctx context.Context, from shelf, args arguments) ([]byte, error) {
	filter, err1 := args.filter()
	depth, err2 := args.number("depth", agent.DeepestHeadings, 0, agent.DeepestHeadings)
	budget, err3 := args.number("budget", agent.DefaultTokens, 1, mostTokens)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, err
	}
	if !args.isAbsent("caches") { // the call is about these
		from.project = nil
	}
	return agent.Outline(ctx, from.Set, agent.OutlineRequest{Filter: filter, Depth: depth, Budget: budget, Project: from.project})
}

func ask(ctx context.Context, from shelf, args arguments) ([]byte, error) {
	query, err1 := args.text("query")
	filter, err2 := args.filter()
	budget, err3 := args.number("budget", agent.DefaultTokens, 1, mostTokens)
	have, err4 := args.optionalTexts("have")
	least, err5 := args.share("min_score", agent.AskMinScore)
	code, err6 := args.code()
	if err := cmp.Or(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	return agent.Ask(ctx, from.Set, agent.AskRequest{Query: query, Filter: filter, Code: code, MinScore: least, Budget: budget, Have: have})
}

// asking makes the run of a tool of a function that answers from the caches that a call
// names. The tool takes these arguments, and caches.
func (l *library) asking(answer func(context.Context, shelf, arguments) ([]byte, error), known ...string) func(context.Context, []byte, io.Writer) error {
	return printing(func(ctx context.Context, text []byte) (_ []byte, err error) {
		args, err := parseArguments(text, append(known, "caches")...)
		names, namesErr := args.optionalTexts("caches")
		if err := cmp.Or(err, namesErr); err != nil {
			return nil, err
		}
		v, err := l.visit()
		if err != nil {
			return nil, err
		}
		defer func() { v.close(err) }()
		set, err := v.open(names)
		if err != nil {
			return nil, err
		}
		printed, err := answer(ctx, shelf{set, l.project}, args)
		if wrong, isWrong := errors.AsType[agent.ArgumentError](err); isWrong {
			return nil, argumentErrorf("%s", wrong)
		}
		if _, ofProject := errors.AsType[agent.ProjectError](err); ofProject {
			return nil, &unavailableError{"the project", err}
		}
		if err != nil && fault.CodeOf(err) != fault.Internal {
			return nil, &unavailableError{v.lent(), err}
		}
		return printed, err
	})
}

// filter returns the arguments path and where.
func (a arguments) filter() (filter resolve.Filter, err error) {
	if filter.Paths, err = a.optionalTexts("path"); err != nil {
		return filter, err
	}
	if filter.Where, err = a.optionalTexts("where"); err != nil {
		return filter, err
	}
	for _, field := range filter.Where {
		if !strings.Contains(field, "=") {
			return filter, argumentErrorf("argument %q: %q has no =; want a field and its value, such as topic=guide", "where", field)
		}
	}
	return filter, nil
}

// code returns the argument code, or the zero Code without it.
func (a arguments) code() (agent.Code, error) {
	text, err := a.optionalText("code")
	if err != nil {
		return agent.Code{}, err
	}
	code, err := agent.ParseCode(text)
	if err != nil {
		return agent.Code{}, argumentErrorf("argument %q is %.40q: %v", "code", text, err)
	}
	return code, nil
}

// share returns the argument of that name, a number from 0 to 1, in units of
// 1/[resolve.One], or byDefault without it.
func (a arguments) share(name string, byDefault uint32) (uint32, error) {
	if a.isAbsent(name) {
		return byDefault, nil
	}
	n, err := strconv.ParseFloat(string(a[name]), 64)
	if err != nil || !(0 <= n && n <= 1) {
		return 0, argumentErrorf("argument %q is %.40s: want a number from 0 to 1", name, a[name])
	}
	return uint32(n*resolve.One + 0.5), nil
}

// flag returns the argument of that name, true or false, or false without it.
func (a arguments) flag(name string) (bool, error) {
	switch {
	case a.isAbsent(name) || string(a[name]) == "false":
		return false, nil
	case string(a[name]) == "true":
		return true, nil
	}
	return false, argumentErrorf("argument %q is %.40s: want true or false", name, a[name])
}

// number returns the argument of that name, an integer from least to most, or byDefault
// without it.
func (a arguments) number(name string, byDefault, least, most int) (int, error) {
	if a.isAbsent(name) {
		return byDefault, nil
	}
	n, ok := integer(string(a[name]))
	if !ok || n < uint64(least) || n > uint64(most) {
		return 0, argumentErrorf("argument %q is %.40s: want an integer from %d to %d", name, a[name], least, most)
	}
	return int(n), nil
}
