package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/parallel"
	"github.com/contextcompiler/context/selection"
)

// A Request is a question to a cache.
type Request struct {
	Query     selection.Query
	Budget    uint64    // tokens
	Selection Selection // zero: the one that the cache was built for
	Unit      Unit      // zero: the one that the selection is made for
	Pretty    bool      // two-space JSON instead of compact
	Jobs      int       // documents in flight at once; 0 means one a processor; at most 8

	// Discardable says that the caller throws away the output if Resolve fails.
	// Then a document may be written before the next one is checked, so that
	// each is read once and none is kept.
	Discardable bool
}

// A Selection says by which rules a request is answered (docs/selection.md). It
// is the number of the selection plus 1, but for AsBuilt.
type Selection int

// The selections that there are.
const (
	AsBuilt    Selection = iota // the one that the cache was built for
	Selection0                  // by the share of words that match
	Selection1                  // by BM25F of sections
)

// A Unit says what is selected.
type Unit int

// Units. Selection 0 knows documents alone.
const (
	AnyUnit   Unit = iota // sections by selection 1, documents by selection 0
	Documents             // whole
	Sections              // the sections of documents
)

// ErrUnit is the error of opening a cache for a request for sections if it is to
// be answered by selection 0.
var ErrUnit = errors.New("selection 0 selects documents, not sections")

// Open opens the cache at path for a request, with its index if that serves it.
// It fails as [cache.OpenToSelect] does, and with [ErrUnit].
func Open(path string, request Request) (*cache.Cache, error) {
	c, err := cache.OpenToSelect(path)
	if err != nil {
		return nil, err
	}
	if c.Index != nil && selectionFor(c, request) != asBuilt(c) {
		c.Close()
		return OpenWhole(path, request) // its index is for the other selection
	}
	return checked(c, request)
}

// OpenWhole is Open without the index.
func OpenWhole(path string, request Request) (*cache.Cache, error) {
	c, err := cache.Open(path)
	if err != nil {
		return nil, err
	}
	return checked(c, request)
}

// checked returns c if it can serve a request, and else closes it.
func checked(c *cache.Cache, request Request) (*cache.Cache, error) {
	if request.Unit == Sections && selectionFor(c, request) == Selection0 {
		c.Close()
		return nil, ErrUnit
	}
	return c, nil
}

// selectionFor returns the selection that a request to a cache is for.
func selectionFor(c *cache.Cache, request Request) Selection {
	if request.Selection == AsBuilt {
		return asBuilt(c)
	}
	return request.Selection
}

// asBuilt returns the selection that a cache was built for.
func asBuilt(c *cache.Cache) Selection { return Selection(c.Manifest.Selection) + Selection0 }

// Bounds on what Resolve has in memory at once, besides a line a document.
const (
	maxResolveJobs = 8
	largeSize      = 1 << 20 // of a document's file: one of these at a time
	maxHeld        = 8 << 20 // contents that wait to be written
)

// Resolve writes the selection of c's documents for the request to out, as it
// goes. With an index, only the documents that are selected are read; without,
// every document streams through scoring in bounded memory and is checked
// against the manifest on the way. The result is the same, and nothing is
// written before all that is selected has been checked, unless the output is
// discardable. An error of out ends the work at once.
//
// It fails with [fault.CacheInvalid] if a document is not what the manifest
// says, and with [fault.IO] if the system refuses or out to be written.
func Resolve(ctx context.Context, c *cache.Cache, request Request, out io.Writer) error {
	answer, err := answerTo(ctx, c, request)
	if err != nil {
		return err
	}
	documents := bundle{cache: c, reader: c.NewReader(), checked: answer.checked, finish: answer.finish}
	if !request.Discardable {
		if err := documents.hold(ctx, answer.chosen); err != nil {
			return err
		}
	}
	result := selection.NewResultWriter(out, request.Query, answer.terms, request.Pretty)
	for i, choice := range answer.chosen {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		p, err := documents.printed(i, choice)
		if err != nil {
			return err
		}
		if err := result.Document(p.version, p.content, p.item); err != nil {
			return writeError(err)
		}
	}
	return writeError(result.Close(answer.totals))
}

// writeError says that a result cannot be written. A nil err is nil.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	return fault.Errorf(fault.IO, "write the result: %w", err)
}

// An answer is what was selected for a request.
type answer struct {
	terms   []string // that the query was taken to have
	chosen  []choice // in the order of the result
	totals  selection.Totals
	checked bool // every document was read and checked
	finish  finisher
}

// A choice is a document, or a part of one, that was selected. What else a result
// says of it is seen when it is read.
type choice struct {
	entry   cache.Entry
	item    selection.Item
	ordinal uint32 // of a section
	size    int    // bytes to print, as far as it is known
}

// A printed is what a result says of a choice.
type printed struct {
	version document.Version
	content []byte
	item    selection.Item
}

// A finisher returns what is printed of a choice, whose document was read by then
// and is what the manifest says. It fails if the choice cannot have been made of
// that document.
type finisher func(choice, document.Document) (printed, error)

// answerTo selects, by the index if there is one.
func answerTo(ctx context.Context, c *cache.Cache, request Request) (answer, error) {
	if selectionFor(c, request) == Selection1 {
		return answerByRank(ctx, c, request)
	}
	chosen, selected, err := choose(ctx, c, request)
	return answer{
		terms: request.Query.Terms(), chosen: chosen, totals: selected.Totals(request.Budget),
		checked: c.Index == nil, finish: wholeDocument(c),
	}, err
}

// wholeDocument returns what finishes the choice of a document. One whose size is
// another than it was chosen by was chosen by an index that is not its cache's.
func wholeDocument(c *cache.Cache) finisher {
	return func(chosen choice, doc document.Document) (printed, error) {
		if selection.TokensOf(len(doc.Content)) != chosen.item.Tokens {
			return printed{}, c.Index.Disproved("%s has %d bytes", chosen.entry.ID, len(doc.Content))
		}
		return printed{doc.Version, doc.Content, chosen.item}, nil
	}
}

// choose selects documents by selection 0.
func choose(ctx context.Context, c *cache.Cache, request Request) ([]choice, selection.Selection, error) {
	if c.Index != nil {
		return chooseByIndex(ctx, c.Index, request)
	}
	candidates, err := score(ctx, c, request.Query, newReaders(c, resolveJobs(request.Jobs)))
	if err != nil {
		return nil, selection.Selection{}, err
	}
	selected := selection.Select(candidates, request.Budget)
	chosen := make([]choice, len(selected.Chosen))
	for i, position := range selected.Chosen {
		chosen[i] = choice{entry: c.Manifest.Documents[position], item: candidates[position].Item()}
	}
	return chosen, selected, nil
}

// score reads, checks and scores every document of c.
func score(ctx context.Context, c *cache.Cache, query selection.Query, readers *readers) ([]selection.Candidate, error) {
	return parallel.Each(ctx, len(readers.own), c.Manifest.Documents,
		func(_ context.Context, worker int, entry cache.Entry) (selection.Candidate, error) {
			reader, done := readers.take(worker, entry)
			defer done()
			doc, err := reader.Read(entry)
			if err != nil {
				return selection.Candidate{}, err
			}
			return selection.Candidate{
				ID:     entry.ID,
				Tokens: selection.TokensOf(len(doc.Content)),
				Match:  query.Match(doc.Content),
			}, nil
		})
}

func resolveJobs(jobs int) int {
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	return min(jobs, maxResolveJobs)
}

// readers are the readers of some workers, one each, and one that they share
// for large documents, so that only one of these is in memory.
type readers struct {
	cache *cache.Cache
	own   []*cache.Reader
	large struct {
		sync.Mutex
		reader *cache.Reader
	}
}

func newReaders(c *cache.Cache, workers int) *readers {
	r := &readers{cache: c}
	for range workers {
		r.own = append(r.own, c.NewReader())
	}
	r.large.reader = c.NewReader()
	return r
}

// take returns the reader with which worker is to read entry, and what to call
// when it is done with the document.
func (r *readers) take(worker int, entry cache.Entry) (reader *cache.Reader, done func()) {
	if size, _ := r.cache.FileSize(entry); size < largeSize { // reading will say what is wrong
		return r.own[worker], func() {}
	}
	r.large.Lock()
	return r.large.reader, r.large.Unlock
}

// A bundle yields what is printed of choices, which nobody has kept. It reads and
// checks all of it before anything is printed, unless scoring has checked it.
// The first maxHeld bytes, which are all for any usual budget, it keeps; the rest
// it reads and checks again when its turn comes.
type bundle struct {
	cache   *cache.Cache
	reader  *cache.Reader
	checked bool
	finish  finisher
	held    []printed

	last document.Document // that the reader has read
}

// hold reads what was chosen and keeps it as far as there is room.
func (b *bundle) hold(ctx context.Context, chosen []choice) error {
	room := maxHeld
	for _, c := range chosen {
		size, err := b.sizeOf(c)
		room -= size
		if err != nil || room < 0 && b.checked {
			return err
		}
		p, err := b.read(c)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return err
		}
		if room >= 0 {
			p.content = bytes.Clone(p.content)
			b.held = append(b.held, p)
		}
	}
	return nil
}

// sizeOf returns about how many bytes are printed of a choice.
func (b *bundle) sizeOf(c choice) (int, error) {
	if c.size > 0 {
		return c.size, nil
	}
	size, err := b.cache.FileSize(c.entry)
	return int(size), err
}

// printed returns what is printed of the i-th choice. It is valid until the next
// call.
func (b *bundle) printed(i int, c choice) (printed, error) {
	if i < len(b.held) {
		return b.held[i], nil
	}
	return b.read(c)
}

// read reads and checks the document of a choice, if the last was another.
func (b *bundle) read(c choice) (p printed, err error) {
	if b.last.ID != c.entry.ID || b.last.Content == nil {
		if b.last, err = b.reader.Read(c.entry); err != nil {
			return printed{}, err
		}
	}
	return b.finish(c, b.last)
}
