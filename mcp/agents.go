package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/contexts/dotcontext"
)

// A NamedCache is a cache with the name by which agents know it.
type NamedCache struct {
	Name string // answers.IsName
	Path string // of the directory

	// Current returns the path at the time of a call, for a cache that moves. Nil means Path.
	Current func() string
}

const agentInstructions = `Compiled documentation. context_search finds sections, context_read returns their text, ` +
	`context_resolve does both for one question, context_outline lists pages, context_caches names the caches.`

// ServeAgents is [Serve] for agents: its tools can ask several caches at once, and they
// answer in Markdown. Caches and roots don't need to exist yet.
func ServeAgents(ctx context.Context, cfg Settings, in io.Reader, out io.Writer) error {
	const anyProject = true
	return serve(ctx, cfg, agentSpec(cfg, anyProject), in, out)
}

// agentSpec returns the server for agents. If others is set, calls can name other projects.
func agentSpec(cfg Settings, others bool) serverSpec {
	s := serverSpec{name: "context", names: nameStyle{underscores: true}, failure: agentFailure, explains: true, end: func() {}}
	memory := dotcontext.NewMemory(time.Now)
	if len(cfg.Caches) > 0 || cfg.CacheRoot != "" {
		c := newCaches(cfg)
		if cfg.ProjectRoot != "" {
			c.project = dotcontext.ContextReader{Path: cfg.ProjectRoot, Memory: memory}
		}
		s.caches, s.end = c, c.warm.close
		s.middleware = append(s.middleware, c.catalog)
		s.add(agentInstructions, append(askingTools(c), cachesTool(c)))
		c.warn(cfg.Log)
	}
	s.addContexts(cfg, others, memory)
	return s
}

// warn logs the caches that cannot be opened. Since every call tries again, this isn't a failure,
// but the path may be a mistake.
func (c *caches) warn(log *slog.Logger) {
	called, err := c.forCall()
	if err != nil {
		log.Warn("no caches yet", "error", err)
		return
	}
	defer called.close(nil)
	names, err := called.names()
	if err != nil {
		log.Warn("no caches yet", "error", err)
	}
	for _, name := range names {
		if _, err := called.openOne(name); err != nil {
			log.Warn("no cache yet", "error", err)
		}
	}
	if called.root == nil {
		return
	}
	_, unnamed, _ := cachesBelow(called.root)
	for _, path := range unnamed {
		log.Warn("left out: the path of a cache has letters, digits, '-', '_' and '.', no '.' first", "cache", path)
	}
}

func cachesTool(c *caches) tool {
	return tool{
		name:  "context_caches",
		title: "List documentation",
		description: `List the caches of documentation: for each its name (for caches of the other tools), the product that it is
about, its size, version and description, and the folders and front matter that path and where can choose.

Call it if you don't know which documentation exists.`,
		begin: func() toolCall { return toolCall{run: c.calling(describe)} },
	}
}

// describe returns a list of the caches in Markdown.
func describe(ctx context.Context, called *callCaches) ([]byte, error) {
	names, err := called.names()
	var text bytes.Buffer
	for _, name := range names {
		if err = cmp.Or(context.Cause(ctx), called.describe(ctx, &text, name, len(names) <= agent.MostInDetail)); err != nil {
			break
		}
	}
	return text.Bytes(), err
}

// describe describes a cache, or says why the cache cannot be opened, because the other caches
// are still worth listing. It only fails when ctx ends.
func (c *callCaches) describe(ctx context.Context, out *bytes.Buffer, name string, inDetail bool) error {
	opened, err := c.openOne(name)
	if unavailable, ok := errors.AsType[*unavailableError](err); ok {
		err = unavailable.err // the line names the cache already
	}
	if err == nil {
		err = agent.Describe(ctx, out, answers.Member{Name: name, Cache: opened}, inDetail)
	}
	if err != nil {
		fmt.Fprintf(out, "- %s: %s\n", name, adviceOn(err))
	}
	return context.Cause(ctx)
}

// An unavailableError means that something cannot be opened now, but a later call may succeed.
type unavailableError struct {
	what string // such as "the cache docs"
	err  error
}

func (e *unavailableError) Error() string { return fmt.Sprintf("%s: %v", e.what, e.err) }
func (e *unavailableError) Unwrap() error { return e.err }

// agentFailure returns the text of a failed call for a model. It never contains a path or a
// cause.
func agentFailure(err error) []byte { return []byte("error: " + adviceOn(err) + "\n") }

// adviceOn returns advice on an error for a model or its user.
func adviceOn(err error) string {
	if wrong, ok := errors.AsType[agent.ArgumentError](err); ok {
		return wrong.Error()
	}
	if unavailable, ok := errors.AsType[*unavailableError](err); ok {
		return unavailable.what + ": " + adviceOn(unavailable.err)
	}
	switch {
	case errors.Is(err, errAnswerTooLong):
		return "the answer is too long: ask for less"
	case errors.Is(err, context.DeadlineExceeded):
		return "the call took too long: ask for less, or try again"
	case errors.Is(err, context.Canceled):
		return "the call was cancelled"
	}
	switch fault.CodeOf(err) {
	case fault.CacheMissing:
		return "not built yet: tell the user to build it, or go on without it"
	case fault.CacheInvalid:
		return "damaged: tell the user to rebuild it, or go on without it"
	case fault.InvalidQuery:
		return "the query is too long or not text: use fewer words"
	case fault.IO:
		return "the server cannot read it: tell the user, or go on without it"
	}
	return "internal error in the server: tell the user"
}
