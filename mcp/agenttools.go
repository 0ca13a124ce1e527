package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/selection"
)

// The arguments of the tools for agents.
var (
	queryArgument = argument{
		name: "query", kind: textKind, required: true, isFree: true,
		description: "The question, or words the text should contain",
	}
	cachesArgument = argument{
		name: "caches", kind: anyListKind, isSeparated: true,
		description: "Names listed by context_caches; all if left out",
	}
	productArgument = argument{
		name: "product", kind: textKind,
		description: "Only this product, in the highest version that fits, such as next@16",
	}
	pathArgument = argument{
		name: "path", kind: anyListKind,
		description: "Only pages at these paths: .gitignore patterns such as guide/; !PATTERN excludes",
	}
	whereArgument = argument{
		name: "where", kind: anyListKind, isPairs: true,
		description: "Only pages with this front matter, such as topic=guide",
	}
	codeArgument = argument{
		name: "code", kind: textKind, isSeparated: true,
		description: "Only code blocks in these languages, such as go,bash, or any",
	}
	hitsArgument = argument{
		name: "limit", kind: integerKind, least: 1, most: agent.MostHits, byDefault: agent.DefaultLimit,
		description: "Most sections; %v if left out",
	}
	linesArgument = argument{
		name: "limit", kind: integerKind, least: 1, most: agent.MostGrepLines, // the default depends on context, so agent.Grep chooses it
		description: fmt.Sprintf("Most lines; %d if left out, %d with context", agent.DefaultGrepLines, agent.DefaultContextLines),
	}
	budgetArgument    = tokensArgument("budget")
	maxTokensArgument = tokensArgument("max_tokens")
	searchScore       = minScoreArgument(agent.SearchMinScore)
	askScore          = minScoreArgument(agent.AskMinScore)
	idsArgument       = argument{
		name: "ids", kind: anyListKind, required: true,
		description: "Handles or IDs of sections or pages",
	}
	depthArgument = argument{
		name: "depth", kind: integerKind, most: agent.DeepestHeadings, byDefault: agent.DeepestHeadings,
		description: "Levels of headings below the title; all if left out, 0 lists pages alone",
	}
	patternArgument = argument{
		name: "pattern", kind: textKind, required: true, isFree: true,
		description: "Text within a line, also tried as a regular expression (RE2)",
	}
	regexpArgument     = argument{name: "regexp", kind: flagKind, description: "Only as a regular expression"}
	ignoreCaseArgument = argument{name: "ignore_case", kind: flagKind}
	contextArgument    = argument{name: "context", kind: integerKind, most: agent.MostContext, description: "Lines around each match"}
	fromArgument       = argument{name: "from", kind: textKind, required: true, description: "Old cache: its name, or its version as printed in answers"}
	toArgument         = argument{name: "to", kind: textKind, required: true, description: "New cache"}
	changesArgument    = argument{name: "query", kind: textKind, isFree: true, description: "A question"}
	diffBudgetArgument = tokensArgument("budget")
	haveArgument       = argument{
		name: "have", kind: anyListKind, isSeparated: true,
		description: "Versions of texts you already have, as printed in answers",
	}
)

func tokensArgument(name string) argument {
	return argument{
		name: name, kind: integerKind, least: 1, most: agent.MostTokens, byDefault: agent.DefaultTokens,
		description: "Most tokens (4 bytes each) of text; %v if left out",
	}
}

func minScoreArgument(byDefault uint64) argument {
	return argument{
		name: "min_score", kind: shareKind, byDefault: byDefault,
		description: "Least share of the best score; %v if left out, 0 takes all",
	}
}

func askingTools(c *caches) []tool {
	return []tool{
		{
			name:  "context_search",
			title: "Search documentation",
			description: `Find the sections that answer a question best: for each a handle, its headings, its size in tokens, and the best
sentence. Often this sentence is the answer. If not, pass the handle to context_read.

Call it first for any question, with words the text should contain. If the answer names words without a
match, try others.`,
			arguments: []argument{queryArgument, cachesArgument, productArgument, pathArgument, whereArgument, codeArgument, hitsArgument, searchScore},
			run:       c.answering(c.search),
		},
		{
			name:  "context_read",
			title: "Read documentation",
			description: `Return the unchanged text of sections or pages, by handles from context_search or by IDs such as guide/setup.md#install. Two dots after a reference also return the rest of its page. The answer ends between sections or blocks, and says how to
continue.` + c.withProject(` project:src/api is the context of a directory of the code project, with a note on
whether it is fresh.`),
			arguments: []argument{idsArgument, cachesArgument, maxTokensArgument},
			run:       c.answering(c.read),
		},
		{
			name:  "context_outline",
			title: "Outline documentation",
			description: `List the pages of the documentation with their headings and sizes, as far as they fit into the budget.

Use it to see what exists. To find something, context_search is shorter.` + c.withProject(` Without caches and
path, it also lists the directories of the code project with the summaries of their contexts.`),
			arguments: []argument{cachesArgument, pathArgument, whereArgument, depthArgument, budgetArgument},
			run:       c.answering(c.outline),
		},
		{
			name:  "context_grep",
			title: "Search exact text",
			description: `Return the lines of the documentation that contain an exact text, with line numbers, by section.

Use it for a flag, an error code or a name in code. For a question, use context_search.`,
			arguments: []argument{
				patternArgument, regexpArgument, ignoreCaseArgument, contextArgument,
				cachesArgument, productArgument, pathArgument, whereArgument, codeArgument, linesArgument,
			},
			run: c.answering(c.grep),
		},
		{
			name:  "context_resolve",
			title: "Ask documentation",
			description: `Return the text of the sections that answer a question best, within a token budget, in one call: each with its best
line and its share of the best score, then the handles of other matches.

Use it instead of context_search and context_read if the answer is spread over several sections.`,
			arguments: []argument{
				queryArgument, cachesArgument, productArgument, pathArgument, whereArgument, codeArgument, askScore, budgetArgument, haveArgument,
			},
			run: c.answering(c.ask),
		},
		{
			name:  diffTool,
			title: "Compare documentation",
			description: `Return what changed from one cache to another, such as two releases: pages added, removed and renamed, and changed
lines. With a query, relevant changes come first.

Use it before you rely on what you know about another version.`,
			arguments: []argument{fromArgument, toArgument, changesArgument, pathArgument, diffBudgetArgument},
			run:       c.calling(c.diff),
		},
	}
}

// diffTool is listed only if there are two caches to compare; see [caches.catalog].
const diffTool = "context_diff"

// withProject returns a text about the project, or "" if none is served.
func (c *caches) withProject(text string) string {
	if c.project == nil {
		return ""
	}
	return text
}

func (c *caches) search(ctx context.Context, set *answers.Set, args *callArguments) ([]byte, error) {
	request := agent.SearchRequest{
		Query: args.text(queryArgument), Filter: args.filter(), Code: args.code(),
		Limit: int(args.integer(hitsArgument)), MinScore: args.share(searchScore),
	}
	if args.err != nil {
		return nil, args.err
	}
	return agent.Search(ctx, set, request)
}

func (c *caches) read(ctx context.Context, set *answers.Set, args *callArguments) ([]byte, error) {
	request := agent.ReadRequest{
		References: args.list(idsArgument), MaxTokens: int(args.integer(maxTokensArgument)), Project: c.project,
	}
	if args.err != nil {
		return nil, args.err
	}
	text, err := agent.Read(ctx, set, request)
	if unknown, ok := err.(agent.ArgumentError); ok && len(text) > 0 {
		return append(text, unknown+"\n"...), nil // the model still needs the other texts
	}
	return text, err
}

func (c *caches) grep(ctx context.Context, set *answers.Set, args *callArguments) ([]byte, error) {
	around := int(args.integer(contextArgument))
	request := agent.GrepRequest{
		Pattern: args.text(patternArgument), IsRegexp: args.flag(regexpArgument), IgnoreCase: args.flag(ignoreCaseArgument),
		Before: around, After: around, Filter: args.filter(), Code: args.code(), Limit: int(args.integer(linesArgument)),
	}
	if args.err != nil {
		return nil, args.err
	}
	found, err := agent.Grep(ctx, set.Members(), request)
	if err != nil {
		return nil, err
	}
	return found.Markdown(), nil
}

func (c *caches) outline(ctx context.Context, set *answers.Set, args *callArguments) ([]byte, error) {
	request := agent.OutlineRequest{
		Filter: args.filter(), Depth: int(args.integer(depthArgument)), Budget: int(args.integer(budgetArgument)),
	}
	if args.err != nil {
		return nil, args.err
	}
	if args.value(cachesArgument) == nil { // a call with caches is not about the project
		request.Project = c.project
	}
	return agent.Outline(ctx, set, request)
}

func (c *caches) ask(ctx context.Context, set *answers.Set, args *callArguments) ([]byte, error) {
	request := agent.AskRequest{
		Query: args.text(queryArgument), Filter: args.filter(), Code: args.code(), MinScore: args.share(askScore),
		Budget: int(args.integer(budgetArgument)), Have: args.list(haveArgument),
	}
	if args.err != nil {
		return nil, args.err
	}
	return agent.Ask(ctx, set, request)
}

func (c *caches) diff(ctx context.Context, called *callCaches, args *callArguments) ([]byte, error) {
	from, to := args.text(fromArgument), args.text(toArgument)
	request := agent.DiffRequest{
		Query: args.text(changesArgument), Paths: args.list(pathArgument), Budget: int(args.integer(diffBudgetArgument)),
	}
	if args.err != nil {
		return nil, args.err
	}
	old, err := called.version(from)
	if err != nil {
		return nil, err
	}
	new, err := called.version(to)
	if err != nil {
		return nil, err
	}
	changes, err := agent.Diff(ctx, old, new, request)
	if err != nil {
		return nil, err
	}
	return changes.Markdown(ctx)
}

// answering returns the run function of a tool. It opens the caches named in the call, and prints
// the result of answer.
func (c *caches) answering(answer func(context.Context, *answers.Set, *callArguments) ([]byte, error)) func(context.Context, *callArguments, io.Writer) error {
	return c.calling(func(ctx context.Context, called *callCaches, args *callArguments) ([]byte, error) {
		names, product := args.list(cachesArgument), args.text(productArgument)
		if args.err != nil {
			return nil, args.err
		}
		set, err := called.open(names, product)
		if err != nil {
			return nil, err
		}
		return answer(ctx, set, args)
	})
}

// calling returns the run function of a tool that opens caches itself.
func (c *caches) calling(answer func(context.Context, *callCaches, *callArguments) ([]byte, error)) func(context.Context, *callArguments, io.Writer) error {
	return func(ctx context.Context, args *callArguments, out io.Writer) (err error) {
		called, err := c.forCall()
		if err != nil {
			return err
		}
		defer func() { called.close(err) }()
		text, err := answer(ctx, called, args)
		if _, ofProject := errors.AsType[agent.ProjectError](err); ofProject {
			return &unavailableError{"the project", err}
		}
		_, isArgument := errors.AsType[agent.ArgumentError](err)
		_, isExplained := errors.AsType[*unavailableError](err)
		if err != nil && !isArgument && !isExplained && fault.CodeOf(err) != fault.Internal {
			return &unavailableError{called.openedNames(), err}
		}
		if err == nil {
			_, err = out.Write(text)
		}
		return err
	}
}

func (c *callArguments) filter() selection.Filter {
	filter := selection.Filter{Paths: c.list(pathArgument), Where: c.list(whereArgument)}
	for _, field := range filter.Where {
		if !strings.Contains(field, "=") {
			c.fail("argument %q: %q contains no =; expected a field and its value, such as topic=guide", whereArgument.name, field)
		}
	}
	return filter
}

func (c *callArguments) code() agent.CodeFilter {
	text := c.text(codeArgument)
	code, err := agent.ParseCode(text)
	if err != nil {
		c.fail("argument %q is %.40q: %v", codeArgument.name, text, err)
	}
	return code
}
