package dotcontext

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/yaml12"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// A Validation lists the problems in a project's files.
type Validation struct {
	Files    []CheckedFile // all files, sorted by path
	Missing  int           // directories with a missing context
	Warnings []string      // omissions with their reasons

	doubts []error // refusals to read something
}

// Err returns an error with [fault.IO] for the first thing that could not be read,
// or nil.
func (v *Validation) Err() error { return firstFault(v.doubts) }

// A CheckedFile is a file with its problems.
type CheckedFile struct {
	Path     string // below the root
	Problems []yaml12.Problem

	err error // of reading it
}

// Invalid returns the number of files with problems.
func (v *Validation) Invalid() (n int) {
	for _, f := range v.Files {
		if len(f.Problems) > 0 {
			n++
		}
	}
	return n
}

// Valid returns the number of files without problems.
func (v *Validation) Valid() int { return len(v.Files) - v.Invalid() }

// Validate reads the config file and every .context.yaml of the project, even in
// directories that do not need it. If strict is set, it also compares contexts with
// their directories. It fails with [fault.IO] if the project cannot be listed.
func (p *Project) Validate(ctx context.Context, strict bool) (*Validation, error) {
	s, err := p.scan(ctx)
	if err != nil {
		return nil, err
	}
	v := &Validation{Warnings: s.otherWarnings(), doubts: s.doubts()}
	v.Missing = len(s.where(func(d *projectDir) bool { return d.kept && !d.hasFile && !d.unlisted }))
	if len(s.problems) > 0 {
		v.Files = append(v.Files, CheckedFile{Path: contextfile.ConfigName, Problems: s.problems})
	}
	withFile := s.where(func(d *projectDir) bool { return d.hasFile })
	files, err := parallel.Each(ctx, 0, len(withFile), func(_ context.Context, _, i int) (CheckedFile, error) {
		return p.checkFile(s, withFile[i], strict), nil
	})
	v.Files = append(v.Files, files...)
	for _, f := range files {
		if isRefusal(f.err) {
			v.doubts = append(v.doubts, f.err)
		}
	}
	return v, err
}

func (p *Project) checkFile(s *scan, d *projectDir, strict bool) CheckedFile {
	file := CheckedFile{Path: path.Join(d.scope, contextfile.Name)}
	described, err := p.contextIn(d)
	switch {
	case err != nil:
		file.Problems, file.err = problemsOf(err), err
	case strict:
		file.Problems, file.err = p.discrepancies(s, d, described)
	}
	return file
}

// problemsOf describes an error of reading a file as problems.
func problemsOf(err error) []yaml12.Problem {
	if invalid, ok := errors.AsType[*contextfile.InvalidError](err); ok {
		return invalid.Problems
	}
	if unsupported, ok := errors.AsType[*contextfile.UnsupportedError](err); ok {
		return []yaml12.Problem{{Line: unsupported.Line, Field: "version", Message: unsupported.Error()}}
	}
	if unread, ok := errors.AsType[*unreadError](err); ok {
		err = unread.cause
	}
	problem := yaml12.Problem{Message: fault.Cause(err).Error(), Fix: "make it a file that can be read"}
	if errors.Is(err, errOutside) {
		problem.Message = "a symlink that leads out of the project"
	}
	if errors.Is(err, errOutside) || errors.Is(err, errDangling) {
		problem.Fix = "replace it by a file"
	}
	return []yaml12.Problem{problem}
}

var wellFormedFingerprint = lazy.Regexp(`^[0-9a-f]{8}$`)

// discrepancies compares a valid context with its directory. It returns false
// claims and unlisted files, sorted by line, and the first refusal to read a file
// that is needed to decide.
func (p *Project) discrepancies(s *scan, d *projectDir, described *contextfile.Context) (problems []yaml12.Problem, err error) {
	for _, claim := range described.Claims() {
		if message, fix := p.refute(s, d, claim); message != "" {
			problems = append(problems, yaml12.Problem{Line: claim.Line, Field: claim.Field, Message: message, Fix: fix})
		}
	}
	unlisted, unread := p.unlisted(s, d, described)
	unmentioned, unsearched := p.unmentioned(s, d, described)
	problems = slices.Concat(problems, unlisted, unmentioned)
	slices.SortStableFunc(problems, func(a, b yaml12.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return problems, cmp.Or(unread, unsearched)
}

// refute returns what is wrong with a claim. The message is "" if the claim is
// true.
func (p *Project) refute(s *scan, d *projectDir, claim contextfile.Claim) (message, fix string) {
	switch claim.Kind {
	case "scope":
		if claim.Text != d.scope {
			return fmt.Sprintf("%q is another directory", claim.Text), fmt.Sprintf("write %q", d.scope)
		}
	case "last_updated":
		if _, err := time.Parse(time.RFC3339, claim.Text); err != nil {
			return fmt.Sprintf("%q is not an RFC 3339 time", claim.Text), "write it as 2006-01-02T15:04:05Z"
		}
	case "fingerprint":
		if !wellFormedFingerprint().MatchString(claim.Text) {
			return fmt.Sprintf("%q is not a fingerprint", claim.Text), "rehash the directory"
		}
	case "derived_fields":
		if !contextfile.IsField(claim.Text) {
			return fmt.Sprintf("there is no field %q", claim.Text), "correct or remove the entry"
		}
	case "files.name", "subdirectories.name":
		return p.absent(path.Join(d.scope, claim.Text), claim.Text)
	case "files.test_file": // relative to the directory or to the root
		if p.exists(claim.Text) {
			return "", ""
		}
		return p.absent(path.Join(d.scope, claim.Text), claim.Text)
	case "structure.path":
		return p.absent(claim.Text, claim.Text)
	case "dependencies.internal":
		if p.leadsNowhere(s, d, claim.Text) {
			return fmt.Sprintf("%q leads nowhere in the project", claim.Text), "correct the path or remove the entry"
		}
	}
	return "", ""
}

func (p *Project) absent(at, name string) (message, fix string) {
	if p.exists(at) {
		return "", ""
	}
	return fmt.Sprintf("there is no %q", name), "correct the name or remove the entry"
}
