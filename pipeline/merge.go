package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/stages"
)

// leftOut collects the sources to leave out, in their order.
type leftOut struct {
	names         []string // not UTF-8
	invalid       []sources.Source
	unconvertible []unconvertible
	noPages       []string // paths
	drafts        []string // paths
}

type unconvertible struct {
	source sources.Source
	err    error // begins with the path
}

// outcomes collects the outcomes for all sources. Only the items are in a list, because a
// build keeps one for each source in memory, and usually skips few.
type outcomes struct {
	items []cache.NewDocument // by source

	mu struct {
		sync.Mutex
		skipped map[int]error // by source
	}
}

// outcomesOf runs a step for each source.
func outcomesOf(ctx context.Context, cfg Config, n int, run parallel.Step[outcome]) (all *outcomes, err error) {
	all = &outcomes{}
	all.mu.skipped = map[int]error{}
	all.items, err = each(ctx, cfg, n, func(ctx context.Context, worker, i int) (cache.NewDocument, error) {
		o, err := run(ctx, worker, i)
		if o.skip != nil {
			all.mu.Lock()
			defer all.mu.Unlock()
			all.mu.skipped[i] = o.skip
		}
		return o.item, err
	})
	return all, err
}

var noPagesFound = Warning{Text: "no pages found: the cache is empty"}

// merge returns the items and the warnings in the order of the sources. Unless
// skipInvalid is set, it fails if any source is not UTF-8 or cannot be converted, and names
// all of them; the warnings are about the other sources then. It reuses the list in all.
func merge(found sources.Discovery, all *outcomes, skipInvalid bool) ([]cache.NewDocument, []Warning, error) {
	items := all.items[:0]
	var pointers []string
	warnings := found.Warnings
	left := leftOut{names: found.Invalid}
	for i, item := range all.items {
		source := found.Documents[i]
		if why := all.mu.skipped[i]; why != nil {
			left.add(source, why)
			continue
		}
		items = append(items, item)
		text := item.Notes().Warning
		if path, isPointer := strings.CutSuffix(text, stages.PointerWarning); isPointer {
			pointers = append(pointers, path)
		} else if text != "" {
			warnings = append(warnings, Warning{Text: text, File: source.File()})
		}
	}
	if len(pointers) > 0 {
		warnings = append(warnings, Warning{Text: "pages are Git LFS pointers, so their text is missing until you run git lfs pull " + firstOf(pointers)})
	}
	err := left.err()
	if err != nil && !skipInvalid {
		return nil, append(warnings, left.counts()...), err
	}
	warnings = append(append(warnings, left.warnings()...), left.counts()...)
	return items, warnings, nil
}

func (l *leftOut) add(source sources.Source, why error) {
	switch {
	case errors.Is(why, stages.ErrNotUTF8):
		l.invalid = append(l.invalid, source)
	case errors.Is(why, errDraft):
		l.drafts = append(l.drafts, source.Path)
	case !errors.Is(why, stages.ErrNoPage):
		l.unconvertible = append(l.unconvertible, unconvertible{source, why})
	case !source.IsInGoModule(): // a command or a package that exports nothing needs no warning
		l.noPages = append(l.noPages, source.Path)
	}
}

// warnings returns a warning for each file that is skipped because it is invalid.
func (l leftOut) warnings() (all []Warning) {
	for _, path := range l.names {
		all = append(all, Warning{Text: path + ": the name is not UTF-8, so it is skipped"})
	}
	for _, source := range l.invalid {
		all = append(all, Warning{Text: source.Path + ": not UTF-8, so it is skipped", File: source.File()})
	}
	for _, u := range l.unconvertible {
		all = append(all, Warning{Text: u.err.Error() + ", so it is skipped", File: u.source.File()})
	}
	return all
}

// counts returns the warnings about files that a build never takes.
func (l leftOut) counts() (all []Warning) {
	if len(l.noPages) > 0 {
		all = append(all, Warning{Text: "files without a page are skipped " + firstOf(l.noPages)})
	}
	if len(l.drafts) > 0 {
		all = append(all, Warning{Text: "drafts are skipped " + firstOf(l.drafts)})
	}
	return all
}

// firstOf returns the number of paths and the first few of them.
func firstOf(paths []string) string {
	const named = 3
	names := strings.Join(paths[:min(named, len(paths))], ", ")
	if more := len(paths) - named; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("(%d): %s", len(paths), names)
}

// err returns an error with every invalid source, or nil.
func (l leftOut) err() error {
	var rename, convert, broken []string
	for _, name := range l.names {
		rename = append(rename, strconv.Quote(name))
	}
	for _, source := range l.invalid {
		convert = append(convert, strconv.Quote(source.Path))
	}
	for _, u := range l.unconvertible {
		broken = append(broken, u.err.Error())
	}
	var todo []string
	if rename != nil {
		todo = append(todo, "rename "+strings.Join(rename, ", "))
	}
	if convert != nil {
		todo = append(todo, "convert "+strings.Join(convert, ", "))
	}
	notUTF8 := fault.Errorf(fault.IO, "sources are %w: %s", stages.ErrNotUTF8, strings.Join(todo, "; "))
	unconvertible := fault.Errorf(fault.IO, "sources %w: %s", stages.ErrUnconvertible, strings.Join(broken, "; "))
	switch {
	case todo == nil && broken == nil:
		return nil
	case todo == nil:
		return unconvertible
	case broken == nil:
		return notUTF8
	}
	return fault.Errorf(fault.IO, "%w; %w", notUTF8, unconvertible)
}
