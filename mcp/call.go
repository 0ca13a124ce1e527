package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/wire"
)

// A tool is one of ours: what a model is told of it, and what it does.
type tool struct {
	name        string // dotted
	title       string
	description string
	schema      string // of the arguments, JSON Schema
	meta        sdk.Meta
	// run decodes the arguments and works. An argumentError is a fault of the
	// client's; every other error becomes a result that a model can read.
	run func(ctx context.Context, arguments []byte) (reply, error)
}

// A reply is what a tool has to say. One that reports a failure in the tool's
// own words says so.
type reply struct {
	text    string
	failure error // nil if there is none; for the log
}

func (t tool) definition(names nameStyle) *sdk.Tool {
	yes, no := true, false
	return &sdk.Tool{
		Name:        names.listed(t.name),
		Title:       t.title,
		Description: names.inText(t.description),
		InputSchema: json.RawMessage(names.inText(t.schema)),
		Meta:        t.meta,
		Annotations: &sdk.ToolAnnotations{
			Title:           t.title,
			ReadOnlyHint:    yes,
			IdempotentHint:  yes,
			DestructiveHint: &no,
			OpenWorldHint:   &no,
		},
	}
}

// A caller runs tools within bounds: of calls at once, and of time.
type caller struct {
	timeout  time.Duration
	slots    chan struct{}
	draining context.Context
	log      *slog.Logger
}

func newCaller(cfg Config, draining context.Context) *caller {
	c := &caller{timeout: cfg.ToolTimeout, draining: draining, log: cfg.Log}
	if c.timeout == 0 {
		c.timeout = DefaultToolTimeout
	}
	calls := cfg.MaxCalls
	if calls == 0 {
		calls = DefaultMaxCalls
	}
	c.slots = make(chan struct{}, calls)
	return c
}

// handler returns the SDK's handler of a tool. It is a raw one, so that the
// text of a result reaches the client as the tool wrote it.
func (c *caller) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		began := time.Now()
		answer, err := c.run(ctx, t, req.Params.Arguments)
		log := c.log.With("tool", t.name, "took", time.Since(began))
		if wrong, ok := errors.AsType[*argumentError](err); ok {
			log.Info("invalid arguments", "error", wrong)
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: wrong.Error()}
		}
		if err != nil {
			log.Warn("call failed", "code", fault.CodeOf(err), "error", err)
			return &sdk.CallToolResult{IsError: true, Content: textContent(failure(err))}, nil
		}
		log.Debug("call", "bytes", len(answer.text), "failure", answer.failure)
		return &sdk.CallToolResult{IsError: answer.failure != nil, Content: textContent(answer.text)}, nil
	}
}

// run waits for a slot, then runs the tool. A panic is its error.
func (c *caller) run(ctx context.Context, t tool, arguments []byte) (answer reply, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	defer context.AfterFunc(c.draining, cancel)()
	defer func() {
		if p := recover(); p != nil {
			err = fault.Recovered(p)
		}
	}()
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return reply{}, ctx.Err()
	}
	return t.run(ctx, arguments)
}

func textContent(text string) []sdk.Content {
	return []sdk.Content{&sdk.TextContent{Text: text}}
}

// failure returns the text of a failed call: the code of err and the sentence
// that goes with it, never a path or a cause.
func failure(err error) string {
	code := fault.CodeOf(err)
	var e wire.Encoder
	e.BeginObject()
	e.Key("error")
	e.BeginObject()
	e.Key("code")
	e.String(code.String())
	e.Key("message")
	e.String(code.Message())
	e.EndObject()
	e.EndObject()
	e.Newline()
	return string(e.Bytes())
}
