package stages

import (
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/markdown"
)

// CodeOf returns the code blocks of a document from a cache in order. Large pages take
// turns, and it fails like [SplitOf].
func CodeOf(ctx context.Context, doc document.Document) (code []markdown.Frame, err error) {
	defer func() {
		if p := recover(); p != nil {
			code, err = nil, fault.Recovered(p)
		}
	}()
	if len(doc.Content) >= largePage {
		leave, err := largeTurn.Enter(ctx, 1)
		if err != nil {
			return nil, context.Cause(ctx)
		}
		defer leave()
	}
	body, err := bodyOf(doc)
	if err != nil {
		return nil, err
	}
	for _, b := range body.Blocks {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		code = append(code, body.Code(b)...)
	}
	return code, nil
}
