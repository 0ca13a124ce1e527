package registry

import (
	"context"
	"io"
	"slices"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/stages"
)

// withoutIndex returns the blobs from which the whole cache can be made.
func (a *Artifact) withoutIndex() ([]ocispec.Descriptor, error) {
	if len(a.Blobs) == 1 {
		return a.Blobs, nil
	}
	if a.Packed.Origin == "" {
		return nil, fault.Errorf(fault.IO, "the artifact doesn't say how its index was made, so the index cannot be rebuilt: pull the index as well")
	}
	return a.Blobs[:1], nil
}

// makeIndex makes the index of the documents in a directory, which is part of an entry. It
// fails unless the result is the index that was pushed.
func (c *Client) makeIndex(ctx context.Context, dir string, entry *replace.Staging, packed PackedCache) error {
	from, err := cache.Open(dir)
	if err != nil {
		return hidePath(dir, err)
	}
	defer from.Close()
	m, err := from.Manifest()
	if err != nil {
		return hidePath(dir, err)
	}
	terms := &index.Builder{Scratch: func() (index.SpillFile, error) { return entry.Scratch() }}
	defer terms.Close()
	lines, err := cache.ReadEach(ctx, from, c.Jobs, m.Documents, func(_, i int, r *cache.Reader) (index.Line, error) {
		return lineOf(r, m.Documents[i], m.Selection, terms)
	})
	if err != nil {
		return hidePath(dir, err)
	}
	err = entry.StreamFile(cacheDir+"/"+cache.IndexPath, func(out io.Writer) error {
		return from.WriteIndex(out, terms, slices.Values(lines), []byte(packed.Origin), c.Jobs)
	})
	if err != nil {
		return writeError(entry, err)
	}
	return checkIndex(dir, packed.Layers[1])
}

// lineOf adds the terms of a document.
func lineOf(r *cache.Reader, entry cache.Entry, selection int, terms *index.Builder) (index.Line, error) {
	doc, record, finding, err := r.Check(entry)
	if finding != nil {
		err = finding.Err()
	}
	if err != nil {
		return index.Line{}, err
	}
	page, err := stages.IndexAgain(terms, selection, doc)
	record.ID, record.Version = entry.ID, entry.Version // doc is about to be overwritten
	return index.Line{Record: record, Terms: page}, err
}

// checkIndex compares the new index with the index in the artifact.
func checkIndex(dir string, pushed Archive) error {
	from, err := cache.Open(dir)
	if err != nil {
		return err
	}
	defer from.Close()
	f, found, err := from.OpenFile(cache.IndexPath)
	if err != nil {
		return err
	}
	defer f.Close()
	made, _, err := writeLayer(io.Discard, indexLayer, true, func(w tarWriter) error {
		return w.add(cache.IndexPath, found.Size(), f)
	})
	if err != nil {
		return fault.Errorf(fault.IO, "read %s: %w", cache.IndexPath, fault.Cause(err))
	}
	if made != pushed {
		return fault.Errorf(fault.CacheInvalid, "the index made here differs from the index that was pushed: another release of this program may have made it; pull the index as well")
	}
	return nil
}
