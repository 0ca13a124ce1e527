package dotcontext

import (
	"context"
	"errors"

	"github.com/contextcompiler/context/fault"
)

// A ContextReader reads the contexts of a project as texts. It opens the project
// for each question, so the project can appear or be replaced in the meantime. It
// is safe for concurrent use.
type ContextReader struct {
	Path   string  // of the project
	Memory *Memory // may be nil
}

// EachContext calls yield for each directory that needs a context or has one,
// sorted by scope. The summary is "" unless there is a valid context. EachContext
// fails like [Open] and [Project.Overview].
func (r ContextReader) EachContext(ctx context.Context, yield func(scope, state, summary string)) error {
	overview, err := overviewOf(ctx, r.Memory, r.Path)
	if err != nil {
		return err
	}
	for _, s := range overview.Statuses {
		summary := ""
		if s.Context != nil {
			summary = s.Context.Summary
		}
		yield(s.Scope, string(s.State), summary)
	}
	return nil
}

// ContextText returns the text of the context at a scope, the scope in canonical
// form, and the state: fresh or stale. It fails with [fault.Stale] if the project
// does not contain such a context, with [fault.ContextInvalid], and like [Open].
func (r ContextReader) ContextText(ctx context.Context, scope string) (text []byte, canonical, state string, err error) {
	found, err := locate(r.Memory, r.Path, scope)
	if errors.Is(err, errOutside) {
		err = errMissing
	}
	if _, isOpening := errors.AsType[*fault.Error](err); isOpening {
		return nil, "", "", err
	}
	if err != nil {
		return nil, "", "", explained(found.scope, err)
	}
	defer found.project.Close()
	s, err := found.project.statusOf(ctx, found.scope, &found.context.Head)
	return found.text, found.scope, string(s.State), err
}
