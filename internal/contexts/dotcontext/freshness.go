package dotcontext

import (
	"context"
	"errors"

	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// A State says whether a context can be trusted.
type State string

// The states.
const (
	Fresh   State = "fresh"
	Stale   State = "stale"   // the directory's files have changed
	Missing State = "missing" // the context does not exist
	Invalid State = "invalid" // the context cannot be read; the contract's tools call it missing
)

func (s State) contractual() State {
	if s == Invalid {
		return Missing
	}
	return s
}

// A Status is the state of one directory's context.
type Status struct {
	Scope    string
	State    State
	Context  *contextfile.Head // nil if Missing or Invalid
	Computed string            // fingerprint of the current files; "" if they cannot be listed
	err      error             // why Context is nil, or the state uncertain
	needless bool              // the directory contains too few sources to need a context
}

func withoutContext(scope string, err error) Status {
	if errors.Is(err, errMissing) {
		return Status{Scope: scope, State: Missing, err: err}
	}
	return Status{Scope: scope, State: Invalid, err: err}
}

// statusOf compares a context with the directory at a scope in canonical form.
func (p *Project) statusOf(ctx context.Context, scope string, described *contextfile.Head) (Status, error) {
	d, err := p.directoryAt(scope)
	if err != nil {
		return Status{Scope: scope, State: Stale, Context: described, err: err}, nil
	}
	s, err := p.judge(ctx, d, described)
	s.Scope = scope
	return s, err
}

// judge compares a context with the files of its directory. It reads their contents
// only if times and sizes do not match, because that is slower. It fails only when
// ctx ends.
func (p *Project) judge(ctx context.Context, d *projectDir, described *contextfile.Head) (Status, error) {
	s := Status{Scope: d.scope, State: Stale, Context: described, Computed: statFingerprint(d.files)}
	if s.Computed == described.Fingerprint {
		s.State = Fresh
		return s, nil
	}
	content, err := p.contentOf(ctx, d)
	if ctx.Err() != nil {
		return s, context.Cause(ctx)
	}
	if err == nil && content == described.Fingerprint {
		s.State, s.Computed = Fresh, content
		return s, nil
	}
	s.err = err
	return s, nil
}

// An Overview contains the state of every directory that needs a context or has
// one.
type Overview struct {
	Statuses  []Status // sorted by scope
	Skipped   []string // scopes of directories without a context whose sources are too few, sorted
	MinTokens int64    // tokens of sources at which a directory needs a context
	Warnings  []string // omissions with their reasons

	small  int     // directories with too few sources, with or without a context
	doubts []error // refusals to read something
}

// Err returns an error with [fault.IO] for the first thing that could not be read,
// or nil.
func (o *Overview) Err() error {
	doubts := o.doubts
	for _, s := range o.Statuses {
		if isRefusal(s.err) {
			doubts = append(doubts, s.err)
		}
	}
	return firstFault(doubts)
}

// Count returns the number of directories in a state.
func (o *Overview) Count(state State) (n int) {
	for _, s := range o.Statuses {
		if s.State == state {
			n++
		}
	}
	return n
}

// Tracked returns the number of directories with a valid context.
func (o *Overview) Tracked() int { return o.Count(Fresh) + o.Count(Stale) }

// Overview scans the project. It fails with [fault.IO] if the root cannot be
// listed, and when ctx ends.
func (p *Project) Overview(ctx context.Context) (*Overview, error) {
	found, err := p.scan(ctx)
	if err != nil {
		return nil, err
	}
	o := &Overview{MinTokens: found.config.MinTokens, Warnings: found.allWarnings(), doubts: found.doubts()}
	for _, d := range found.skipped() {
		if o.small++; !d.hasFile {
			o.Skipped = append(o.Skipped, d.scope)
		}
	}
	described := found.where(isDescribed)
	o.Statuses, err = parallel.Each(ctx, 0, len(described), func(ctx context.Context, _, i int) (Status, error) {
		d := described[i]
		s := Status{Scope: d.scope, State: Stale, err: d.unread}
		head, err := p.headIn(d)
		switch s.Context = head; {
		case err != nil:
			s, err = withoutContext(d.scope, err), nil
		case d.unread == nil:
			s, err = p.judge(ctx, d, head)
		}
		s.needless = !d.kept
		return s, err
	})
	return o, err
}
