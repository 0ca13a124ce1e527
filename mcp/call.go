package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/request"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/contexts/dotcontext"
)

// A tool is a function with a description for models.
type tool struct {
	name        string // dotted
	title       string
	description string
	meta        sdk.Meta
	begin       func() toolCall
}

// A toolCall is a call of a tool. Its parameters must be decoded before it runs.
type toolCall struct {
	parameters []request.Parameter
	// run prints the text of the result. It fails with an [agent.ArgumentError]
	// if the client must correct its call, and with a printedError if the text
	// already describes the failure. For other errors, the server replaces the
	// text.
	run func(ctx context.Context, out io.Writer) error
	// refuse returns the answer to wrong arguments. Nil leaves it to the server.
	refuse func(error) dotcontext.ToolAnswer
}

func (c toolCall) refused(err error, out io.Writer) error {
	if c.refuse == nil {
		return err
	}
	return report(out, c.refuse(err))
}

// A printedError is a failure already described in the text of the result.
type printedError struct{ error }

func (t tool) definition(names nameStyle) *sdk.Tool {
	yes, no := true, false
	return &sdk.Tool{
		Name:        names.listed(t.name),
		Title:       t.title,
		Description: names.inText(t.description),
		InputSchema: json.RawMessage(names.inText(request.Schema(t.begin().parameters))),
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

// A caller runs tools. It limits how long each call takes, and how many run at once.
type caller struct {
	timeout  time.Duration
	slots    chan struct{}
	failure  func(error) []byte
	explains bool
	log      *slog.Logger
}

func newCaller(cfg Settings, spec serverSpec) *caller {
	return &caller{
		timeout:  cfg.toolTimeout(),
		slots:    make(chan struct{}, cmp.Or(cfg.MaxCalls, DefaultMaxCalls)),
		failure:  spec.failure,
		explains: spec.explains,
		log:      cfg.Log,
	}
}

// handler returns the SDK's handler of a tool. Its result is empty, because answerLine inserts the
// text.
func (c *caller) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		began := time.Now()
		a := resultOf(ctx, req)
		call := t.begin()
		run := call.run
		if err := request.Decode(req.Params.Arguments, call.parameters, c.explains); err != nil {
			run = func(_ context.Context, out io.Writer) error { return call.refused(err, out) }
		}
		err := c.run(ctx, run, a)
		log := c.log.With("tool", t.name, "took", time.Since(began))
		wrong, isWrong := errors.AsType[agent.ArgumentError](err)
		reported, isReported := errors.AsType[printedError](err)
		switch {
		case isWrong:
			log.Info("invalid arguments", "error", wrong)
			if !c.explains {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: wrong.Error()}
			}
			a.fail(c.failure(err))
		case isReported:
			log.Debug("call", "bytes", a.size, "failure", reported.error)
			a.isError = true
		case errors.Is(err, context.Canceled): // by the client, or at the end of the server
			log.Info("call cancelled")
			a.fail(c.failure(err))
		case err != nil:
			log.Warn("call failed", "code", fault.CodeOf(err), "error", err)
			a.fail(c.failure(err))
		default:
			log.Debug("call", "bytes", a.size)
		}
		a.finish()
		return &sdk.CallToolResult{}, nil
	}
}

// run waits for a slot, and then runs the tool. A panic becomes an error. A call ends as soon as
// its time is over or it is cancelled. If its work doesn't notice, the work continues without it,
// and keeps the slot until it ends, so the limit holds for all calls still working.
func (c *caller) run(ctx context.Context, run func(context.Context, io.Writer) error, a *resultText) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	defer context.AfterFunc(a.until, cancel)()
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	out := &textWriter{ctx: ctx, answer: a}
	done := make(chan error, 1)
	go func() {
		defer func() { <-c.slots }()
		done <- recovered(func() error { return run(ctx, out) })
	}()
	select {
	case err := <-done:
		if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
			return ended // instead of the error of the interrupted step
		}
		return err
	case <-ctx.Done():
		out.close()
		return ctx.Err()
	}
}

// recovered runs a function, and returns a panic as an error.
func recovered(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Recovered(p)
		}
	}()
	return run()
}

// A failedCall is the text of a failed call: the code of the error and the sentence for this
// code, but never a path or a cause, which may be secret.
type failedCall struct {
	Error struct {
		Code    fault.Code `json:"code"`
		Message string     `json:"message"`
	} `json:"error"`
}

func failure(err error) []byte {
	var failed failedCall
	failed.Error.Code = fault.CodeOf(err)
	failed.Error.Message = failed.Error.Code.Message()
	return append(wire.Marshal(failed), '\n')
}
