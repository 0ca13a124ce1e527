package mcp

import (
	"context"
	"io"

	"github.com/contextcompiler/context/internal/answer/request"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/caches/cache"
)

// inspect prints the summary of a cache, whose fields are zero if the manifest cannot be
// decoded.
func (r *cacheRoot) inspect() toolCall {
	var path string
	return toolCall{parameters: []request.Parameter{cacheParameter.To(&path)}, run: func(_ context.Context, out io.Writer) error {
		plain, err := cachePath(path)
		if err != nil {
			return err
		}
		root, err := openRoot(r.path)
		if err != nil {
			return err
		}
		defer root.Close()
		s, err := cache.SummaryIn(root, plain)
		if err != nil {
			return err
		}
		_, err = out.Write(wire.Marshal(s))
		return err
	}}
}
