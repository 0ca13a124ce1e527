package dotcontext

import (
	"context"

	"github.com/contextcompiler/context/internal/parallel"
)

// An Overview has the state of every directory that needs a context.
type Overview struct {
	Statuses []Status // sorted by scope
	Skipped  int      // directories with too few sources
	Warnings []string // omissions with their reasons

	doubts []error // refusals to read something
}

// Err returns an error with [fault.IO] that names the first thing that could not
// be read, nil if all could.
func (o *Overview) Err() error {
	doubts := o.doubts
	for _, s := range o.Statuses {
		if isRefusal(s.err) {
			doubts = append(doubts, s.err)
		}
	}
	return firstFault(doubts)
}

// Count returns the number of directories in that state.
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
	kept := found.where(isKept)
	statuses, err := parallel.Each(ctx, 0, len(kept), func(ctx context.Context, _, i int) (Status, error) {
		d := kept[i]
		described, err := p.headIn(d)
		if err != nil {
			return withoutContext(d.scope, err), nil
		}
		if d.unread != nil {
			return Status{Scope: d.scope, State: Stale, Context: described, err: d.unread}, nil
		}
		return p.judge(ctx, d, described)
	})
	p.remember(found.directories...)
	return &Overview{statuses, found.skipped(), found.allWarnings(), found.doubts()}, err
}
