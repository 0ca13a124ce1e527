package dotcontext

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/contextcompiler/context/dotcontext/contextfile"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/wire"
)

// An Answer is the result of one of the contract's tools.
type Answer struct {
	JSON string // indented by two spaces, without a line feed at its end
	Err  error  // what the answer reports, with a code of package fault; nil if it is no error
}

// Query answers with the context at scope in the project at path: all of it, or,
// unless filter is empty, its metadata and the fields that filter names.
func Query(path, scope string, filter []string) Answer {
	canonical, described, err := find(path, scope)
	e := wire.Indented()
	e.BeginObject()
	e.Key("found")
	e.Bool(err == nil)
	e.Key("scope")
	e.String(canonical)
	if err != nil {
		return finishWith(e, explained(canonical, err))
	}
	e.Key("context")
	described.Encode(e, filter)
	return finish(e)
}

// find returns the context at scope, and the scope in canonical form or, if it
// has none, as it was given.
func find(path, scope string) (canonical string, described *contextfile.Context, err error) {
	p, canonical, err := openAt(nil, path, scope)
	if err != nil {
		return canonical, nil, err
	}
	defer p.Close()
	described, err = p.contextAt(canonical)
	return canonical, described, err
}

// openAt opens the project at path for a question about scope. A project that
// does not exist has no contexts.
func openAt(memory *Memory, path, scope string) (p *Project, canonical string, err error) {
	root, err := filepath.Abs(path)
	if err != nil {
		return nil, slashed(scope), errMissing
	}
	if canonical, err = lexicalScope(root, scope); err != nil {
		return nil, slashed(scope), err
	}
	if p, err = openWith(memory, path); err != nil && !isRefusal(err) {
		err = errMissing
	}
	if err != nil {
		return nil, canonical, err
	}
	return p, canonical, nil
}

// Check answers with the state of the context at scope in the project at path. It
// uses memory for what did not change; nil is none. It fails only when ctx ends.
func Check(ctx context.Context, memory *Memory, path, scope string) (Answer, error) {
	canonical, s, err := check(ctx, memory, path, scope)
	if err != nil {
		return Answer{}, err
	}
	e := wire.Indented()
	e.BeginObject()
	e.Key("scope")
	e.String(canonical)
	e.Key("state")
	e.String(string(s.State))
	if s.Context == nil {
		return finishWith(e, explained(canonical, s.err)), nil
	}
	e.Key("fingerprint")
	e.BeginObject()
	e.Key("stored")
	e.String(s.Context.Fingerprint)
	e.Key("computed")
	e.String(s.Computed)
	e.EndObject()
	e.Key("last_updated")
	e.String(s.Context.LastUpdated)
	return finish(e), nil
}

func check(ctx context.Context, memory *Memory, path, scope string) (canonical string, _ Status, err error) {
	p, canonical, err := openAt(memory, path, scope)
	if err != nil {
		return canonical, Status{State: Missing, err: err}, nil
	}
	defer p.Close()
	s, err := p.statusOf(ctx, canonical)
	return canonical, s, err
}

// List answers with the state of every directory of the project at path that needs
// a context, and with warnings about the rest. It uses memory for what did not
// change; nil is none. It fails only when ctx ends.
func List(ctx context.Context, memory *Memory, path string) (Answer, error) {
	overview, failed := overviewOf(ctx, memory, path)
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx)
	}
	root := rootOf(path)
	e := wire.Indented()
	e.BeginObject()
	e.Key("root")
	e.String(root)
	encodeOverview(e, overview)
	if failed != nil {
		return finishWith(e, fault.Errorf(fault.IO, "Failed to scan project at \"%s\"", root)), nil
	}
	return finish(e), nil
}

// rootOf returns the path of a project as answers print it.
func rootOf(path string) string {
	root, err := filepath.Abs(path)
	if err != nil {
		root = path
	}
	return asUTF8(root)
}

func overviewOf(ctx context.Context, memory *Memory, path string) (*Overview, error) {
	p, err := openWith(memory, path)
	if err != nil {
		return &Overview{}, err
	}
	defer p.Close()
	overview, err := p.Overview(ctx)
	if err != nil {
		return &Overview{}, err
	}
	return overview, nil
}

// encodeOverview writes the members that follow the root.
func encodeOverview(e *wire.Encoder, o *Overview) {
	for _, count := range []struct {
		name string
		n    int
	}{
		{"total_directories", len(o.Statuses)},
		{"skipped_directories", o.Skipped},
		{"tracked", o.Tracked()},
	} {
		e.Key(count.name)
		e.Int(int64(count.n))
	}
	e.Key("entries")
	e.BeginArray()
	for _, s := range o.Statuses {
		encodeEntry(e, s)
	}
	e.EndArray()
	if len(o.Warnings) == 0 {
		return
	}
	e.Key("warnings")
	e.BeginArray()
	for _, warning := range o.Warnings {
		e.String(asUTF8(warning))
	}
	e.EndArray()
}

func encodeEntry(e *wire.Encoder, s Status) {
	e.BeginObject()
	e.Key("scope")
	e.String(s.Scope)
	e.Key("state")
	e.String(string(s.State))
	e.Key("has_context")
	e.Bool(s.Context != nil)
	if s.Context != nil {
		e.Key("last_updated")
		e.String(s.Context.LastUpdated)
		e.Key("summary")
		e.String(s.Context.Summary)
	}
	e.EndObject()
}

// explained returns the contract's sentence on why there is no context at
// scope, as an error with the exit status that goes with it.
func explained(scope string, err error) error {
	_, unsupported := errors.AsType[*contextfile.UnsupportedError](err)
	code := codeOf(err)
	switch {
	case unsupported, errors.Is(err, errOutside):
		return fault.Errorf(code, "%w", err)
	case isRefusal(err):
		return fault.Errorf(code, "Failed to read %s at scope \"%s\"", contextfile.Name, scope)
	case errors.Is(err, errMissing):
		return fault.Errorf(code, "No %s found at scope \"%s\". This scope may be below the min_tokens threshold; "+
			"use list_contexts to see eligible scopes.", contextfile.Name, scope)
	}
	return fault.Errorf(code, "Invalid or corrupt %s at scope \"%s\"", contextfile.Name, scope)
}

// codeOf returns the code of what keeps a context from being read.
func codeOf(err error) fault.Code {
	_, invalid := errors.AsType[*contextfile.InvalidError](err)
	_, unsupported := errors.AsType[*contextfile.UnsupportedError](err)
	switch {
	case invalid, unsupported, errors.Is(err, errNotRegular), errors.Is(err, errTooLarge), errors.Is(err, errDangling):
		return fault.ContextInvalid
	case errors.Is(err, errMissing):
		return fault.Stale
	}
	return fault.IO
}

func finish(e *wire.Encoder) Answer {
	e.EndObject()
	return Answer{JSON: string(e.Bytes())}
}

// finishWith ends an answer that reports err.
func finishWith(e *wire.Encoder, err error) Answer {
	e.Key("error")
	e.String(err.Error())
	answer := finish(e)
	answer.Err = err
	return answer
}
