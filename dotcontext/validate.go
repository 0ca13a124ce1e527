package dotcontext

import (
	"context"
	"errors"
	"path"

	"github.com/contextcompiler/context/dotcontext/contextfile"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/parallel"
)

// A Validation is what is wrong with the files of a project.
type Validation struct {
	Files    []CheckedFile // that are there, sorted by path
	Missing  int           // directories that are to have a context and have none
	Warnings []string      // what was passed over and why

	doubts []error // what could not be read
}

// Err returns an error with [fault.IO] that names the first thing that could not
// be read; nil if all could.
func (v *Validation) Err() error {
	if len(v.doubts) == 0 {
		return nil
	}
	return unreadFault(v.doubts[0])
}

// A CheckedFile is a file that was read, and what is wrong with it.
type CheckedFile struct {
	Path     string // below the root
	Problems []contextfile.Problem

	unread error // it could not be read
}

// Invalid returns how many files have problems.
func (v *Validation) Invalid() (n int) {
	for _, f := range v.Files {
		if len(f.Problems) > 0 {
			n++
		}
	}
	return n
}

// Valid returns how many files have none.
func (v *Validation) Valid() int { return len(v.Files) - v.Invalid() }

// Validate reads the config file if there is one, and every .context.yaml of
// the project, in directories that need none, too. strict also compares what a
// context names with what there is. It fails with [fault.IO] if the project
// cannot be listed.
func (p *Project) Validate(ctx context.Context, strict bool) (*Validation, error) {
	s, err := p.scan(ctx)
	if err != nil {
		return nil, err
	}
	v := &Validation{Warnings: s.otherWarnings(), doubts: s.doubts()}
	if len(s.problems) > 0 {
		v.Files = append(v.Files, CheckedFile{Path: contextfile.ConfigName, Problems: s.problems})
	}
	for _, d := range s.kept() {
		if !d.hasFile && !d.unlisted {
			v.Missing++
		}
	}
	withFile := s.withFile()
	files, err := parallel.Each(ctx, 0, len(withFile), func(_ context.Context, _, i int) (CheckedFile, error) {
		d := withFile[i]
		problems, unread := p.problems(d, strict)
		return CheckedFile{path.Join(d.scope, contextfile.Name), problems, unread}, nil
	})
	v.Files = append(v.Files, files...)
	for _, f := range files {
		if f.unread != nil {
			v.doubts = append(v.doubts, f.unread)
		}
	}
	return v, err
}

// problems returns the problems of the context of d. unread is the refusal to read
// it, if there was one.
func (p *Project) problems(d *directory, strict bool) (found []contextfile.Problem, unread error) {
	described, err := p.contextIn(d)
	if err == nil && strict {
		return p.discrepancies(d, described), nil
	}
	if err == nil {
		return nil, nil
	}
	if invalid, ok := errors.AsType[*contextfile.InvalidError](err); ok {
		return invalid.Problems, nil
	}
	if unsupported, ok := errors.AsType[*contextfile.UnsupportedError](err); ok {
		return []contextfile.Problem{{Line: unsupported.Line, Field: "version", Message: unsupported.Error()}}, nil
	}
	if isRefusal(err) {
		unread = err
	}
	return []contextfile.Problem{unusable(err)}, unread
}

// unusable says what keeps a file from being read.
func unusable(err error) contextfile.Problem {
	if unread, ok := errors.AsType[*unreadError](err); ok {
		err = unread.cause
	}
	switch {
	case errors.Is(err, errOutside):
		return contextfile.Problem{Message: "a symlink that leads out of the project", Fix: "replace it by a file"}
	case errors.Is(err, errDangling):
		return contextfile.Problem{Message: errDangling.Error(), Fix: "replace it by a file"}
	}
	return contextfile.Problem{Message: fault.Cause(err).Error(), Fix: "make it a file that can be read"}
}
