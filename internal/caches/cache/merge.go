package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/caches/index"
)

// ErrEmpty is returned if an existing cache contains documents, but the new cache would
// contain none.
var ErrEmpty = errors.New("contains documents, but the new cache would be empty")

// ErrClash is returned by [Writer.Sort] if an ID belongs to documents of several caches.
var ErrClash = errors.New("caches contain the same IDs")

// OpenToMerge opens a cache whose documents will all be kept. It fails like [Open], and with
// [fault.CacheInvalid] if the index is missing or damaged.
func OpenToMerge(path, compiler string) (*Previous, error) {
	c, err := Open(path)
	if err != nil {
		return nil, err
	}
	p := newPrevious(c)
	listed, err := p.openIndex(compiler)
	err = openError(path, cmp.Or(err, p.damage))
	if err == nil && !listed {
		_, err = c.UncheckedManifest()
		err = cmp.Or(err, fault.Errorf(fault.CacheInvalid, "%s contains no %s, which a merge needs: build it again", path, IndexPath))
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// CreatedAt returns the created_at of the manifest.
func (p *Previous) CreatedAt() (time.Time, string, error) {
	text, err := p.createdAt()
	if err != nil {
		return time.Time{}, "", openError(p.cache.path, err)
	}
	at, err := time.Parse(time.RFC3339, strings.Replace(text, " ", "T", 1))
	return at, text, err
}

// Path returns the path that was passed to OpenToMerge.
func (p *Previous) Path() string { return p.cache.path }

// KeepAll returns all documents of the cache, in the order of their IDs. If put isn't nil,
// it puts each document in the new cache, perhaps under another ID, instead of keeping it.
//
// KeepAll compares the file of each document with the hash in the index, but the index with
// nothing else. It fails with [fault.CacheInvalid] if the cache is damaged, and with
// [fault.IO] if the system refuses.
func (p *Previous) KeepAll(ctx context.Context, jobs int, put func(NewDocument, document.Document) (NewDocument, error)) ([]NewDocument, error) {
	room := parallel.NewRoom(maxKept)
	reader := p.whole.NewRecordReader(256 << 10)
	items, sum := make([]NewDocument, 0, p.whole.Documents()), newVersionSum()
	for some := make([]index.Record, 0, 1<<10); ; some = some[:0] {
		for len(some) < cap(some) {
			d, err := reader.Next()
			if err != nil {
				return nil, p.explain(err)
			}
			if d == nil {
				break
			}
			some = append(some, *d)
			sum.add(d.ID, d.Version)
		}
		if len(some) == 0 {
			break
		}
		first := len(items)
		more, err := parallel.Each(ctx, jobs, len(some), func(ctx context.Context, _, i int) (NewDocument, error) {
			leave, err := room.Enter(ctx, some[i].FileSize)
			if err != nil {
				return NewDocument{}, context.Cause(ctx)
			}
			defer leave()
			return p.keepOrPut(&some[i], first+i, put)
		})
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	if sum.version() != p.Version {
		return nil, p.explain(fmt.Errorf("%w: it lists other documents than the manifest", index.ErrInvalid))
	}
	return items, nil
}

// maxKept is how many bytes of documents KeepAll reads at once, unless a single file is larger.
const maxKept = 16 << 20

func (p *Previous) keepOrPut(d *index.Record, ordinal int, put func(NewDocument, document.Document) (NewDocument, error)) (NewDocument, error) {
	buf := p.buffers.Get().(*findBuffer)
	defer p.buffers.Put(buf)
	data, found, err := p.cache.readRecorded(d, buf.file)
	if errors.Is(err, fs.ErrNotExist) { // which would mean that the directory isn't a cache
		err = fault.Errorf(fault.CacheInvalid, "%s/%s: the file is missing", DocumentsDir, d.Name)
	}
	if err != nil {
		return NewDocument{}, openError(p.cache.path, err)
	}
	buf.file = data
	item := p.itemOf(d, ordinal, found)
	if put == nil {
		return item, nil
	}
	doc, _, finding := decodeAs(newEntry(d.ID, d.Version, d.Name), data)
	if finding != nil {
		return NewDocument{}, Damaged(p.cache.path, finding.Err())
	}
	again, err := put(item, doc)
	again.from = p.position
	return again, err
}

// Sort sorts items that KeepAll returned by ID. It fails with [ErrClash] if documents share an
// ID.
func (w *Writer) Sort(items []NewDocument) error {
	slices.SortFunc(items, func(a, b NewDocument) int {
		return cmp.Or(strings.Compare(string(a.ID), string(b.ID)), cmp.Compare(a.from, b.from))
	})
	const mostNamed = 10
	var named []string
	more := ""
	clashes := 0
	for i := 1; i < len(items); i++ {
		if items[i].ID != items[i-1].ID {
			continue
		}
		if clashes++; clashes <= mostNamed {
			named = append(named, fmt.Sprintf("%s in %s and %s", items[i].ID, w.kept[items[i-1].from].Path(), w.kept[items[i].from].Path()))
		} else {
			more = fmt.Sprintf("; and %d more", clashes-mostNamed)
		}
	}
	if clashes == 0 {
		return nil
	}
	return fault.Errorf(fault.CacheInvalid, "%w: %s%s", ErrClash, strings.Join(named, "; "), more)
}
