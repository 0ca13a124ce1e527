package dotcontext

import (
	"context"
	"errors"
	"path"

	"github.com/contextcompiler/context/dotcontext/contextfile"
)

// A State says whether a context can be relied on.
type State string

// The states of the contract.
const (
	Fresh   State = "fresh"
	Stale   State = "stale"   // the directory's files are others than it describes
	Missing State = "missing" // there is no context that can be read
)

// errMissing is that there is no .context.yaml.
var errMissing = errors.New("no " + contextfile.Name)

// A Status is the state of one directory's context.
type Status struct {
	Scope    string
	State    State
	Context  *contextfile.Context // nil if it is missing
	Computed string               // fingerprint of the files that are there; "" if they cannot be listed
	err      error                // why there is no Context
}

// contextAt reads the context of the directory at a scope in canonical form.
// The errors are those of textAt and of [contextfile.Parse].
func (p *Project) contextAt(scope string) (*contextfile.Context, error) {
	return parsed(p.textAt(scope))
}

// contextIn is contextAt for a directory that a scan has listed.
func (p *Project) contextIn(d *directory) (*contextfile.Context, error) {
	return parsed(p.textIn(d))
}

func parsed(text []byte, err error) (*contextfile.Context, error) {
	if err != nil {
		return nil, err
	}
	return contextfile.Parse(text)
}

// textIn reads the .context.yaml of a directory that a scan has listed. A scan
// follows no symlinks, so there is seldom any to look for.
func (p *Project) textIn(d *directory) ([]byte, error) {
	switch {
	case d.fileIsPlain:
		return p.read(path.Join(d.scope, contextfile.Name))
	case d.hasFile:
		return p.textAt(d.scope)
	}
	return nil, errMissing
}

// textAt reads the .context.yaml at a scope in canonical form. It fails with
// errMissing, errOutside, or what keeps a file that is there from being read.
func (p *Project) textAt(scope string) ([]byte, error) {
	real, err := p.realScope(scope)
	if err == nil {
		real, err = p.realScope(path.Join(real, contextfile.Name))
	}
	if errors.Is(err, errOutside) {
		return nil, err
	}
	if err != nil {
		return nil, errMissing
	}
	return p.read(real)
}

// statusOf returns the status of the context at a scope in canonical form.
func (p *Project) statusOf(ctx context.Context, scope string) (Status, error) {
	described, err := p.contextAt(scope)
	if err != nil {
		return Status{Scope: scope, State: Missing, err: err}, nil
	}
	files, err := filesIn(p.onDisk(scope))
	if err != nil {
		// Nobody can tell what has changed, so nobody is to rely on it.
		return Status{Scope: scope, State: Stale, Context: described}, nil
	}
	return p.judge(ctx, scope, described, files)
}

// judge compares a context with the files of its directory. Their contents are
// read only if times and sizes do not match. It fails only when ctx ends.
func (p *Project) judge(ctx context.Context, scope string, described *contextfile.Context, files []file) (Status, error) {
	s := Status{Scope: scope, State: Stale, Context: described, Computed: statFingerprint(files)}
	if s.Computed == described.Fingerprint {
		s.State = Fresh
		return s, nil
	}
	content, err := contentFingerprint(ctx, p.onDisk(scope), files)
	if ctx.Err() != nil {
		return s, context.Cause(ctx)
	}
	if err == nil && content == described.Fingerprint {
		s.State, s.Computed = Fresh, content
	}
	return s, nil
}
