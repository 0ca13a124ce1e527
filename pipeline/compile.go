package pipeline

import (
	"context"
	"errors"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/stages"
)

// A sourceReader reads sources. It limits how many bytes of sources are in memory at
// once.
type sourceReader struct {
	room       *parallel.Room // in bytes of sources
	grown      *parallel.Room // in bytes of pages that grew while they were converted
	buffers    *sync.Pool     // of *[]byte, for sources
	skipDrafts bool
}

// mostIdle is the size of the largest buffer to keep for another source. The buffer of a larger
// source would take memory that no [parallel.Room] counts.
const mostIdle = 256 << 10

// newSourceReader returns a reader with enough room for the largest source.
func newSourceReader(cfg Config) sourceReader {
	return sourceReader{
		room: parallel.NewRoom(document.MaxSize), grown: parallel.NewRoom(document.MaxSize),
		buffers: &sync.Pool{New: func() any { return new([]byte) }}, skipDrafts: cfg.SkipDrafts,
	}
}

// convertingRoom is how many bytes of room a byte of a page to convert takes: its elements
// need up to twice the memory of the blocks that the parser finds in a byte of Markdown.
const convertingRoom = 2

// with reads a source and calls use with its text before any conversion. The text is valid
// until use returns. It skips Markdown in other encodings than UTF-8, and drafts if these
// are unwanted.
func (r sourceReader) with(ctx context.Context, source sources.Source, use func(stages.Text) (outcome, error)) (outcome, error) {
	file, err := sources.Open(source)
	if err != nil {
		return outcome{}, err
	}
	defer file.Close()
	size := file.Size()
	if stages.ConverterOf(source.Path) != "" {
		size *= convertingRoom
	}
	leave, err := r.room.Enter(ctx, size)
	if err != nil {
		return outcome{}, err
	}
	defer leave()
	buf := r.buffers.Get().(*[]byte)
	defer r.buffers.Put(buf)
	text, err := stages.Read(file, *buf)
	if errors.Is(err, stages.ErrNotUTF8) {
		return outcome{skip: err}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	if cap(text.Content) <= mostIdle {
		*buf = text.Content
	}
	if r.skipDrafts && stages.IsDraft(text) {
		return outcome{skip: errDraft}, nil
	}
	return use(text)
}

// convert converts a text unless it is Markdown, and calls use with the result.
func (r sourceReader) convert(ctx context.Context, text stages.Text, use func(stages.Text) (outcome, error)) (outcome, error) {
	converted, err := stages.Convert(ctx, text)
	switch {
	case errors.Is(err, stages.ErrNoPage), errors.Is(err, stages.ErrUnconvertible):
		return outcome{skip: err}, nil
	case err != nil:
		return outcome{}, err
	}
	if len(converted.Content) > convertingRoom*len(text.Content) {
		// Only pages that hold room already wait here, so they cannot wait for each other.
		leave, err := r.grown.Enter(ctx, int64(len(converted.Content)))
		if err != nil {
			return outcome{}, err
		}
		defer leave()
	}
	result, err := use(converted)
	result.item.Note(cache.Notes{Converter: converted.Conversion.Converter})
	return result, err
}

// find returns the document of a text before any conversion, if the old cache contains it.
func find(previous *cache.Previous, text stages.Text) (item cache.NewDocument, found bool, err error) {
	converter := stages.ConverterOf(text.Path)
	if converter == "" {
		return previous.Find(text.ID, text.Path, text.Content, stages.DialectKey, text.IsNormalizedTo)
	}
	item, found, err = previous.FindConverted(text.ID, text.Path, text.IsConvertedTo)
	item.Note(cache.Notes{Converter: converter})
	return item, found, err
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

// An outcome is the result for one source: either its item, or why it is skipped.
type outcome struct {
	item cache.NewDocument
	skip error // stages.ErrNotUTF8, stages.ErrNoPage, errDraft, or an error that begins with the path; or nil
}

var errDraft = errors.New("it is a draft")

func (c compiler) compile(ctx context.Context, worker int, source sources.Source) (o outcome, err error) {
	at := Read
	enter := func(stage Stage) {
		at = stage
		c.observer.enter(Event{stage, worker + 1, source.Path, c.total})
	}
	defer enter(Done)
	defer rescue(source, &at, &o, &err)

	enter(Read)
	return c.with(ctx, source, func(text stages.Text) (outcome, error) {
		// If the old document cannot be read, compile the source again instead of failing.
		if item, found, _ := find(c.previous, text); found {
			return outcome{item: item}, nil
		}
		if stages.ConverterOf(source.Path) != "" {
			enter(Convert)
		}
		return c.convert(ctx, text, func(text stages.Text) (outcome, error) {
			enter(Parse)
			tree := stages.Parse(text)
			enter(Normalize)
			doc := stages.Normalize(tree)
			enter(Hash)
			doc = stages.Hash(doc)
			enter(Index)
			page := stages.Index(c.out.Terms(), c.selection, doc, tree.Body)
			enter(Write)
			item, err := c.out.Put(doc, page)
			item.Note(cache.Notes{Warning: tree.Warning})
			return outcome{item: item}, err
		})
	})
}
