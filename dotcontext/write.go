package dotcontext

import (
	"context"
	"errors"
	"path"

	"github.com/contextcompiler/context/dotcontext/contextfile"
	"github.com/contextcompiler/context/fault"
)

// WriteOptions say how contexts are written.
type WriteOptions struct {
	Scopes      []string // whose contexts; none stands for all of the project
	Content     bool     // make fingerprints of contents; false keeps the form of each context
	LastUpdated string   // what last_updated becomes, RFC 3339
}

// A Change is what became of one context.
type Change struct {
	Scope  string
	Action Action
	Err    error // why it was refused; nil otherwise
}

// An Action is what was done.
type Action string

// The actions.
const (
	Created   Action = "created"
	Updated   Action = "updated"
	Unchanged Action = "unchanged"
	Refused   Action = "refused" // it stands as it did
)

// Changes are what became of the contexts of a project, sorted by scope.
type Changes struct {
	List     []Change
	Warnings []string // what was passed over and why
}

// Err returns the first error with [fault.IO], else the first with
// [fault.ContextInvalid], else the first with [fault.Stale] for a missing context;
// nil if no context was refused.
func (c Changes) Err() error {
	for _, code := range []fault.Code{fault.IO, fault.ContextInvalid} {
		for _, change := range c.List {
			if change.Err != nil && fault.CodeOf(change.Err) == code {
				return change.Err
			}
		}
	}
	for _, change := range c.List {
		if change.Err != nil {
			return change.Err
		}
	}
	return nil
}

// changeOf says what became of the context at scope when err came of an action.
// It fails only when ctx has ended.
func changeOf(ctx context.Context, scope string, action Action, err error) (Change, error) {
	switch {
	case ctx.Err() != nil:
		return Change{}, context.Cause(ctx)
	case err != nil:
		return refuse(scope, err), nil
	}
	return Change{Scope: scope, Action: action}, nil
}

// refuse is a context that stands as it did, and why.
func refuse(scope string, err error) Change {
	if isRefusal(err) && errors.As(err, new(*unreadError)) {
		return Change{scope, Refused, unreadFault(err)}
	}
	file := path.Join(scope, contextfile.Name)
	if errors.Is(err, errMissing) {
		return Change{scope, Refused, fault.Errorf(fault.Stale, "there is no %s", file)}
	}
	return Change{scope, Refused, fault.Errorf(codeOf(err), "%s: %w", file, fault.Cause(err))}
}
