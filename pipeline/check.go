package pipeline

import (
	"cmp"
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

// A Comparison says how a cache differs from the one that a build would make.
type Comparison struct {
	Version   document.Version // of the cache
	Selection selection.Spec   // that the cache was built for
	Wanted    selection.Spec   // that a build would be for
	About     document.About   // of the cache
	Changes   Changes
	Files     []string  // other files that differ or do not belong there; nil if anything above differs
	Warnings  []Warning // of the build, except about documents that it would compile
}

// IsUpToDate reports whether a build would change nothing but created_at.
func (c Comparison) IsUpToDate() bool {
	d := c.Changes
	return c.Selection == c.Wanted && len(d.Added)+len(d.Changed)+len(d.Removed)+len(d.Remade)+len(c.Files) == 0
}

// Check compares the cache at cfg.Cache with the one that Build would make, and writes
// nothing. It ignores created_at. A document is remade if it has the content of its
// source, but its file is damaged, is from a source of another name, or was made by
// other stages.
//
// Check fails like Build if a source cannot be read, with [fault.CacheMissing] without
// a directory at cfg.Cache, and with [fault.CacheInvalid] if its manifest cannot be
// read.
func Check(ctx context.Context, cfg Config) (Comparison, error) {
	if err := cmp.Or(cfg.Selection.Check(), cfg.About.Check()); err != nil {
		return Comparison{}, err
	}
	roots, err := openRoots(cfg)
	if err != nil {
		return Comparison{}, err
	}
	defer roots.Close()
	previous, err := cache.OpenPrevious(cfg.Cache, stages.Versions)
	if err != nil {
		return Comparison{}, err
	}
	defer previous.Close()

	found, err := discover(ctx, roots, cfg)
	if err != nil {
		return Comparison{}, err
	}
	reader := newSourceReader(cfg)
	compared, err := each(ctx, cfg, len(found.Documents), func(ctx context.Context, _, i int) (outcome, error) {
		return reader.with(ctx, found.Documents[i], func(text stages.Text) (outcome, error) {
			return compareText(previous, text)
		})
	})
	if err != nil {
		return Comparison{}, err
	}
	items, warnings, err := merge(found, compared, cfg.SkipInvalid)
	if err != nil {
		return Comparison{}, err
	}
	built := selection.SpecOf(previous.Selection)
	c := Comparison{
		Version: previous.Version, Selection: built, Wanted: cmp.Or(cfg.Selection, built), About: previous.About,
		Changes: changesFrom(previous, items), Warnings: warnings,
	}
	if c.IsUpToDate() { // or files differ anyway
		c.Files, err = previous.Differences(items, stages.Versions, cfg.About)
	}
	return c, err
}

// compareText returns the document of a source from the cache, or only its ID and
// version if the cache does not have it.
func compareText(previous *cache.Previous, text stages.Text) (outcome, error) {
	item, found, err := previous.Find(text.ID, text.Path, text.Content, text.IsNormalizedTo)
	if !found {
		item = cache.NewDocument{ID: text.ID, Version: document.VersionOf(text.Content)}
	}
	return outcome{item: item}, err
}
