package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"runtime"
	"sync"

	"github.com/contextcompiler/context/cache"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/parallel"
	"github.com/contextcompiler/context/selection"
)

// A Request is a question to a cache.
type Request struct {
	Query  selection.Query
	Budget uint64 // tokens
	Pretty bool   // two-space JSON instead of compact
	Jobs   int    // documents in flight at once; 0 means one a processor; at most 8
}

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
// written before all that is selected has been checked.
//
// It fails with [fault.CacheInvalid] if a document is not what the manifest
// says, and with [fault.IO] if the system refuses to read or out to be written.
func Resolve(ctx context.Context, c *cache.Cache, request Request, out io.Writer) error {
	chosen, selected, err := choose(ctx, c, request)
	if err != nil {
		return err
	}
	documents := bundle{cache: c, reader: c.NewReader()}
	if err := documents.hold(ctx, chosen); err != nil {
		return err
	}
	result := selection.NewResultWriter(out, request.Query, request.Pretty)
	for i, document := range chosen {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		content, err := documents.content(i, document)
		if err != nil {
			return err
		}
		result.Document(document.entry.Version, content, document.candidate)
	}
	if err := result.Close(request.Budget, selected); err != nil {
		return fault.Errorf(fault.IO, "write the result: %w", err)
	}
	return nil
}

// A choice is a document that was selected.
type choice struct {
	entry     cache.Entry
	candidate selection.Candidate
}

// choose selects documents, by the index if there is one.
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
		chosen[i] = choice{c.Manifest.Documents[position], candidates[position]}
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

// A bundle yields the contents of the documents that were selected, which nobody
// has kept. It reads and checks all of them before anything is printed, unless
// scoring has checked them. The first maxHeld bytes, which are all for any usual
// budget, it keeps; the rest it reads and checks again when its turn comes.
type bundle struct {
	cache  *cache.Cache
	reader *cache.Reader
	held   [][]byte
}

// hold reads the documents that were chosen and keeps them as far as there is
// room.
func (b *bundle) hold(ctx context.Context, chosen []choice) error {
	checked := b.cache.Index == nil
	room := maxHeld
	for _, document := range chosen {
		size, err := b.cache.FileSize(document.entry)
		room -= int(size)
		if err != nil || room < 0 && checked {
			return err
		}
		content, err := b.read(document)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return err
		}
		if room >= 0 {
			b.held = append(b.held, bytes.Clone(content))
		}
	}
	return nil
}

// content returns the content of the i-th document that was chosen. It is valid
// until the next call.
func (b *bundle) content(i int, document choice) ([]byte, error) {
	if i < len(b.held) {
		return b.held[i], nil
	}
	return b.read(document)
}

// read reads and checks a document. One whose size is another than it was chosen
// by was chosen by an index that is not its cache's.
func (b *bundle) read(document choice) ([]byte, error) {
	doc, err := b.reader.Read(document.entry)
	if err == nil && selection.TokensOf(len(doc.Content)) != document.candidate.Tokens {
		err = b.cache.Index.Disproved("%s has %d bytes", document.entry.ID, len(doc.Content))
	}
	return doc.Content, err
}
