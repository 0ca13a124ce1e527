package mcp

import (
	"context"
	"io"

	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/caches/cache"
)

// inspect prints the summary of a cache, whose fields are zero if the manifest cannot be
// decoded.
func (r *cacheRoot) inspect(_ context.Context, args *callArguments, out io.Writer) error {
	path, err := args.cachePath()
	if err != nil {
		return err
	}
	root, err := openRoot(r.path)
	if err != nil {
		return err
	}
	defer root.Close()
	s, err := cache.SummaryIn(root, path)
	if err != nil {
		return err
	}
	_, err = out.Write(wire.Marshal(s))
	return err
}
