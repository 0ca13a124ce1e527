package stages

import (
	"fmt"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/markdown"
	"github.com/contextcompiler/context/internal/sections"
	"github.com/contextcompiler/context/internal/words"
)

var weighers = sync.Pool{New: func() any { return sections.NewWeigher() }}

// Index gives the terms of a document to terms, by the rules of a selection: its
// words for selection 0, the weighed terms of its sections for selection 1. The fields
// of its metadata are terms too: of the document, or of its first section. body is that
// of its content; selection 0 needs none. Index is safe for concurrent use if terms is.
func Index(terms index.Adder, selection int, doc document.Document, body markdown.Body) index.PageTerms {
	if selection == 0 {
		return terms.AddWords(doc.Content, index.FieldTerms(doc.Metadata))
	}
	weigher := weighers.Get().(*sections.Weigher)
	defer weighers.Put(weigher)
	sections := sections.Cut(body)
	return terms.AddSections(len(sections), func(i int, add func(words.TermWeight)) index.SectionRecord {
		s := sections[i]
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
}

// IndexAgain is [Index] for a document that was read from a cache, whose content it
// parses. It fails with [fault.Internal] if the parser panics, which is a bug.
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
