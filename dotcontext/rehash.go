package dotcontext

import (
	"context"
	"slices"

	"github.com/contextcompiler/context/dotcontext/contextfile"
	"github.com/contextcompiler/context/internal/parallel"
)

// Rehash says in every context that does not match the files of its directory
// any more that it does. Of a file it changes the fingerprint and last_updated,
// nothing else. The form of fingerprint stays unless the options ask for contents;
// then a comment says so. A context that is fresh in that form does not change. It fails with [fault.IO] if the project cannot be listed.
func (p *Project) Rehash(ctx context.Context, options WriteOptions) (Changes, error) {
	targets, warnings, err := p.rehashTargets(ctx, options.Scopes)
	if err != nil {
		return Changes{}, err
	}
	list, err := parallel.Each(ctx, 0, len(targets), func(ctx context.Context, _, i int) (Change, error) {
		d := targets[i]
		action, err := Refused, d.unread
		if err == nil {
			action, err = retried(func() (Action, error) { return p.rehash(ctx, d, options) })
		}
		return changeOf(ctx, d.scope, action, err)
	})
	return Changes{list, warnings}, err
}

// rehashTargets returns the directories at scopes, or all that have a file for a
// context.
func (p *Project) rehashTargets(ctx context.Context, scopes []string) (found []*directory, warnings []string, err error) {
	if len(scopes) == 0 {
		s, err := p.scan(ctx)
		if err != nil {
			return nil, nil, err
		}
		return s.rehashable(), s.allWarnings(), nil
	}
	found, err = p.directoriesAt(scopes)
	return found, nil, err
}

// rehashable returns the directories that have a file for a context, or may have
// one.
func (s *scan) rehashable() []*directory {
	return slices.DeleteFunc(slices.Clone(s.directories), func(d *directory) bool { return !d.hasFile && !d.unlisted })
}

func (p *Project) rehash(ctx context.Context, d *directory, options WriteOptions) (Action, error) {
	text, err := p.textIn(d)
	if err != nil {
		return "", err
	}
	stored, err := contextfile.Parse(text)
	if err != nil {
		return "", err
	}
	after, err := p.refreshed(ctx, d, text, stored, options)
	if err != nil || string(after) == string(text) {
		return Unchanged, err
	}
	return Updated, p.replace(ctx, d.scope, text, after)
}

// refreshed returns text with the fingerprint of d's files in the place of the
// stored one, or text itself if that one is right. The form stays unless the
// options ask for contents.
func (p *Project) refreshed(ctx context.Context, d *directory, text []byte, stored *contextfile.Context, options WriteOptions) ([]byte, error) {
	if !options.Content && p.isFresh(ctx, d, stored) {
		return text, nil
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

func (p *Project) isFresh(ctx context.Context, d *directory, stored *contextfile.Context) bool {
	s, err := p.judge(ctx, d, &stored.Head)
	return err == nil && s.State == Fresh
}

// fingerprintOf returns the directory's fingerprint in one form or the other.
func (p *Project) fingerprintOf(ctx context.Context, d *directory, content bool) (string, error) {
	if content {
		return p.contentOf(ctx, d)
	}
	return statOf(d), nil
}
