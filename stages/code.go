package stages

import (
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// CodeOf returns the code blocks of a document from a cache in order. Large pages take
// turns, and it fails like [SplitOf].
func CodeOf(ctx context.Context, doc document.Document) (code []markdown.Frame, err error) {
	err = inTurn(ctx, doc, func(body markdown.Body) error {
		for _, b := range body.Blocks {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			code = append(code, body.Code(b)...)
		}
		return nil
	})
	return code, err
}

// LinksOf returns the links and the anchors of a document from a cache, as [markdown.Body.Links]
// does. Large pages take turns, and it fails like [SplitOf].
func LinksOf(ctx context.Context, doc document.Document) (links []markdown.Link, anchors []string, err error) {
	err = inTurn(ctx, doc, func(body markdown.Body) error {
		links, anchors = body.Links(doc.Content)
		return nil
	})
	return links, anchors, err
}

// inTurn parses a document and calls use. It fails with [fault.Internal] if one of them panics.
func inTurn(ctx context.Context, doc document.Document, use func(markdown.Body) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Recovered(p)
		}
	}()
	if len(doc.Content) >= largePage {
		leave, err := largeTurn.Enter(ctx, 1)
		if err != nil {
			return context.Cause(ctx)
		}
		defer leave()
	}
	body, err := bodyOf(doc)
	if err != nil {
		return err
	}
	return use(body)
}
