package dotcontext

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/moby/sys/atomicwriter"

	"github.com/contextcompiler/context/dotcontext/contextfile"
	"github.com/contextcompiler/context/fault"
)

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

// Err returns the error of the first context that was refused, with
// [fault.ContextInvalid], [fault.Stale] if it is missing, or [fault.IO]; nil if
// there is none.
func (c Changes) Err() error {
	for _, change := range c.List {
		if change.Err != nil {
			return change.Err
		}
	}
	return nil
}

// refuse is a context that stands as it did, and why.
func refuse(scope string, err error) Change {
	code, file := fault.IO, path.Join(scope, contextfile.Name)
	if errors.Is(err, errMissing) {
		return Change{scope, Refused, fault.Errorf(fault.Stale, "there is no %s: make it with `context init %s`", file, scope)}
	}
	_, invalid := errors.AsType[*contextfile.InvalidError](err)
	_, unsupported := errors.AsType[*contextfile.UnsupportedError](err)
	if invalid || unsupported {
		code = fault.ContextInvalid
	}
	return Change{scope, Refused, fault.Errorf(code, "%s: %w", file, fault.Cause(err))}
}

// replace puts text in the place of the context at scope, whole or not at all,
// unless what is there is not old any more. A nil old is no file.
func (p *Project) replace(scope string, old, text []byte) error {
	current, err := p.textAt(scope)
	if errors.Is(err, errMissing) {
		current, err = nil, nil
	}
	if err != nil {
		return err
	}
	if !bytes.Equal(current, old) {
		return errors.New("somebody else has changed it meanwhile: try again")
	}
	at := filepath.Join(p.onDisk(scope), contextfile.Name)
	return atomicwriter.WriteFile(at, text, permissionsAt(at))
}

// permissionsAt returns those of the file at a path, or of one that is new.
func permissionsAt(path string) fs.FileMode {
	if found, err := os.Lstat(path); err == nil {
		return found.Mode().Perm()
	}
	return 0o666 &^ umask()
}
