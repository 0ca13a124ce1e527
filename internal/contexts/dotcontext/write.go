package dotcontext

import (
	"context"
	"errors"
	"path"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// WriteOptions are the options of Init and Rehash.
type WriteOptions struct {
	Scopes      []string // contexts to write; nil means all of the project
	Content     bool     // use fingerprints of contents; false keeps the form of each context
	Times       bool     // Init uses fingerprints of times for new contexts
	Overwrite   bool     // Init also replaces derived values written by others
	LastUpdated string   // the new last_updated, in RFC 3339
}

// A ContextChange is the result for one context.
type ContextChange struct {
	Scope  string
	Action Action
	Kept   []string // derived fields left alone because a person or another program wrote them
	Err    error    // why the change was refused
}

// An Action is the result of a write.
type Action string

// The actions.
const (
	Created   Action = "created"
	Updated   Action = "updated"
	Unchanged Action = "unchanged"
	Refused   Action = "refused" // nothing was written
)

// A WriteReport lists the changes to the contexts of a project, sorted by scope.
type WriteReport struct {
	List     []ContextChange
	Warnings []string // omissions with their reasons
}

// Err returns the reason for the worst refusal, or nil. [fault.IO] is worst, then
// [fault.ContextInvalid], then [fault.Stale] for a missing context. The first
// refusal with a code counts.
func (c WriteReport) Err() error {
	for _, code := range []fault.Code{fault.IO, fault.ContextInvalid, fault.Stale} {
		for _, change := range c.List {
			if change.Err != nil && fault.CodeOf(change.Err) == code {
				return change.Err
			}
		}
	}
	return nil
}

// changeOf returns the result of an action at scope. It fails only when ctx ends.
func changeOf(ctx context.Context, scope string, action Action, err error) (ContextChange, error) {
	file := path.Join(scope, contextfile.Name)
	switch {
	case ctx.Err() != nil:
		return ContextChange{}, context.Cause(ctx)
	case err == nil:
		return ContextChange{Scope: scope, Action: action}, nil
	case errors.As(err, new(*unreadError)):
		err = unreadFault(err)
	case errors.Is(err, errMissing):
		err = fault.Errorf(fault.Stale, "there is no %s", file)
	default:
		err = fault.Errorf(codeOf(err), "%s: %w", file, fault.Cause(err))
	}
	return ContextChange{Scope: scope, Action: Refused, Err: err}, nil
}

// Rehash sets fingerprint and last_updated in every context that is not fresh, and
// changes no other byte. The form of a fingerprint stays the same unless the
// options ask for contents. In this case a comment is added, and only contexts that
// are fresh in that form stay unchanged. Rehash fails with [fault.IO] if the
// project cannot be listed.
func (p *Project) Rehash(ctx context.Context, options WriteOptions) (WriteReport, error) {
	var warnings []string
	targets, err := p.directoriesAt(options.Scopes)
	if len(options.Scopes) == 0 {
		var s *scan
		if s, err = p.scan(ctx); err == nil {
			targets, warnings = s.where(func(d *projectDir) bool { return d.hasFile || d.unlisted }), s.allWarnings()
		}
	}
	if err != nil {
		return WriteReport{}, err
	}
	list, err := parallel.Each(ctx, 0, len(targets), func(ctx context.Context, _, i int) (ContextChange, error) {
		d := targets[i]
		action, err := Refused, d.unread
		if err == nil {
			action, err = p.edit(ctx, d, func(before []byte) ([]byte, error) {
				if before == nil {
					return nil, errMissing
				}
				stored, err := contextfile.Parse(before)
				if err != nil {
					return nil, err
				}
				return p.refreshed(ctx, d, before, stored, options)
			})
		}
		return changeOf(ctx, d.scope, action, err)
	})
	return WriteReport{list, warnings}, err
}

// refreshed returns text with the fingerprint of d's files, or text itself if the
// stored fingerprint is right.
func (p *Project) refreshed(ctx context.Context, d *projectDir, text []byte, stored *contextfile.Context, options WriteOptions) ([]byte, error) {
	if !options.Content {
		if s, err := p.judge(ctx, d, &stored.Head); err == nil && s.State == Fresh {
			return text, nil
		}
	}
	content := options.Content || stored.OfContents
	wanted, err := p.fingerprintOf(ctx, d, content)
	if err == nil && stored.Fingerprint != wanted {
		text, err = contextfile.SetFingerprint(text, wanted, options.LastUpdated)
	}
	if err == nil && content {
		text, err = contextfile.MarkContents(text)
	}
	return text, err
}

func (p *Project) fingerprintOf(ctx context.Context, d *projectDir, content bool) (string, error) {
	if content {
		return p.contentOf(ctx, d)
	}
	return statFingerprint(d.files), nil
}
