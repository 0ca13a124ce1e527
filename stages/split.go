package stages

import (
	"context"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/recent"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/internal/pages/sections"
)

// A Split contains the blocks and sections of a page. It is shared by readers, so it must
// not be changed.
type Split struct {
	Blocks   []markdown.Block
	IsMDX    bool
	Sections []sections.Section
}

const (
	// largePage is the size in bytes from which pages take turns. While it is split, a page
	// of the maximum size takes up to 400 MiB.
	largePage = 1 << 20
	// heldSplits is the most bytes that the cached splits of large pages may take, and
	// heldSmallSplits is the same for other pages.
	heldSplits      = 128 << 20
	heldSmallSplits = 32 << 20
)

// A splitKey contains everything that affects a split.
type splitKey struct {
	version document.Version
	isMDX   bool
}

var (
	largeTurn  = parallel.NewRoom(1)
	largeFound = recent.New[splitKey, Split](heldSplits)
	smallFound = recent.New[splitKey, Split](heldSmallSplits)
)

// SplitOf parses and cuts the content of a document from a cache. The split doesn't refer to the
// memory of the content. Within a process, large pages take turns, and the most recently used pages
// are kept. It fails with [fault.Internal] if the parser panics, which is a bug. It also fails if
// ctx ends before the page's turn.
func SplitOf(ctx context.Context, doc document.Document) (Split, error) {
	key := splitKey{doc.Version, isMDX(doc.ID, doc.Metadata)}
	if len(doc.Content) < largePage {
		return splitOnce(smallFound, key, doc)
	}
	if found, isHeld := largeFound.Get(key); isHeld {
		return found, nil
	}
	leave, err := largeTurn.Enter(ctx, 1)
	if err != nil {
		return Split{}, context.Cause(ctx)
	}
	defer leave()
	return splitOnce(largeFound, key, doc) // the page may have been split while this call waited
}

// splitOnce splits a page unless held contains its split.
func splitOnce(held *recent.Map[splitKey, Split], key splitKey, doc document.Document) (Split, error) {
	if found, isHeld := held.Get(key); isHeld {
		return found, nil
	}
	found, err := split(doc)
	if err == nil && key.version != (document.Version{}) { // without a version, pages cannot be told apart
		held.Put(key, found, found.size())
	}
	return found, err
}

// TitleOf returns the title of a page: the title in its metadata, which is the one of its front
// matter or its first heading of level 1, or else its first heading of any level, or "".
func TitleOf(metadata document.Metadata, blocks []markdown.Block) string {
	title := strings.Join(strings.Fields(metadata["title"].String()), " ")
	for i := 0; title == "" && i < len(blocks); i++ {
		title = blocks[i].Title
	}
	return title
}

func split(doc document.Document) (Split, error) {
	body, err := bodyOf(doc)
	if err != nil {
		return Split{}, err
	}
	return Split{body.Blocks, body.IsMDX, sections.Cut(body)}, nil
}

// size returns the approximate size of a split in bytes.
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
