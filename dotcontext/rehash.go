package dotcontext

import (
	"context"

	"github.com/contextcompiler/context/dotcontext/contextfile"
	"github.com/contextcompiler/context/internal/parallel"
)

// WriteOptions say how contexts are written.
type WriteOptions struct {
	Scopes  []string // whose contexts; none stands for all of the project
	Content bool     // use the form of fingerprint that lives through copies
	Now     string   // what last_updated becomes
}

// Rehash says in every context that does not match the files of its directory
// any more that it does. Of a file it changes the fingerprint and last_updated,
// nothing else. One that is fresh stands as it did, unless its fingerprint is to
// get the other form. It fails with [fault.IO] if the project cannot be listed.
func (p *Project) Rehash(ctx context.Context, options WriteOptions) (Changes, error) {
	targets, warnings, err := p.described(ctx, options.Scopes)
	if err != nil {
		return Changes{}, err
	}
	list, err := parallel.Each(ctx, 0, targets, func(ctx context.Context, _ int, d *directory) (Change, error) {
		action, err := p.rehash(ctx, d, options)
		if ctx.Err() != nil {
			return Change{}, context.Cause(ctx)
		}
		if err != nil {
			return refuse(d.scope, err), nil
		}
		return Change{Scope: d.scope, Action: action}, nil
	})
	return Changes{list, warnings}, err
}

// described returns the directories at scopes, or all that have a file for a
// context.
func (p *Project) described(ctx context.Context, scopes []string) (found []*directory, warnings []string, err error) {
	if len(scopes) == 0 {
		s, err := p.scan(ctx)
		if err != nil {
			return nil, nil, err
		}
		return s.described(), s.allWarnings(), nil
	}
	found, err = p.directoriesAt(scopes)
	return found, nil, err
}

func (p *Project) rehash(ctx context.Context, d *directory, options WriteOptions) (Action, error) {
	text, err := p.textIn(d)
	if err != nil {
		return "", err
	}
	described, err := contextfile.Parse(text)
	if err != nil {
		return "", err
	}
	stored := described.Fingerprint
	computed, err := p.fingerprintOf(ctx, d, options.Content)
	if err != nil {
		return "", err
	}
	if stored == computed || !options.Content && p.matchesContent(ctx, d, stored) {
		return Unchanged, nil
	}
	after, err := contextfile.SetFingerprint(text, computed, options.Now)
	if err != nil {
		return "", err
	}
	return Updated, p.replace(d.scope, text, after)
}

// fingerprintOf returns the directory's fingerprint in one form or the other.
func (p *Project) fingerprintOf(ctx context.Context, d *directory, content bool) (string, error) {
	if content {
		return contentFingerprint(ctx, p.onDisk(d.scope), d.files)
	}
	return statFingerprint(d.files), nil
}

// matchesContent reports whether stored is the fingerprint of the contents. If
// they cannot be read, it is not.
func (p *Project) matchesContent(ctx context.Context, d *directory, stored string) bool {
	computed, err := contentFingerprint(ctx, p.onDisk(d.scope), d.files)
	return err == nil && computed == stored
}
