package mcp

import (
	"io"

	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/wire"
)

// inspectCache prints {"cache_version","document_count","total_bytes","valid"} of
// a cache, all zero if it has no manifest that can be decoded.
func inspectCache(caches *caches, text []byte, out io.Writer) error {
	args, err := parseArguments(text, "cache")
	if err != nil {
		return err
	}
	path, err := args.cache()
	if err != nil {
		return err
	}
	root, err := caches.openRoot()
	if err != nil {
		return err
	}
	defer root.Close()
	s, err := cache.SummaryIn(root, path)
	if err != nil {
		return err
	}
	var e wire.Encoder
	e.BeginObject()
	e.Key("cache_version")
	e.String(s.Version)
	e.Key("document_count")
	e.Int(s.DocumentCount)
	e.Key("total_bytes")
	e.Int(s.TotalBytes)
	e.Key("valid")
	e.Bool(s.Valid)
	e.EndObject()
	_, err = out.Write(e.Bytes())
	return err
}
