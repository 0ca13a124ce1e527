package pipeline

import (
	"cmp"
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

// A Comparison shows how a cache differs from the result of a new build.
type Comparison struct {
	Version   document.Version // of the cache
	Selection selection.Spec   // supported by the cache
	Wanted    selection.Spec   // choice of a new build
	About     document.About   // of the cache
	NewAbout  document.About   // of a new build
	Changes   Changes
	Files     []string  // other files with differences, or without a place in the cache; nil if anything above differs
	Warnings  []Warning // of the build, except about documents to compile
}

// IsUpToDate reports whether a build would change nothing except created_at.
func (c Comparison) IsUpToDate() bool {
	d := c.Changes
	return c.Selection == c.Wanted && len(d.Added)+len(d.Changed)+len(d.Removed)+len(d.Remade)+len(c.Files) == 0
}

// Check compares the cache at cfg.Cache with the result of a new build, ignoring
// created_at. It writes nothing. A document counts as remade if its content is
// unchanged, but its file is damaged, belongs to a source of another name, or was made
// by other stages.
//
// Check fails like Build if a source cannot be read. It fails with [fault.CacheMissing]
// if the directory cfg.Cache is missing, and with [fault.CacheInvalid] if the manifest
// cannot be read.
func Check(ctx context.Context, cfg Config) (Comparison, error) {
	if err := cfg.check(); err != nil {
		return Comparison{}, err
	}
	roots, err := openRoots(ctx, cfg)
	if err != nil {
		return Comparison{}, err
	}
	defer roots.Close()
	previous, err := cache.OpenPrevious(cfg.Cache, stages.Versions)
	if err != nil {
		return Comparison{}, err
	}
	defer previous.Close()
	about := aboutOf(cfg, roots)

	found, err := discover(ctx, roots, cfg)
	if err != nil {
		return Comparison{}, err
	}
	found = found.InShard(cfg.Shard)
	reader := newSourceReader(cfg)
	compared, err := outcomesOf(ctx, cfg, len(found.Documents), func(ctx context.Context, _, i int) (o outcome, err error) {
		at := Read
		defer rescue(found.Documents[i], &at, &o, &err)
		return reader.with(ctx, found.Documents[i], func(text stages.Text) (outcome, error) {
			return reader.compare(ctx, previous, text)
		})
	})
	if err != nil {
		return Comparison{}, err
	}
	items, warnings, err := merge(found, compared, cfg.SkipInvalid)
	if err != nil {
		return Comparison{Warnings: warnings}, err
	}
	if len(items)+found.Elsewhere == 0 {
		warnings = append(warnings, noPagesFound)
	}
	found.Documents = nil // frees memory
	changes, err := changesFrom(previous, items)
	if err != nil {
		return Comparison{}, err
	}
	built := selection.SpecOf(previous.Selection)
	c := Comparison{
		Version: previous.Version, Selection: built, Wanted: cmp.Or(cfg.Selection, built), About: previous.About, NewAbout: about,
		Changes: changes, Warnings: warnings,
	}
	if c.IsUpToDate() { // otherwise, files differ anyway
		c.Files, err = previous.Differences(items, stages.Versions, about, cfg.wholeJobs())
	}
	return c, err
}

// compare returns the document of a source from the cache. If the cache doesn't contain
// it, compare returns only its ID and version.
func (r sourceReader) compare(ctx context.Context, previous *cache.Previous, text stages.Text) (outcome, error) {
	item, found, err := find(previous, text)
	if found || err != nil {
		return outcome{item: item}, err
	}
	return r.convert(ctx, text, func(text stages.Text) (outcome, error) {
		return outcome{item: cache.NewDocument{ID: text.ID, Version: document.VersionOf(text.Content)}}, nil
	})
}
