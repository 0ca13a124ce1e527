package dotcontext

import (
	"context"
	"errors"
	"fmt"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// A ToolAnswer is the result of one of the contract's tools.
type ToolAnswer struct {
	JSON string // indented by two spaces, without a line feed at its end
	Err  error  // why the answer is an error, with a code of package fault; nil if it isn't
}

func answerOf(v any, err error) ToolAnswer { return ToolAnswer{string(wire.MarshalIndent(v)), err} }

// A queryAnswer contains either a context or an error.
type queryAnswer struct {
	Found   bool             `json:"found"`
	Scope   string           `json:"scope"`
	Context *filteredContext `json:"context,omitzero"`
	Error   string           `json:"error,omitzero"`
}

// A filteredContext is the part of a context named in a filter.
type filteredContext struct {
	whole  *contextfile.Context
	filter []string
}

// Encode writes the context.
func (f *filteredContext) Encode(e *wire.Encoder) { f.whole.Encode(e, f.filter) }

// Query answers with the context at scope in the project at path. Unless filter is
// empty, the answer only contains its metadata and the fields named in filter.
func Query(path, scope string, filter []string) ToolAnswer {
	found, err := locate(nil, path, scope)
	if err != nil {
		return RefuseQuery(found.scope, explained(found.scope, err))
	}
	found.project.Close()
	return answerOf(queryAnswer{Found: true, Scope: found.scope, Context: &filteredContext{found.context, filter}}, nil)
}

// A locatedContext is a context found by its scope.
type locatedContext struct {
	project *Project // nil if there is an error
	scope   string   // in canonical form; as given if it is invalid
	text    []byte
	context *contextfile.Context
}

// locate finds the context at scope. It fails with errOutside, with the errors of textAt and
// [contextfile.Parse], and like [Open]. Otherwise, the caller must close the project.
func locate(memory *Memory, path, scope string) (found locatedContext, err error) {
	found.scope = slashed(scope)
	root, err := files.Absolute(path)
	if err != nil {
		return found, noProject(path, err)
	}
	canonical, err := lexicalScope(root, scope)
	if err != nil {
		return found, err
	}
	found.scope = canonical
	p, err := Open(path)
	if err != nil {
		return found, err
	}
	p.use(memory)
	if found.text, err = p.textAt(canonical); err == nil {
		found.context, err = contextfile.Parse(found.text)
	}
	if err != nil {
		p.Close()
		return found, err
	}
	found.project = p
	return found, nil
}

// A checkAnswer contains either the state of a context or an error.
type checkAnswer struct {
	Scope       string        `json:"scope"`
	State       State         `json:"state"`
	Fingerprint *fingerprints `json:"fingerprint,omitzero"`
	LastUpdated *string       `json:"last_updated,omitzero"`
	Error       string        `json:"error,omitzero"`
}

// fingerprints compares a context with its files.
type fingerprints struct {
	Stored   string `json:"stored"`
	Computed string `json:"computed"`
}

// Check answers with the state of the context at scope in the project at path. It
// uses memory, unless it is nil, for what did not change. It fails only when ctx
// ends.
func Check(ctx context.Context, memory *Memory, path, scope string) (ToolAnswer, error) {
	found, err := locate(memory, path, scope)
	if err != nil {
		return RefuseCheck(found.scope, explained(found.scope, err)), nil
	}
	defer found.project.Close()
	s, err := found.project.statusOf(ctx, found.scope, &found.context.Head)
	if err != nil {
		return ToolAnswer{}, err
	}
	return answerOf(checkAnswer{
		Scope:       found.scope,
		State:       s.State,
		Fingerprint: &fingerprints{s.Context.Fingerprint, s.Computed},
		LastUpdated: &s.Context.LastUpdated,
	}, nil), nil
}

// A listAnswer contains the states of all directories of a project.
type listAnswer struct {
	Root     string      `json:"root"`
	Total    int         `json:"total_directories"`
	Skipped  int         `json:"skipped_directories"`
	Tracked  int         `json:"tracked"`
	Entries  []listEntry `json:"entries"`
	Warnings []string    `json:"warnings,omitzero"`
	Error    string      `json:"error,omitzero"`
}

// A listEntry is the state of one directory. Without a context, last_updated and
// summary are missing.
type listEntry struct {
	Scope       string  `json:"scope"`
	State       State   `json:"state"`
	HasContext  bool    `json:"has_context"`
	LastUpdated *string `json:"last_updated,omitzero"`
	Summary     *string `json:"summary,omitzero"`
}

// List answers with the state of every directory of the project at path that needs
// a context, and with warnings about the rest. The contract leaves out smaller
// directories, even if they contain a context. List uses memory, unless it is nil,
// for what did not change. It fails only when ctx ends.
func List(ctx context.Context, memory *Memory, path string) (ToolAnswer, error) {
	overview, err := overviewOf(ctx, memory, path)
	if ctx.Err() != nil {
		return ToolAnswer{}, context.Cause(ctx)
	}
	if err != nil {
		return RefuseList(path, fault.Errorf(fault.IO, "Failed to scan project at \"%s\"", rootOf(path))), nil
	}
	list := listAnswer{Root: rootOf(path), Skipped: overview.small}
	for _, s := range overview.Statuses {
		if s.needless {
			continue
		}
		list.Total++
		if s.Context != nil {
			list.Tracked++
		}
		entry := listEntry{Scope: s.Scope, State: s.State.contractual(), HasContext: s.Context != nil}
		if s.Context != nil {
			entry.LastUpdated, entry.Summary = &s.Context.LastUpdated, &s.Context.Summary
		}
		list.Entries = append(list.Entries, entry)
	}
	for _, warning := range overview.Warnings {
		list.Warnings = append(list.Warnings, asUTF8(warning))
	}
	return answerOf(list, nil), nil
}

// rootOf returns the path of a project as answers print it.
func rootOf(path string) string {
	root, err := files.Absolute(path)
	if err != nil {
		root = path
	}
	return asUTF8(root)
}

func overviewOf(ctx context.Context, memory *Memory, path string) (*Overview, error) {
	p, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	p.use(memory)
	return p.Overview(ctx)
}

// explained returns the contract's sentence about why there is no context at scope,
// as an error with the right exit status. A project that does not exist contains no contexts.
func explained(scope string, err error) error {
	if _, isOpening := errors.AsType[*fault.Error](err); isOpening && !isRefusal(err) {
		err = errMissing
	}
	_, unsupported := errors.AsType[*contextfile.UnsupportedError](err)
	code := codeOf(err)
	switch {
	case unsupported, errors.Is(err, errOutside):
		return fault.Errorf(code, "%w", err)
	case isRefusal(err):
		return fault.Errorf(code, "%w", &withReason{fmt.Sprintf("Failed to read %s at scope \"%s\"", contextfile.Name, scope), err})
	case errors.Is(err, errMissing):
		return fault.Errorf(code, "No %s found at scope \"%s\". This scope may be below the min_tokens threshold; "+
			"use list_contexts to see eligible scopes.", contextfile.Name, scope)
	}
	return fault.Errorf(code, "%w", &withReason{fmt.Sprintf("Invalid or corrupt %s at scope \"%s\"", contextfile.Name, scope), err})
}

// codeOf returns the code for an error of reading a context.
func codeOf(err error) fault.Code {
	_, invalid := errors.AsType[*contextfile.InvalidError](err)
	_, unsupported := errors.AsType[*contextfile.UnsupportedError](err)
	switch {
	case invalid, unsupported, errors.Is(err, files.ErrNotRegular), errors.Is(err, errTooLarge), errors.Is(err, errDangling):
		return fault.ContextInvalid
	case errors.Is(err, errMissing):
		return fault.Stale
	}
	return fault.IO
}
