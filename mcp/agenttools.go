package mcp

import (
	"context"
	"errors"
	"io"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/request"
)

func askingTools(c *caches) []tool {
	return []tool{
		{
			name:  "context_search",
			title: "Search documentation",
			description: `Find the sections that answer a question best: for each a handle, its headings, its size in tokens, and the best
sentence. Often this sentence is the answer. If not, pass the handle to context_read.

Call it first for any question, with words the text should contain. If the answer names words without a
match, try others.`,
			begin: asking(c, request.Search, inMarkdown(agent.Search)),
		},
		{
			name:  "context_read",
			title: "Read documentation",
			description: `Return the unchanged text of sections or pages, by handles from context_search or by IDs such as guide/setup.md#install. Two dots after a reference also return the rest of its page. The answer ends between sections or blocks, and says how to
continue.` + c.withProject(` project:src/api is the context of a directory of the code project, with a note on
whether it is fresh.`),
			begin: asking(c, request.Read, c.read),
		},
		{
			name:  "context_outline",
			title: "Outline documentation",
			description: `List the pages of the documentation with their headings and sizes, as far as they fit into the budget.

Use it to see what exists. To find something, context_search is shorter.` + c.withProject(` Without caches and
path, it also lists the directories of the code project with the summaries of their contexts.`),
			begin: asking(c, bindOutline, c.outline),
		},
		{
			name:  "context_grep",
			title: "Search exact text",
			description: `Return the lines of the documentation that contain an exact text, with line numbers, by section.

Use it for a flag, an error code or a name in code. For a question, use context_search.`,
			begin: asking(c, bindGrep, grep),
		},
		{
			name:  "context_resolve",
			title: "Ask documentation",
			description: `Return the text of the sections that answer a question best, within a token budget, in one call: each with its best
line and its share of the best score, then the handles of other matches.

Use it instead of context_search and context_read if the answer is spread over several sections.`,
			begin: asking(c, request.Ask, inMarkdown(agent.Ask)),
		},
		{
			name:  diffTool,
			title: "Compare documentation",
			description: `Return what changed from one cache to another, such as two releases: pages added, removed and renamed, and changed
lines. With a query, relevant changes come first.

Use it before you rely on what you know about another version.`,
			begin: c.diff,
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

// asking returns the begin function of a tool that asks caches.
func asking[R any](c *caches, bind func(*R, *request.CacheScope) []request.Parameter, answer func(context.Context, *answers.Set, R) ([]byte, error)) func() toolCall {
	return func() toolCall {
		var asked R
		var from request.CacheScope
		return toolCall{parameters: bind(&asked, &from), run: c.calling(func(ctx context.Context, called *callCaches) ([]byte, error) {
			set, err := called.open(from.Caches, from.Product)
			if err != nil {
				return nil, err
			}
			return answer(ctx, set, asked)
		})}
	}
}

// inMarkdown returns a function that prints answers in Markdown.
func inMarkdown[R any](answer func(context.Context, *answers.Set, R) (*agent.Answer, error)) func(context.Context, *answers.Set, R) ([]byte, error) {
	return func(ctx context.Context, set *answers.Set, asked R) ([]byte, error) {
		return agent.Markdown(answer(ctx, set, asked))
	}
}

func (c *caches) read(ctx context.Context, set *answers.Set, asked agent.ReadRequest) ([]byte, error) {
	asked.Project = c.project
	text, err := agent.Markdown(agent.Read(ctx, set, asked))
	if unknown, ok := err.(agent.ArgumentError); ok && len(text) > 0 {
		return append(text, unknown+"\n"...), nil // the model still needs the other texts
	}
	return text, err
}

// An outlineCall is the request of an outline with its caches.
type outlineCall struct {
	agent.OutlineRequest
	from *request.CacheScope
}

func bindOutline(r *outlineCall, from *request.CacheScope) []request.Parameter {
	r.from = from
	return request.Outline(&r.OutlineRequest, from)
}

func (c *caches) outline(ctx context.Context, set *answers.Set, asked outlineCall) ([]byte, error) {
	if asked.from.Caches == nil { // a call with caches is not about the project
		asked.Project = c.project
	}
	return agent.Markdown(agent.Outline(ctx, set, asked.OutlineRequest))
}

// A grepCall is the request of a search for exact text, with as many lines before as after a match.
type grepCall struct {
	agent.GrepRequest
	around int
}

func bindGrep(r *grepCall, from *request.CacheScope) []request.Parameter {
	return request.Grep(&r.GrepRequest, &r.around, from)
}

func grep(ctx context.Context, set *answers.Set, asked grepCall) ([]byte, error) {
	asked.Before, asked.After = asked.around, asked.around
	return agent.Markdown(agent.Grep(ctx, set.Members(), asked.GrepRequest))
}

func (c *caches) diff() toolCall {
	var asked agent.DiffRequest
	var from, to string
	return toolCall{parameters: request.Diff(&asked, &from, &to), run: c.calling(func(ctx context.Context, called *callCaches) ([]byte, error) {
		old, err := called.version(from)
		if err != nil {
			return nil, err
		}
		new, err := called.version(to)
		if err != nil {
			return nil, err
		}
		changes, err := agent.Diff(ctx, old, new, asked)
		if err != nil {
			return nil, err
		}
		return agent.Markdown(changes.Answer(ctx))
	})}
}

// calling returns the run function of a tool that opens caches itself.
func (c *caches) calling(answer func(context.Context, *callCaches) ([]byte, error)) func(context.Context, io.Writer) error {
	return func(ctx context.Context, out io.Writer) (err error) {
		called, err := c.forCall()
		if err != nil {
			return err
		}
		defer func() { called.close(err) }()
		text, err := answer(ctx, called)
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
