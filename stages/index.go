package stages

import (
	"context"
	"fmt"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/internal/pages/sections"
)

var weighers = sync.Pool{New: func() any { return sections.NewWeigher() }}

// Index adds the terms of a document to terms. Selection 0 needs the words of its
// content, and selection 1 the weighted terms of its sections. The fields of the
// metadata are added as well, either to the document or to its first section. Only
// selection 1 uses body, the parsed content. Index is safe for concurrent use if terms
// is.
func Index(terms index.Adder, selection int, doc document.Document, body markdown.Body) index.PageTerms {
	if selection == 0 {
		return terms.AddWords(doc.Content, index.FieldTerms(doc.Metadata))
	}
	return indexSections(terms, doc, sections.Cut(body))
}

func indexSections(terms index.Adder, doc document.Document, parts []sections.Section) index.PageTerms {
	weigher := weighers.Get().(*sections.Weigher)
	page := terms.AddSections(len(parts), func(i int, add func(words.TermWeight)) index.SectionRecord {
		s := parts[i]
		w := weigher.Weigh(doc.ID, s, add)
		if i == 0 {
			for _, f := range index.FieldTerms(doc.Metadata) {
				add(words.WeightOf([]byte(f), 1))
			}
		}
		return index.SectionRecord{
			Start: s.Start, End: s.End, Lead: s.Lead, Tail: s.Tail, Length: w.Length, Traits: s.Traits,
			Digest: w.Digest, Slug: s.Slug, Sketch: w.Sketch,
		}
	})
	weighers.Put(weigher) // not after a panic
	return page
}

// IndexAgain is [Index] for a document from a cache. Since it has to parse the content
// first, it can fail with [fault.Internal] if the parser panics, which is a bug.
func IndexAgain(terms index.Adder, selection int, doc document.Document) (index.PageTerms, error) {
	var body markdown.Body
	if selection > 0 {
		var err error
		if body, err = bodyOf(doc); err != nil {
			return index.PageTerms{}, fmt.Errorf("parse %s: %w", doc.Source, err)
		}
	}
	return Index(terms, selection, doc, body), nil
}

// IndexMoved is [IndexAgain] for a document that moved below a prefix. keep must add the terms of
// the document before, and the terms that each of its sections gains. If it isn't ok, IndexMoved
// parses the content.
func IndexMoved(terms index.Adder, selection int, before document.ID, doc document.Document, keep func(gained []words.TermWeight) (page index.PageTerms, ok bool, err error)) (index.PageTerms, error) {
	weigher := weighers.Get().(*sections.Weigher)
	page, ok, err := keep(weigher.GainedTerms(before, doc.ID))
	weighers.Put(weigher)
	if ok || err != nil {
		return page, err
	}
	return IndexAgain(terms, selection, doc)
}

// IndexSplit is [IndexAgain] with the sections of [SplitOf], so that large documents take turns.
// It also fails if ctx ends.
func IndexSplit(ctx context.Context, terms index.Adder, selection int, doc document.Document) (index.PageTerms, error) {
	if selection == 0 {
		return Index(terms, selection, doc, markdown.Body{}), nil
	}
	found, err := SplitOf(ctx, doc)
	if err != nil {
		return index.PageTerms{}, err
	}
	return indexSections(terms, doc, found.Sections), nil
}
