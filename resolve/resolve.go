// Package resolve answers questions from caches that package pipeline has built.
//
// [Open] opens a cache, and [OpenAll] opens several that answer as if they were a single cache.
// Then [Docs.Resolve] writes the answer to a question as JSON, [Docs.Select] returns sections as
// values, which are the same if the answer is by selection 1, and [Docs.Rank] yields sections as
// long as the caller wants more. [Docs.Explain] says why an answer contains some sections and not
// others.
//
// The same question to the same caches always gets the same answer, byte for byte. Nothing is
// returned before it has been compared with the checksums of its cache.
//
// Failures carry a code of package fault: a missing directory is [fault.CacheMissing], a
// document or an index that contradicts its checksum is [fault.CacheInvalid], an invalid
// request is [fault.InvalidQuery], and [fault.IO] means that the operating system refused.
package resolve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/selection"
)

// Docs are the documents of one or several open caches. A rebuild replaces the directory
// of a cache, but open Docs keep what they have opened. They are safe for concurrent use.
type Docs struct{ set *answers.Set }

// Open opens the cache at path. With an index, which builds write, this takes the same
// time for any number of documents, and only [Docs.Verify] finds damage in documents that
// no answer contains. Close the Docs when you no longer need them.
func Open(path string) (*Docs, error) { return OpenAll(map[string]string{"": path}) }

// OpenAll opens caches by their names, so that a question goes to all of them. Answers
// then contain IDs such as "guide:install.md", because two caches may contain the same
// path. Names must not contain a colon.
func OpenAll(paths map[string]string) (*Docs, error) {
	var members []answers.Member
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		c, err := answers.Open(paths[name])
		if err != nil {
			closeAll(members)
			return nil, err
		}
		members = append(members, answers.Member{Name: name, Cache: c})
	}
	set, err := answers.NewSet(members)
	if err != nil {
		closeAll(members)
		return nil, err
	}
	return &Docs{set}, nil
}

func closeAll(members []answers.Member) {
	for _, m := range members {
		m.Close()
	}
}

// Close closes the caches. Nothing else can be called afterwards.
func (d *Docs) Close() { closeAll(d.set.Members()) }

// Verify reads the caches completely and compares every file with its checksum.
func (d *Docs) Verify(ctx context.Context) error {
	for _, m := range d.set.Members() {
		if err := m.Verify(ctx, 0); err != nil {
			return err
		}
	}
	return nil
}

// Versions returns the cache_version of each cache in the order of their names. Open a path
// again and compare the versions to notice a rebuild.
func (d *Docs) Versions() (all []document.Version) {
	for _, m := range d.set.Members() {
		all = append(all, m.Version())
	}
	return all
}

// Documents returns the IDs of all documents: cache by cache in the order of their names, and
// sorted within each cache.
func (d *Docs) Documents() ([]document.ID, error) {
	var all []document.ID
	for _, m := range d.set.Members() {
		ids, err := m.Documents()
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			all = append(all, named(m.Name, id))
		}
	}
	return all, nil
}

// Read returns the document with an ID from [Docs.Documents] or an answer. It fails with
// [fs.ErrNotExist] if there is no such document.
func (d *Docs) Read(id document.ID) (document.Document, error) {
	for _, m := range slices.Backward(d.set.Members()) { // a cache without a name comes last
		if local, isOfMember := strings.CutPrefix(string(id), string(named(m.Name, ""))); isOfMember {
			return m.Read(document.ID(local))
		}
	}
	return document.Document{}, fmt.Errorf("no cache contains %q: %w", id, fs.ErrNotExist)
}

// named returns an ID with the name of its cache.
func named(name string, id document.ID) document.ID {
	if name == "" {
		return id
	}
	return document.ID(name) + ":" + id
}

// Resolve writes the answer to a request to out as JSON, in the fields that docs/contract.md
// fixes. It checks all selected documents before it writes the first, unless the request is
// discardable. It fails with [selection.ErrUnit] if selection 0 should answer with sections.
func (d *Docs) Resolve(ctx context.Context, request selection.Request, out io.Writer) error {
	return d.set.Resolve(ctx, request, out)
}

// Explain selects like Resolve, and explains the score and the verdict of each selected
// item and of at most others of the remaining items.
func (d *Docs) Explain(ctx context.Context, request selection.Request, others int) (selection.Explanation, error) {
	return d.set.Explain(ctx, request, others)
}

// An Excerpt is a section that answers a question, or a whole page if the request asks for
// [selection.Documents].
type Excerpt struct {
	ID      document.ID      // of the page; [Docs.Read] returns the whole page
	Start   int              // first byte of the section in the page's content
	End     int              // the byte after its last
	Content []byte           // may begin with the header row of a table, or include the fence of code
	Version document.Version // of Content
	Score   uint32           // share of the highest possible score, in units of 1/[selection.One]
	Tokens  uint64
}

// rank ranks sections by selection 1, which a request may name, but no other.
func (d *Docs) rank(ctx context.Context, request selection.Request) (*answers.Ranking, error) {
	if err := request.Check(); err != nil {
		return nil, err
	}
	if request.Selection == selection.Spec0 {
		return nil, fault.Errorf(fault.InvalidQuery, "%w", selection.ErrUnit)
	}
	request.Selection, request.Unit = selection.Spec1, selection.Sections
	return d.set.Rank(ctx, request)
}

// Select fills the budget of a request with sections by selection 1, whatever the caches were
// built for, and returns them page by page. It leaves out duplicates and near-duplicates.
func (d *Docs) Select(ctx context.Context, request selection.Request) ([]Excerpt, selection.Totals, error) {
	ranking, err := d.rank(ctx, request)
	if err != nil {
		return nil, selection.Totals{}, err
	}
	hits, totals, err := ranking.Choose(ctx, answers.Limits{Budget: request.Budget})
	if err != nil {
		return nil, totals, err
	}
	excerpts := make([]Excerpt, len(hits))
	for i, hit := range hits {
		if excerpts[i], err = excerptOf(ranking, hit); err != nil {
			return nil, totals, err
		}
	}
	return excerpts, totals, nil
}

// Rank yields all sections with a term of the query, the best first, by selection 1. It leaves out
// duplicates and near-duplicates and ignores the budget. It reads each page only when its turn
// comes, so stop as soon as you have enough. An error is the last element.
func (d *Docs) Rank(ctx context.Context, request selection.Request) iter.Seq2[Excerpt, error] {
	return func(yield func(Excerpt, error) bool) {
		ranking, err := d.rank(ctx, request)
		if err != nil {
			yield(Excerpt{}, err)
			return
		}
		for hit, err := range ranking.Hits(ctx) {
			if err == nil && hit.DuplicateOf >= 0 {
				continue
			}
			var found Excerpt
			if err == nil {
				found, err = excerptOf(ranking, hit)
			}
			if !yield(found, err) || err != nil {
				return
			}
		}
	}
}

// excerptOf reads a hit.
func excerptOf(ranking *answers.Ranking, hit answers.Hit) (Excerpt, error) {
	text, err := ranking.Read(hit)
	return Excerpt{
		ID: named(hit.Member, hit.ID), Start: hit.Span.Start, End: hit.Span.End,
		Content: bytes.Clone(text.Content), Version: text.Version, Score: hit.Score, Tokens: hit.Tokens,
	}, err
}
