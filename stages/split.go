package stages

import (
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/markdown"
	"github.com/contextcompiler/context/internal/parallel"
	"github.com/contextcompiler/context/internal/recent"
	"github.com/contextcompiler/context/internal/sections"
)

// A Split is what the text of a page is split into. Readers share it, so nobody changes it.
type Split struct {
	Blocks   []markdown.Block
	IsMDX    bool
	Sections []sections.Section
}

const (
	// largePage is the size from which on pages take turns, in bytes. A page of the largest
	// size takes up to 400 MiB while it is split.
	largePage = 1 << 20
	// heldSplits is the most bytes of the splits of large pages that are kept.
	heldSplits = 128 << 20
)

// A splitKey names what decides a split.
type splitKey struct {
	version document.Version
	isMDX   bool
}

var (
	largeTurn  = parallel.NewRoom(1)
	largeFound = recent.New[splitKey, Split](heldSplits)
)

// SplitOf parses and cuts the content of a document that was read from a cache. In all of the
// process, large pages take turns, and those that were used last are kept. It fails with
// [fault.Internal] if the parser panics, which is a bug, and if ctx ends before its turn.
func SplitOf(ctx context.Context, doc document.Document) (Split, error) {
	if len(doc.Content) < largePage {
		return split(doc)
	}
	key := splitKey{doc.Version, isMDX(doc.ID, doc.Metadata)}
	if found, isHeld := largeFound.Get(key); isHeld {
		return found, nil
	}
	leave, err := largeTurn.Enter(ctx, 1)
	if err != nil {
		return Split{}, context.Cause(ctx)
	}
	defer leave()
	if found, isHeld := largeFound.Get(key); isHeld { // split during the wait
		return found, nil
	}
	found, err := split(doc)
	if err == nil {
		largeFound.Put(key, found, found.size())
	}
	return found, err
}

func split(doc document.Document) (Split, error) {
	body, err := bodyOf(doc)
	if err != nil {
		return Split{}, err
	}
	return Split{body.Blocks, body.IsMDX, sections.Cut(body)}, nil
}

// size returns about how many bytes a split takes.
func (s Split) size() int {
	const ofBlock, ofSection, ofString = 56, 120, 16
	size := ofBlock*cap(s.Blocks) + ofSection*cap(s.Sections)
	for _, b := range s.Blocks {
		size += ofString + len(b.Title) + len(b.Anchor)
	}
	for _, part := range s.Sections {
		size += len(part.Text) + ofString*len(part.Headings)
	}
	return size
}
