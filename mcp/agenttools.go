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
			begin: c.search,
		},
		{
			name:  "context_read",
			title: "Read documentation",
			description: `Return the unchanged text of sections or pages, by handles from context_search or by IDs such as guide/setup.md#install. Two dots after a reference also return the rest of its page. The answer ends between sections or blocks, and says how to
continue.` + c.withProject(` project:src/api is the context of a directory of the code project, with a note on
whether it is fresh.`),
			begin: c.read,
		},
		{
			name:  "context_outline",
			title: "Outline documentation",
			description: `List the pages of the documentation with their headings and sizes, as far as they fit into the budget.

Use it to see what exists. To find something, context_search is shorter.` + c.withProject(` Without caches and
path, it also lists the directories of the code project with the summaries of their contexts.`),
			begin: c.outline,
		},
		{
			name:  "context_grep",
			title: "Search exact text",
			description: `Return the lines of the documentation that contain an exact text, with line numbers, by section.

Use it for a flag, an error code or a name in code. For a question, use context_search.`,
			begin: c.grep,
		},
		{
			name:  "context_resolve",
			title: "Ask documentation",
			description: `Return the text of the sections that answer a question best, within a token budget, in one call: each with its best
line and its share of the best score, then the handles of other matches.

Use it instead of context_search and context_read if the answer is spread over several sections.`,
			begin: c.ask,
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

func (c *caches) search() toolCall {
	var asked agent.SearchRequest
	var from request.CacheScope
	return toolCall{parameters: request.Search(&asked, &from), run: c.answering(&from, func(ctx context.Context, set *answers.Set) ([]byte, error) {
		return agent.Search(ctx, set, asked)
	})}
}

func (c *caches) read() toolCall {
	asked := agent.ReadRequest{Project: c.project}
	var from request.CacheScope
	return toolCall{parameters: request.Read(&asked, &from), run: c.answering(&from, func(ctx context.Context, set *answers.Set) ([]byte, error) {
		text, err := agent.Read(ctx, set, asked)
		if unknown, ok := err.(agent.ArgumentError); ok && len(text) > 0 {
			return append(text, unknown+"\n"...), nil // the model still needs the other texts
		}
		return text, err
	})}
}

func (c *caches) outline() toolCall {
	var asked agent.OutlineRequest
	var from request.CacheScope
	return toolCall{parameters: request.Outline(&asked, &from, ""), run: c.answering(&from, func(ctx context.Context, set *answers.Set) ([]byte, error) {
		if from.Caches == nil { // a call with caches is not about the project
			asked.Project = c.project
		}
		return agent.Outline(ctx, set, asked)
	})}
}

func (c *caches) grep() toolCall {
	var asked agent.GrepRequest
	var around int
	var from request.CacheScope
	return toolCall{parameters: request.Grep(&asked, &around, &from), run: c.answering(&from, func(ctx context.Context, set *answers.Set) ([]byte, error) {
		asked.Before, asked.After = around, around
		found, err := agent.Grep(ctx, set.Members(), asked)
		if err != nil {
			return nil, err
		}
		return found.Markdown(), nil
	})}
}

func (c *caches) ask() toolCall {
	var asked agent.AskRequest
	var from request.CacheScope
	return toolCall{parameters: request.Ask(&asked, &from), run: c.answering(&from, func(ctx context.Context, set *answers.Set) ([]byte, error) {
		return agent.Ask(ctx, set, asked)
	})}
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
		return changes.Markdown(ctx)
	})}
}

// answering returns the run function of a tool. It opens the caches named in the call, and prints
// the result of answer.
func (c *caches) answering(from *request.CacheScope, answer func(context.Context, *answers.Set) ([]byte, error)) func(context.Context, io.Writer) error {
	return c.calling(func(ctx context.Context, called *callCaches) ([]byte, error) {
		set, err := called.open(from.Caches, from.Product)
		if err != nil {
			return nil, err
		}
		return answer(ctx, set)
	})
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
