package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/parallel"
	"github.com/contextcompiler/context/internal/sources"
	"github.com/contextcompiler/context/stages"
)

// A sourceReader reads sources. It limits how many bytes of sources are in memory at
// once.
type sourceReader struct {
	room       *parallel.Room // in bytes of sources
	skipDrafts bool
}

// newSourceReader returns a reader with enough room for the largest source.
func newSourceReader(cfg Config) sourceReader {
	return sourceReader{parallel.NewRoom(document.MaxSize), cfg.SkipDrafts}
}

// with reads a source and calls use with its text, which is valid until use returns. It
// skips texts in other encodings than UTF-8, and drafts if these are unwanted.
func (r sourceReader) with(ctx context.Context, source sources.Source, use func(stages.Text) (outcome, error)) (outcome, error) {
	file, err := sources.Open(source)
	if err != nil {
		return outcome{}, err
	}
	defer file.Close()
	leave, err := r.room.Enter(ctx, file.Size())
	if err != nil {
		return outcome{}, err
	}
	defer leave()
	text, err := stages.Read(file)
	if errors.Is(err, stages.ErrNotUTF8) {
		return outcome{invalid: true}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	if r.skipDrafts && stages.IsDraft(text) {
		return outcome{draft: true}, nil
	}
	return use(text)
}

// A compiler takes sources through the stages.
type compiler struct {
	sourceReader
	out       *cache.Writer
	previous  *cache.Previous // nil without an old cache
	selection int
	observer  Observer
	total     int
}

// An outcome is the result for one source.
type outcome struct {
	item    cache.NewDocument
	invalid bool // skipped because it is not UTF-8
	draft   bool // skipped
}

func (c compiler) compile(ctx context.Context, worker int, source sources.Source) (_ outcome, err error) {
	defer func() { // otherwise, a panic would not name the page causing it
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %w", source.Path, fault.Recovered(p))
		}
	}()
	enter := func(stage Stage) {
		c.observer.enter(Event{stage, worker + 1, source.Path, c.total})
	}
	defer enter(Done)

	enter(Read)
	return c.with(ctx, source, func(text stages.Text) (outcome, error) {
		// If the old document cannot be read, compile the source again instead of failing.
		if item, found, _ := c.previous.Find(source.ID, source.Path, text.Content, text.IsNormalizedTo); found {
			return outcome{item: item}, nil
		}
		enter(Parse)
		tree, err := stages.Parse(text)
		if err != nil {
			return outcome{}, err
		}
		enter(Normalize)
		draft := stages.Normalize(tree)
		enter(Hash)
		doc := stages.Hash(draft)
		enter(Index)
		page := stages.Index(c.out.Terms(), c.selection, doc, tree.Body)
		enter(Write)
		item, err := c.out.Put(doc, page)
		item.Warning = tree.Warning
		return outcome{item: item}, err
	})
}

// merge returns the items and the warnings in the order of the sources. Unless
// skipInvalid is set, it fails if any source is not UTF-8, and names all of them.
func merge(found sources.Discovery, outcomes []outcome, skipInvalid bool) ([]cache.NewDocument, []Warning, error) {
	items := make([]cache.NewDocument, 0, len(outcomes))
	warnings := found.Warnings
	var invalid []sources.Source
	var drafts []string
	for i, r := range outcomes {
		switch source := found.Documents[i]; {
		case r.invalid:
			invalid = append(invalid, source)
		case r.draft:
			drafts = append(drafts, source.Path)
		default:
			items = append(items, r.item)
			if r.item.Warning != "" {
				warnings = append(warnings, Warning{Text: r.item.Warning, File: source.File()})
			}
		}
	}
	names := found.Invalid
	if len(names)+len(invalid) > 0 && !skipInvalid {
		return nil, nil, notUTF8(names, invalid)
	}
	for _, path := range names {
		warnings = append(warnings, Warning{Text: path + ": the name is not UTF-8, so it is skipped"})
	}
	for _, source := range invalid {
		warnings = append(warnings, Warning{Text: source.Path + ": not UTF-8, so it is skipped", File: source.File()})
	}
	if len(drafts) > 0 {
		warnings = append(warnings, Warning{Text: draftsLeftOut(drafts)})
	}
	if len(items) == 0 {
		warnings = append(warnings, Warning{Text: "no pages found: the cache is empty"})
	}
	return items, warnings, nil
}

// draftsLeftOut returns a warning with the number of drafts and the names of the first
// few.
func draftsLeftOut(paths []string) string {
	const named = 3
	names := strings.Join(paths[:min(named, len(paths))], ", ")
	if more := len(paths) - named; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("drafts are skipped (%d): %s", len(paths), names)
}

// notUTF8 returns an error that lists every source whose name or content is not UTF-8.
func notUTF8(names []string, contents []sources.Source) error {
	var what []string
	if len(names) > 0 {
		what = append(what, "rename "+quoteAll(names))
	}
	if len(contents) > 0 {
		what = append(what, "convert "+quoteAll(pathsOf(contents)))
	}
	return fault.Errorf(fault.IO, "sources are %w: %s", stages.ErrNotUTF8, strings.Join(what, "; "))
}

func pathsOf(all []sources.Source) []string {
	paths := make([]string, len(all))
	for i, source := range all {
		paths[i] = source.Path
	}
	return paths
}

func quoteAll(paths []string) string {
	quoted := make([]string, len(paths))
	for i, path := range paths {
		quoted[i] = strconv.Quote(path)
	}
	return strings.Join(quoted, ", ")
}
