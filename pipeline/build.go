// Package pipeline compiles a tree of Markdown files into a cache. Start with [Build].
// [Check] reports whether a cache is up to date.
//
// A build is eight steps, and data only ever moves to the right:
//
//	discover → ( read → parse → normalize → hash → index → write ) → seal
//	 one list           once a document, in parallel            one manifest
//
// The steps in parentheses see one document each and share nothing, so Config.Jobs
// goroutines run them. The build puts their results back into input order before it
// seals the manifest. A document that the old cache has already goes straight from
// read to seal.
//
// # Determinism
//
// The same files and the same Config make the same cache, byte for byte, and on
// failure the same error, with any number of jobs and on every platform. Nothing here
// reads a clock, a random source or the environment. Every list is sorted by ID before
// it is hashed or written. Results are merged by position, never by arrival.
package pipeline

import (
	"cmp"
	"context"
	"errors"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/replace"
	"github.com/contextcompiler/context/internal/sources"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

// Config says what to build and where. It is a build's only input besides the
// files.
type Config struct {
	Sources     []Mount        // directories of pages, in any order
	List        string         // file that names all pages, instead of Sources; see Build. "" means none
	Cache       string         // directory to make
	Force       bool           // replace Cache if it is a cache already
	NoReuse     bool           // compile every source, and copy none from the old cache
	Jobs        int            // documents in flight at once; 0 means one per processor
	Filter      SourceFilter   // files to leave out; zero leaves out none
	SkipDrafts  bool           // leave out pages whose front matter has draft: true or published: false
	AllowEmpty  bool           // let a cache without documents replace one that has some
	SkipInvalid bool           // leave out files that are not UTF-8 instead of failing
	Selection   selection.Spec // of the new cache; "" means the selection of the old one, and Spec1 without an old one
	About       document.About // of the new cache
	CreatedAt   string         // the manifest's created_at, RFC 3339; "" means 1970-01-01T00:00:00Z
	Observer    Observer       // receives the events of the build; may be nil

	slots *slots // of several builds; nil for one alone
}

// ErrEmpty is the error of a build that finds no documents and would replace a cache
// that has some. Often a path or a pattern is mistyped.
var ErrEmpty = errors.New("has documents, and there is nothing to replace them")

// A Report is the result of a build.
type Report struct {
	Version   document.Version // of the cache
	Documents int              // in the cache
	Selection selection.Spec   // that the cache is built for
	Written   bool             // false if the cache was up to date
	Changes   Changes
	Warnings  []Warning // files and front matter that the build left out, and why
}

// Build compiles the sources of cfg into a new cache at cfg.Cache.
//
// The cache appears whole or not at all: until Build succeeds, nothing changes
// at cfg.Cache, and when it fails or ctx ends, it leaves nothing behind. One
// failure comes later: if the system cannot sync the directory that holds the
// cache, the new cache is in place, but may not outlive a loss of power. Errors
// that a caller can act on have a code of package fault.
//
// With cfg.List, the sources are the lines of that file: the path of a page, which need
// not exist, a tab, and the path of the file to read, which may lie anywhere.
//
// With cfg.Force, a build takes documents over from the old cache if their sources and
// the stages are the same. The result does not show it.
func Build(ctx context.Context, cfg Config) (Report, error) {
	report, err := build(ctx, cfg)
	if errors.Is(err, cache.ErrPrevious) {
		cfg.NoReuse = true
		report, err = build(ctx, cfg)
	}
	return report, err
}

func build(ctx context.Context, cfg Config) (Report, error) {
	if err := cmp.Or(cfg.Selection.Check(), cfg.About.Check()); err != nil {
		return Report{}, err
	}
	roots, err := openRoots(cfg)
	if err != nil {
		return Report{}, err
	}
	defer roots.Close()
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
	c := compiler{newSourceReader(cfg), out, out.Previous(), out.Selection(), cfg.Observer, len(found.Documents)}
	outcomes, err := each(ctx, cfg, len(found.Documents), func(ctx context.Context, worker, i int) (outcome, error) {
		return c.compile(ctx, worker, found.Documents[i])
	})
	if err != nil {
		return Report{}, err
	}
	items, warnings, err := merge(found, outcomes, cfg.SkipInvalid)
	if err != nil {
		return Report{}, err
	}
	if len(items) == 0 && !cfg.AllowEmpty && out.ReplacesDocuments() {
		return Report{}, fault.Errorf(fault.IO, "%s %w", cfg.Cache, ErrEmpty)
	}
	changes := changesFrom(out.Previous(), items)
	leave, err := cfg.slots.enter(ctx)
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
	return Report{m.Version, len(m.Documents), selection.SpecOf(m.Selection), written, changes, warnings}, nil
}

// openRoots opens the directories of the sources. A list has none.
func openRoots(cfg Config) (sources.Roots, error) {
	if cfg.List != "" {
		return nil, nil
	}
	return sources.OpenRoots(cfg.Sources)
}

func discover(ctx context.Context, roots sources.Roots, cfg Config) (sources.Discovery, error) {
	leave, err := cfg.slots.enter(ctx)
	if err != nil {
		return sources.Discovery{}, err
	}
	defer leave()
	cfg.Observer.enter(Event{Stage: Discover})
	defer cfg.Observer.enter(Event{Stage: Done}) // or the documents would count as discovery
	if cfg.List != "" {
		return sources.DiscoverListed(ctx, cfg.List, cfg.Filter, cfg.wholeJobs())
	}
	return sources.Discover(ctx, roots, cfg.Filter, cfg.wholeJobs())
}
