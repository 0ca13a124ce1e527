package mcp

import (
	"io"

	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/wire"
)

// inspectCache prints the summary of a cache. It is zero if the manifest cannot
// be decoded.
func inspectCache(caches *caches, text []byte, out io.Writer) error {
	args, err := parseArguments(text, "cache")
	if err != nil {
		return err
	}
	path, err := args.cache()
	if err != nil {
		return err
	}
	root, err := openRoot(caches.root)
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
