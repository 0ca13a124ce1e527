// Package pipeline compiles Markdown and other pages into a cache. Start with [Build]. [Check]
// tells whether a cache is up to date.
//
// A build consists of nine steps, and data only ever moves to the right:
//
//	discover → ( read → convert → parse → normalize → hash → index → write ) → seal
//	 one list              once per document, in parallel                  one manifest
//
// Each of the steps in parentheses sees only one document and shares nothing with the
// others, so Config.Jobs goroutines can run them. The build puts their results back into
// input order before it seals the manifest. Unchanged documents of the old cache go
// straight from read to seal, and Markdown skips convert.
//
// # Determinism
//
// The same files and the same Config always produce the same cache, byte for byte. If a
// build fails, it always fails with the same error. Neither depends on the number of
// jobs or the platform, because nothing here reads a clock, a random source or the
// environment, every list is sorted by ID before it is hashed or written, and results
// are merged by position instead of arrival.
package pipeline

import (
	"cmp"
	"context"
	"errors"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

// Config says what to build and where. It is a build's only input besides the files.
type Config struct {
	Sources     []Mount        // directories of pages, in any order
	List        string         // file that names all pages, instead of Sources; see Build. "" means none
	Cache       string         // directory to create
	Force       bool           // replace Cache if it is a cache already
	NoReuse     bool           // compile every source instead of copying documents from the old cache
	Jobs        int            // documents in flight at once; 0 means one per CPU
	Filter      SourceFilter   // files to leave out; the zero value leaves out nothing
	Shard       Shard          // the part of the pages to build; the zero value means all pages
	SkipDrafts  bool           // leave out pages whose front matter has draft: true or published: false
	AllowEmpty  bool           // allow a cache without documents to replace a cache with some
	SkipInvalid bool           // leave out files that are not UTF-8 or cannot be converted instead of failing
	Selection   selection.Spec // of the new cache; "" means the same as the old cache, or Spec1 without an old cache
	About       document.About // of the new cache
	CreatedAt   string         // the manifest's created_at, RFC 3339; "" means 1970-01-01T00:00:00Z
	Observer    Observer       // receives the events of the build; may be nil

	slots *parallel.Room // shared with other builds; nil for a single build
}

// ErrEmpty is returned by builds without any documents if the old cache contains some.
// The usual reason is a typo in a path or a pattern.
var ErrEmpty = cache.ErrEmpty

// A Report is the result of a build.
type Report struct {
	Version   document.Version // of the cache
	Documents int              // in the cache
	Selection selection.Spec   // supported by the cache
	Written   bool             // false if the cache was up to date
	Changes   Changes
	Warnings  []Warning // files and front matter left out of the build, and why
}

// Build compiles the sources of cfg into a new cache at cfg.Cache.
//
// The cache appears complete or not at all: until Build succeeds, nothing changes at
// cfg.Cache, and if Build fails or ctx ends, it leaves no files. There is a single
// exception: if the system cannot sync the directory above the cache, Build fails with
// the new cache already in place, which may not survive a power failure. Use
// [fault.CodeOf] to tell errors apart. If the files are to blame, the Report contains the
// warnings about them.
//
// If cfg.List is set, the sources come from this file. Each of its lines contains the
// path of a page, which does not have to exist, a tab, and the path of the file to read,
// which may lie anywhere.
//
// With cfg.Force, a build keeps documents of the old cache if neither their sources nor
// the stages have changed. The result is the same as without the old cache.
func Build(ctx context.Context, cfg Config) (Report, error) {
	report, err := build(ctx, cfg)
	if errors.Is(err, cache.ErrPrevious) {
		cfg.NoReuse = true
		report, err = build(ctx, cfg)
	}
	return report, err
}

func build(ctx context.Context, cfg Config) (Report, error) {
	if err := cfg.check(); err != nil {
		return Report{}, err
	}
	roots, err := openRoots(ctx, cfg)
	if err != nil {
		return Report{}, err
	}
	defer roots.Close()
	cfg.About = aboutOf(cfg, roots)
	located, err := replace.Locate(cfg.Cache)
	if err := cmp.Or(err, roots.KeepApart(located, cfg.Cache)); err != nil {
		return Report{}, err
	}
	out, err := cache.Create(cfg.Cache, cache.CreateOptions{
		Replace: cfg.Force, NoReuse: cfg.NoReuse, Jobs: cfg.wholeJobs(),
		Recipe:        cache.Recipe{Compiler: stages.Versions, Selection: cmp.Or(cfg.Selection, selection.Spec1).Number(), About: cfg.About},
		KeepSelection: cfg.Selection == "",
	})
	if err != nil {
		return Report{}, err
	}
	defer out.Close()

	found, err := discover(ctx, roots, cfg)
	if err != nil {
		return Report{}, err
	}
	if err := found.KeepApart(located, cfg.Cache); err != nil {
		return Report{}, err
	}
	found = found.InShard(cfg.Shard) // after the checks of all sources
	c := compiler{newSourceReader(cfg), out, out.Previous(), out.Selection(), cfg.Observer, len(found.Documents)}
	all, err := outcomesOf(ctx, cfg, len(found.Documents), func(ctx context.Context, worker, i int) (outcome, error) {
		return c.compile(ctx, worker, found.Documents[i])
	})
	if err != nil {
		return Report{}, err
	}
	items, warnings, err := merge(found, all, cfg.SkipInvalid)
	if err != nil {
		return Report{Warnings: warnings}, err
	}
	found.Documents = nil // frees memory
	if len(items)+found.Elsewhere == 0 {
		if !cfg.AllowEmpty && out.ReplacesDocuments() {
			return Report{Warnings: warnings}, fault.Errorf(fault.IO, "%s %w", cfg.Cache, ErrEmpty)
		}
		warnings = append(warnings, noPagesFound)
	}
	changes, err := changesFrom(out.Previous(), items)
	if err != nil {
		return Report{}, err
	}
	leave, err := cfg.enter(ctx)
	if err != nil {
		return Report{}, err
	}
	defer leave()
	cfg.Observer.enter(Event{Stage: Seal, Total: c.total})
	defer cfg.Observer.enter(Event{Stage: Done, Total: c.total})
	m, written, err := out.Seal(ctx, items, cmp.Or(cfg.CreatedAt, cache.Epoch))
	if err != nil {
		return Report{}, err
	}
	return Report{m.Version, len(items), selection.SpecOf(m.Selection), written, changes, warnings}, nil
}

func (cfg Config) check() error {
	return cmp.Or(cfg.Selection.Check(), cfg.About.Check(), cfg.Shard.Check())
}

// openRoots opens the directories of the sources. A list needs none.
func openRoots(ctx context.Context, cfg Config) (sources.Roots, error) {
	if cfg.List != "" {
		return nil, nil
	}
	return sources.OpenRoots(ctx, cfg.Sources)
}

// aboutOf returns what the new cache is about. If the version of its product is missing, it is
// that of the only source, such as an installed package.
func aboutOf(cfg Config, roots sources.Roots) document.About {
	about := cfg.About
	if p := &about.Product; p.Name != "" && p.Version == "" {
		p.Version = roots.Version()
	}
	return about
}

func discover(ctx context.Context, roots sources.Roots, cfg Config) (sources.Discovery, error) {
	leave, err := cfg.enter(ctx)
	if err != nil {
		return sources.Discovery{}, err
	}
	defer leave()
	cfg.Observer.enter(Event{Stage: Discover})
	defer cfg.Observer.enter(Event{Stage: Done}) // otherwise, compiling would count as discovery
	if cfg.List != "" {
		return sources.DiscoverListed(ctx, cfg.List, cfg.Filter, cfg.wholeJobs())
	}
	return sources.Discover(ctx, roots, cfg.Filter, cfg.wholeJobs())
}
